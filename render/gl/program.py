"""Programs of the graphics card, from the files in ``shaders/``."""

from __future__ import annotations

import ctypes
from importlib import resources

from OpenGL import GL

from handhold.render.errors import ShaderRefused
from handhold.render.gl import functions as gl

STAGES = {"vert": GL.GL_VERTEX_SHADER, "frag": GL.GL_FRAGMENT_SHADER}
PREAMBLE = "eye.glsl"
"""What every shader begins with: the version, and the uniforms of the eye."""
FRAGMENT_PREAMBLE = "grid.glsl"
"""What those of fragments have besides: lines that are drawn on what they shade."""
PLAIN = {"label": "plain_label.frag"}
"""What draws elements plainly that have holes; all others ``plain.frag`` does."""
LOG_BYTES = 4096


def build_program(name: str, *, plain: bool = False) -> int:
    """Compile and link ``shaders/<name>.vert`` and ``shaders/<name>.frag``; return OpenGL's name of the program.

    Args:
        name: Name of the files.
        plain: Take a shader of ``PLAIN`` in place of the latter: the element's colour as it is.

    Raises:
        ShaderRefused: The driver does not take it.
    """
    program: int = gl.create_program()
    for suffix, stage in STAGES.items():
        file = PLAIN.get(name, "plain.frag") if plain and suffix == "frag" else f"{name}.{suffix}"
        shader = _compile(file, stage)
        gl.attach_shader(program, shader)
        gl.delete_shader(shader)
    gl.link_program(program)
    _check(name, program, GL.GL_LINK_STATUS, gl.get_program, gl.get_program_info_log)
    return program


def _compile(file: str, stage: int) -> int:
    shader: int = gl.create_shader(stage)
    shared = _read(PREAMBLE) + (_read(FRAGMENT_PREAMBLE) if stage == GL.GL_FRAGMENT_SHADER else "")
    source = (shared + "#line 1\n" + _read(file)).encode()
    gl.shader_source(shader, 1, ctypes.byref(ctypes.c_char_p(source)), None)
    gl.compile_shader(shader)
    _check(file, shader, GL.GL_COMPILE_STATUS, gl.get_shader, gl.get_shader_info_log)
    return shader


def _check(name: str, made: int, question: int, get: gl.Function, get_log: gl.Function) -> None:
    fine = ctypes.c_int32()
    get(made, question, ctypes.byref(fine))
    if not fine.value:
        log = ctypes.create_string_buffer(LOG_BYTES)
        get_log(made, LOG_BYTES, None, log)
        raise ShaderRefused(name, log.value.decode(errors="replace"))


def _read(file: str) -> str:
    return (resources.files("handhold.render") / "shaders" / file).read_text(encoding="utf-8")
