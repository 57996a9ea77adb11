"""The functions of OpenGL that every frame calls, called directly.

PyOpenGL's own wrappers ask for errors after each call and convert every argument: 3 to 10 us a call instead of 0.4, and its
switch against that (``OpenGL.ERROR_CHECKING``) breaks ``import OpenGL.EGL``. Setting up, where errors must be told, goes
through PyOpenGL as usual; ``raise_errors`` tells of those that frames leave behind.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from OpenGL import GL
from OpenGL.platform import PLATFORM

from handhold.render.errors import ContextNotAvailable, DrawingFailed

INT, UINT, SIZE, POINTER, FLOAT, BYTE = (
    ctypes.c_int32,
    ctypes.c_uint32,
    ctypes.c_ssize_t,
    ctypes.c_void_p,
    ctypes.c_float,
    ctypes.c_uint8,
)


def _load(name: str, *arguments: Any, result: Any = None) -> Callable[..., Any]:
    address = PLATFORM.getExtensionProcedure(name.encode())
    if not address:
        raise ContextNotAvailable("OpenGL", f"the driver has no {name}")
    return ctypes.CFUNCTYPE(result, *arguments)(address)


active_texture = _load("glActiveTexture", UINT)
bind_buffer = _load("glBindBuffer", UINT, UINT)
bind_buffer_base = _load("glBindBufferBase", UINT, UINT, UINT)
bind_framebuffer = _load("glBindFramebuffer", UINT, UINT)
bind_texture = _load("glBindTexture", UINT, UINT)
bind_vertex_array = _load("glBindVertexArray", UINT)
blend_func_separate = _load("glBlendFuncSeparate", UINT, UINT, UINT, UINT)
blit_framebuffer = _load("glBlitFramebuffer", INT, INT, INT, INT, INT, INT, INT, INT, UINT, UINT)
buffer_data = _load("glBufferData", UINT, SIZE, POINTER, UINT)
clear = _load("glClear", UINT)
clear_color = _load("glClearColor", FLOAT, FLOAT, FLOAT, FLOAT)
color_mask = _load("glColorMask", BYTE, BYTE, BYTE, BYTE)
depth_func = _load("glDepthFunc", UINT)
depth_mask = _load("glDepthMask", BYTE)
disable = _load("glDisable", UINT)
draw_arrays = _load("glDrawArrays", UINT, INT, INT)
draw_arrays_instanced = _load("glDrawArraysInstanced", UINT, INT, INT, INT)
draw_arrays_instanced_from = _load("glDrawArraysInstancedBaseInstance", UINT, INT, INT, INT, UINT)
enable = _load("glEnable", UINT)
framebuffer_texture = _load("glFramebufferTexture2D", UINT, UINT, UINT, UINT, INT)
get_error = _load("glGetError", result=UINT)
multi_draw_elements_indirect = _load("glMultiDrawElementsIndirect", UINT, UINT, POINTER, INT, INT)
pixel_store = _load("glPixelStorei", UINT, INT)
tex_sub_image = _load("glTexSubImage2D", UINT, INT, INT, INT, INT, INT, UINT, UINT, POINTER)
uniform_float = _load("glUniform1f", INT, FLOAT)
use_program = _load("glUseProgram", UINT)
viewport = _load("glViewport", INT, INT, INT, INT)


def raise_errors(doing: str) -> None:
    """Raise the error that OpenGL remembers, if any; it costs a round trip to the driver.

    Args:
        doing: What was done since it was last asked, in words.

    Raises:
        DrawingFailed: OpenGL refused something.
    """
    code = get_error()
    if code != GL.GL_NO_ERROR:
        raise DrawingFailed(doing, code)
