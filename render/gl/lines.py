"""Lines of a scene."""

from __future__ import annotations

from collections.abc import Sequence

from OpenGL import GL

from handhold.render.gl import functions as gl
from handhold.render.gl.anchors import ANCHOR_NUMBERS
from handhold.render.gl.program import build_program
from handhold.render.gl.stream import StreamBuffer
from handhold.render.scene import Lines

LINES_BINDING = 2
LINE_FLOATS = 12
"""Size of ``Line`` in ``line.vert``: start and width, end and anchor, colour."""


class LineRibbons:
    """Lines on the graphics card, drawn by one call."""

    def __init__(self) -> None:
        """Compile the shaders."""
        self._program = build_program("line")
        self._rows = StreamBuffer(LINE_FLOATS)
        self._vertex_array = gl.make(gl.gen_vertex_arrays)

    def load(self, lines: Sequence[Lines]) -> None:
        """Upload a scene's lines."""
        self._rows.clear()
        for group in lines:
            rows = self._rows.take(len(group.ends))
            rows[:, 0:3] = group.ends[:, 0]
            rows[:, 3] = group.width
            rows[:, 4:7] = group.ends[:, 1]
            rows[:, 7] = ANCHOR_NUMBERS[group.anchor]
            rows[:, 8:12] = group.colors
        self._rows.upload()

    def draw(self) -> None:
        """Draw them."""
        if self._rows.count:
            gl.use_program(self._program)
            gl.bind_vertex_array(self._vertex_array)
            gl.bind_buffer_base(GL.GL_SHADER_STORAGE_BUFFER, LINES_BINDING, self._rows.name)
            gl.draw_arrays_instanced(GL.GL_TRIANGLE_STRIP, 0, 4, self._rows.count)

    def close(self) -> None:
        """Free what OpenGL holds for it."""
        gl.delete_program(self._program)
        gl.free(gl.delete_vertex_arrays, self._vertex_array)
        self._rows.close()
