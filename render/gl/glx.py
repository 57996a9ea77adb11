"""An OpenGL context of GLX in a window that is not shown, which every OpenXR runtime on Linux can draw from."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from handhold.render.errors import ContextNotAvailable
from handhold.render.gl import OPENGL_VERSION


class GlxContext:
    """An OpenGL context of a hidden window, current in the thread that makes it.

    Attributes:
        extensions: What an OpenXR runtime must offer to draw with it.
        window: The window, which others may share objects with.
    """

    extensions: tuple[str, ...] = ("XR_KHR_opengl_enable",)

    def __init__(self) -> None:
        """Make the window and its context.

        Raises:
            ContextNotAvailable: There is no X server, or it has no OpenGL.
        """
        import glfw

        # Under Wayland glfw would take EGL, which few runtimes draw from.
        glfw.init_hint(glfw.PLATFORM, glfw.PLATFORM_X11)
        if not _quietly(glfw.init):
            raise ContextNotAvailable("GLX", "no X server answers", "set DISPLAY, or start Xvfb")
        self.window = make_window(16, 16, visible=False)
        if not self.window:
            needed = ".".join(map(str, OPENGL_VERSION))
            raise ContextNotAvailable("GLX", f"the X server has no OpenGL {needed}", "install libgl1-mesa-dri libglx-mesa0")
        glfw.make_context_current(self.window)

    def bind(self, instance: Any, system: Any) -> Any:
        """Return the structure that creates an OpenXR session on this context (see ``GraphicsBinding``)."""
        import xr
        from OpenGL import GLX

        xr.get_opengl_graphics_requirements_khr(instance, system)
        return xr.GraphicsBindingOpenGLXlibKHR(
            x_display=GLX.glXGetCurrentDisplay(),
            glx_drawable=GLX.glXGetCurrentDrawable(),
            glx_context=GLX.glXGetCurrentContext(),
        )

    def close(self) -> None:
        """Destroy the window and its context; sessions on it must be closed before."""
        import glfw

        glfw.destroy_window(self.window)


def make_window(width: int, height: int, *, visible: bool, shared: Any = None) -> Any:
    """Make a window with an OpenGL context of its own, glfw being initialised.

    Args:
        width: [pixels]
        height: [pixels]
        visible: Whether people see it.
        shared: Window whose textures and programs it shares, or None.

    Returns:
        The window, or None where the X server has no such OpenGL.
    """
    import glfw

    glfw.window_hint(glfw.VISIBLE, visible)
    glfw.window_hint(glfw.CONTEXT_VERSION_MAJOR, OPENGL_VERSION[0])
    glfw.window_hint(glfw.CONTEXT_VERSION_MINOR, OPENGL_VERSION[1])
    glfw.window_hint(glfw.OPENGL_PROFILE, glfw.OPENGL_CORE_PROFILE)
    return _quietly(lambda: glfw.create_window(width, height, "Handhold", None, shared))


def _quietly(call: Callable[[], Any]) -> Any:
    """Call a function of glfw, which warns as well as it returns zero."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call()
