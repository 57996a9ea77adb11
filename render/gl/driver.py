"""What draws on this machine."""

from __future__ import annotations

from OpenGL import GL

SOFTWARE = ("llvmpipe", "softpipe", "swrast")
"""Names of Mesa's drivers that have no graphics card."""


def name_driver() -> str:
    """Return the name of what draws in the current context, as its driver tells it."""
    name = GL.glGetString(GL.GL_RENDERER)
    return name.decode(errors="replace") if name else "unknown"


def draws_by_processor() -> bool:
    """Return whether the current context has no graphics card, which makes drawing some 50 times slower."""
    return any(name in name_driver().lower() for name in SOFTWARE)
