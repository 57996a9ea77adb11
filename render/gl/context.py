"""The OpenGL context that this machine can have."""

from __future__ import annotations

from handhold.render.errors import ContextNotAvailable
from handhold.render.gl.egl import EglContext
from handhold.render.gl.glx import GlxContext


def make_context() -> EglContext | GlxContext:
    """Make an OpenGL context, which is current in the calling thread.

    GLX comes first, because every OpenXR runtime on Linux draws from it and few draw from EGL; EGL needs no X server.

    Raises:
        ContextNotAvailable: Neither can be made.
    """
    try:
        return GlxContext()
    except ContextNotAvailable as without_window:
        try:
            return EglContext()
        except ContextNotAvailable as error:
            raise ContextNotAvailable("GLX and EGL", f"{without_window.reason}; {error.reason}", error.remedy) from error
