"""The darkness around the middle of the picture while the room moves."""

from __future__ import annotations

from OpenGL import GL

from handhold.render.gl import functions as gl
from handhold.render.gl.call_list import CallList
from handhold.render.gl.program import build_program


class Vignette:
    """Darkens the edge of the picture, against motion sickness; the uniform block says how much."""

    def __init__(self) -> None:
        """Compile the shaders."""
        self._program = build_program("vignette")
        self._vertex_array = gl.make(gl.gen_vertex_arrays)

    def draw(self, calls: CallList) -> None:
        """Draw it over all that is drawn already."""
        calls(gl.use_program, self._program)
        calls(gl.bind_vertex_array, self._vertex_array)
        calls(gl.disable, GL.GL_DEPTH_TEST)
        calls(gl.draw_arrays, GL.GL_TRIANGLES, 0, 3)
        calls(gl.enable, GL.GL_DEPTH_TEST)

    def close(self) -> None:
        """Free what OpenGL holds for it."""
        gl.delete_program(self._program)
        gl.free(gl.delete_vertex_arrays, self._vertex_array)
