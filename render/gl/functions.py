"""The functions of OpenGL, called directly: their C names without ``gl``, in lower case.

PyOpenGL looks most of its functions up only where the context is of the kind it took to when it was imported (GLX, with
pyopenxr), so that a context of EGL has none newer than OpenGL 3. Its wrappers also ask for errors after each call and convert
every argument: 3 to 10 us a call instead of 0.4, and its switch against that (``OpenGL.ERROR_CHECKING``) breaks
``import OpenGL.EGL``. What is used of it are the constants, and the addresses of functions, which hold for any context.
"""

from __future__ import annotations

import ctypes
from typing import Any, Protocol, cast

from OpenGL import GL
from OpenGL.platform import PLATFORM

from handhold.render.errors import ContextNotAvailable, DrawingFailed

INT, UINT, SIZE, POINTER = ctypes.c_int32, ctypes.c_uint32, ctypes.c_ssize_t, ctypes.c_void_p
FLOAT, BYTE, TEXT = ctypes.c_float, ctypes.c_uint8, ctypes.c_char_p


class Function(Protocol):
    """A function of OpenGL.

    Attributes:
        address: Where it is.
        returns: Whether it returns something.
        arguments: ``f`` for each of type ``FLOAT``, ``i`` for each of other types.
    """

    address: int
    returns: bool
    arguments: str

    def __call__(self, *arguments: Any) -> Any:
        """Call it."""
        ...


def _load(name: str, *arguments: Any, result: Any = None) -> Function:
    address = PLATFORM.getExtensionProcedure(name.encode())
    if not address:
        raise ContextNotAvailable("OpenGL", f"the driver has no {name}")
    function = cast(Function, ctypes.CFUNCTYPE(result, *arguments)(address))
    function.address, function.returns = address, result is not None
    function.arguments = "".join("f" if kind is FLOAT else "i" for kind in arguments)
    return function


# What every frame calls.
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
copy_buffer_sub_data = _load("glCopyBufferSubData", UINT, UINT, SIZE, SIZE, SIZE)
color_mask = _load("glColorMask", BYTE, BYTE, BYTE, BYTE)
depth_func = _load("glDepthFunc", UINT)
depth_mask = _load("glDepthMask", BYTE)
disable = _load("glDisable", UINT)
draw_arrays = _load("glDrawArrays", UINT, INT, INT)
draw_arrays_instanced = _load("glDrawArraysInstanced", UINT, INT, INT, INT)
draw_elements = _load("glDrawElements", UINT, INT, UINT, POINTER)
enable = _load("glEnable", UINT)
framebuffer_texture_2d = _load("glFramebufferTexture2D", UINT, UINT, UINT, UINT, INT)
multi_draw_elements_indirect = _load("glMultiDrawElementsIndirect", UINT, UINT, POINTER, INT, INT)
pixel_store = _load("glPixelStorei", UINT, INT)
tex_sub_image_2d = _load("glTexSubImage2D", UINT, INT, INT, INT, INT, INT, UINT, UINT, POINTER)
uniform_1f = _load("glUniform1f", INT, FLOAT)
uniform_1i = _load("glUniform1i", INT, INT)
uniform_4f = _load("glUniform4f", INT, FLOAT, FLOAT, FLOAT, FLOAT)
use_program = _load("glUseProgram", UINT)
viewport = _load("glViewport", INT, INT, INT, INT)

# What setting up, reading and closing calls.
attach_shader = _load("glAttachShader", UINT, UINT)
bind_vertex_buffer = _load("glBindVertexBuffer", UINT, UINT, SIZE, INT)
check_framebuffer_status = _load("glCheckFramebufferStatus", UINT, result=UINT)
compile_shader = _load("glCompileShader", UINT)
create_program = _load("glCreateProgram", result=UINT)
create_shader = _load("glCreateShader", UINT, result=UINT)
delete_buffers = _load("glDeleteBuffers", INT, POINTER)
delete_framebuffers = _load("glDeleteFramebuffers", INT, POINTER)
delete_program = _load("glDeleteProgram", UINT)
delete_shader = _load("glDeleteShader", UINT)
delete_textures = _load("glDeleteTextures", INT, POINTER)
delete_vertex_arrays = _load("glDeleteVertexArrays", INT, POINTER)
enable_vertex_attrib_array = _load("glEnableVertexAttribArray", UINT)
gen_buffers = _load("glGenBuffers", INT, POINTER)
gen_framebuffers = _load("glGenFramebuffers", INT, POINTER)
gen_textures = _load("glGenTextures", INT, POINTER)
gen_vertex_arrays = _load("glGenVertexArrays", INT, POINTER)
get_error = _load("glGetError", result=UINT)
get_program = _load("glGetProgramiv", UINT, UINT, POINTER)
get_program_info_log = _load("glGetProgramInfoLog", UINT, INT, POINTER, TEXT)
get_shader = _load("glGetShaderiv", UINT, UINT, POINTER)
get_shader_info_log = _load("glGetShaderInfoLog", UINT, INT, POINTER, TEXT)
get_uniform_location = _load("glGetUniformLocation", UINT, TEXT, result=INT)
link_program = _load("glLinkProgram", UINT)
read_pixels = _load("glReadPixels", INT, INT, INT, INT, UINT, UINT, POINTER)
shader_source = _load("glShaderSource", UINT, INT, POINTER, POINTER)
tex_parameter = _load("glTexParameteri", UINT, UINT, INT)
tex_storage_2d = _load("glTexStorage2D", UINT, INT, UINT, INT, INT)
tex_storage_2d_multisample = _load("glTexStorage2DMultisample", UINT, INT, UINT, INT, INT, BYTE)
vertex_attrib_binding = _load("glVertexAttribBinding", UINT, UINT)
vertex_attrib_format = _load("glVertexAttribFormat", UINT, INT, UINT, BYTE, UINT)
vertex_attrib_i_format = _load("glVertexAttribIFormat", UINT, INT, UINT, UINT)
vertex_binding_divisor = _load("glVertexBindingDivisor", UINT, UINT)


def make(generate: Function) -> int:
    """Return a new name from one of the ``gen_`` functions."""
    name = UINT()
    generate(1, ctypes.byref(name))
    return name.value


def free(delete: Function, *names: int) -> None:
    """Give names back by one of the ``delete_`` functions."""
    delete(len(names), (UINT * len(names))(*names))


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
