"""An OpenGL context that draws on the processor, alike on every machine."""

from __future__ import annotations

import os

from handhold.render.gl.egl import EglContext


def make_software_context() -> EglContext:
    """Make the context (Mesa's llvmpipe), without a screen.

    Raises:
        ContextNotAvailable: There is no EGL.
    """
    before = {name: os.environ.get(name) for name in _SOFTWARE}
    os.environ.update(_SOFTWARE)
    try:
        return EglContext()
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


_SOFTWARE = {"LIBGL_ALWAYS_SOFTWARE": "1", "GALLIUM_DRIVER": "llvmpipe"}
