"""Programs of the graphics card, from the files in ``shaders/``."""

from __future__ import annotations

from importlib import resources

from OpenGL import GL

from handhold.render.errors import ShaderRefused

STAGES = {"vert": GL.GL_VERTEX_SHADER, "frag": GL.GL_FRAGMENT_SHADER}
PREAMBLE = "eye.glsl"
"""What every shader begins with: the version, and what it is told of the eye."""


def build_program(name: str) -> int:
    """Compile and link ``shaders/<name>.vert`` and ``shaders/<name>.frag``; return OpenGL's name of the program.

    Raises:
        ShaderRefused: The driver does not take it.
    """
    program = int(GL.glCreateProgram())
    for suffix, stage in STAGES.items():
        shader = _compile(f"{name}.{suffix}", stage)
        GL.glAttachShader(program, shader)
        GL.glDeleteShader(shader)
    GL.glLinkProgram(program)
    if not GL.glGetProgramiv(program, GL.GL_LINK_STATUS):
        raise ShaderRefused(name, GL.glGetProgramInfoLog(program).decode(errors="replace"))
    return program


def _compile(file: str, stage: int) -> int:
    shader = int(GL.glCreateShader(stage))
    GL.glShaderSource(shader, [_read(PREAMBLE), "#line 1\n", _read(file)])
    GL.glCompileShader(shader)
    if not GL.glGetShaderiv(shader, GL.GL_COMPILE_STATUS):
        raise ShaderRefused(file, GL.glGetShaderInfoLog(shader).decode(errors="replace"))
    return shader


def _read(file: str) -> str:
    return (resources.files("handhold.render") / "shaders" / file).read_text(encoding="utf-8")
