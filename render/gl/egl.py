"""An OpenGL context of EGL without any window or X server, for machines without a screen.

EGL is called directly: PyOpenGL takes to either GLX or EGL when it is imported, once, and pyopenxr takes it to GLX.
OpenGL's own functions work in either case.
"""

from __future__ import annotations

import ctypes
from typing import Any

from handhold.render.errors import ContextNotAvailable
from handhold.render.gl import OPENGL_VERSION

PLATFORM_SURFACELESS_MESA = 0x31DD
OPENGL_API = 0x30A2
OPENGL_BIT = 0x0008
RENDERABLE_TYPE = 0x3040
SURFACE_TYPE = 0x3033
CONTEXT_MAJOR_VERSION = 0x3098
CONTEXT_MINOR_VERSION = 0x30FB
CONTEXT_OPENGL_PROFILE_MASK = 0x30FD
CONTEXT_OPENGL_CORE_PROFILE_BIT = 0x0001
NONE = 0x3038

POINTER, INT, UINT = ctypes.c_void_p, ctypes.c_int32, ctypes.c_uint32
SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "eglGetPlatformDisplay": (POINTER, [UINT, POINTER, POINTER]),
    "eglInitialize": (UINT, [POINTER, POINTER, POINTER]),
    "eglBindAPI": (UINT, [UINT]),
    "eglChooseConfig": (UINT, [POINTER, POINTER, POINTER, INT, POINTER]),
    "eglCreateContext": (POINTER, [POINTER, POINTER, POINTER, POINTER]),
    "eglMakeCurrent": (UINT, [POINTER, POINTER, POINTER, POINTER]),
    "eglDestroyContext": (UINT, [POINTER, POINTER]),
    "eglGetError": (INT, []),
}


def _load() -> ctypes.CDLL:
    try:
        library = ctypes.CDLL("libEGL.so.1")
    except OSError as error:
        raise ContextNotAvailable("EGL", str(error), "apt-get install libegl1 libegl-mesa0 libgl1-mesa-dri") from error
    for name, (result, arguments) in SIGNATURES.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


class EglContext:
    """An OpenGL context without a surface, current in the thread that makes it.

    Attributes:
        extensions: What an OpenXR runtime must offer to draw with it.
    """

    extensions: tuple[str, ...] = ("XR_KHR_opengl_enable", "XR_MNDX_egl_enable")

    def __init__(self) -> None:
        """Make the context.

        Raises:
            ContextNotAvailable: EGL, or OpenGL without a surface, is missing.
        """
        self._egl = _load()
        self._display = self._call("eglGetPlatformDisplay", PLATFORM_SURFACELESS_MESA, None, None)
        self._call("eglInitialize", self._display, None, None)
        self._call("eglBindAPI", OPENGL_API)
        self._config = self._choose_config()
        major, minor = OPENGL_VERSION
        attributes = (CONTEXT_MAJOR_VERSION, major, CONTEXT_MINOR_VERSION, minor)
        profile = (CONTEXT_OPENGL_PROFILE_MASK, CONTEXT_OPENGL_CORE_PROFILE_BIT, NONE)
        self._context = self._call("eglCreateContext", self._display, self._config, None, (INT * 7)(*attributes, *profile))
        self.make_current()

    def _call(self, name: str, *arguments: Any) -> Any:
        """Call a function of EGL; zero (false, no handle) is its failure."""
        result = getattr(self._egl, name)(*arguments)
        if not result:
            raise ContextNotAvailable("EGL", f"{name} fails with error {self._egl.eglGetError():#x}")
        return result

    def make_current(self) -> None:
        """Let the calling thread draw in this context.

        Raises:
            ContextNotAvailable: It is current in another thread.
        """
        self._call("eglMakeCurrent", self._display, None, None, self._context)

    def _choose_config(self) -> ctypes.c_void_p:
        config, count = POINTER(), INT()
        attributes = (INT * 5)(RENDERABLE_TYPE, OPENGL_BIT, SURFACE_TYPE, 0, NONE)
        self._call("eglChooseConfig", self._display, attributes, ctypes.byref(config), 1, ctypes.byref(count))
        if not count.value:
            raise ContextNotAvailable("EGL", "no configuration has OpenGL")
        return config

    def bind(self, instance: Any, system: Any) -> Any:
        """Return the structure that creates an OpenXR session on this context (see ``GraphicsBinding``)."""
        import xr

        xr.get_opengl_graphics_requirements_khr(instance, system)
        kinds: dict[str, Any] = dict(xr.GraphicsBindingEGLMNDX._fields_)
        return xr.GraphicsBindingEGLMNDX(
            get_proc_address=ctypes.cast(self._egl.eglGetProcAddress, kinds["get_proc_address"]),
            display=ctypes.cast(self._display, kinds["display"]),
            config=ctypes.cast(self._config, kinds["config"]),
            context=ctypes.cast(self._context, kinds["context"]),
        )

    def close(self) -> None:
        """Destroy the context; the display stays, which other contexts of the process may share."""
        self._egl.eglMakeCurrent(self._display, None, None, None)
        self._egl.eglDestroyContext(self._display, self._context)
