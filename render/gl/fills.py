"""Filled triangles of a scene."""

from __future__ import annotations

from collections.abc import Sequence

from OpenGL import GL

from handhold.render.gl import functions as gl
from handhold.render.gl.anchors import ANCHOR_NUMBERS
from handhold.render.gl.program import build_program
from handhold.render.gl.stream import StreamBuffer
from handhold.render.scene import Fill

TRIANGLE_FLOATS = 24
"""Three vertices of ``fill.vert``: position and anchor, colour."""


class FilledTriangles:
    """Filled triangles on the graphics card, drawn by one call."""

    def __init__(self) -> None:
        """Compile the shaders."""
        self._program = build_program("fill")
        self._rows = StreamBuffer(TRIANGLE_FLOATS)
        self._vertex_array = gl.make(gl.gen_vertex_arrays)
        gl.bind_vertex_array(self._vertex_array)
        gl.bind_vertex_buffer(0, self._rows.name, 0, 8 * 4)
        for location in (0, 1):
            gl.enable_vertex_attrib_array(location)
            gl.vertex_attrib_format(location, 4, GL.GL_FLOAT, GL.GL_FALSE, 16 * location)
            gl.vertex_attrib_binding(location, 0)
        gl.bind_vertex_array(0)

    def load(self, fills: Sequence[Fill]) -> None:
        """Upload a scene's triangles."""
        self._rows.clear()
        for fill in fills:
            vertices = self._rows.take(len(fill.triangles)).reshape(-1, 3, 8)
            vertices[:, :, 0:3] = fill.triangles
            vertices[:, :, 3] = ANCHOR_NUMBERS[fill.anchor]
            vertices[:, :, 4:8] = fill.colors[:, None]
        self._rows.upload()

    def draw(self) -> None:
        """Draw them from both sides; they hide nothing."""
        if self._rows.count:
            gl.use_program(self._program)
            gl.bind_vertex_array(self._vertex_array)
            gl.depth_mask(False)
            gl.draw_arrays(GL.GL_TRIANGLES, 0, 3 * self._rows.count)
            gl.depth_mask(True)

    def close(self) -> None:
        """Free what OpenGL holds for it."""
        gl.delete_program(self._program)
        gl.free(gl.delete_vertex_arrays, self._vertex_array)
        self._rows.close()
