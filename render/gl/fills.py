"""Filled triangles of a scene, blended from the farthest to the nearest of each eye."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from OpenGL import GL

from handhold.render.gl import functions as gl
from handhold.render.gl.anchors import ANCHOR_NUMBERS
from handhold.render.gl.eye import EyeBlock
from handhold.render.gl.program import build_program
from handhold.render.gl.stream import StreamBuffer
from handhold.render.scene import Anchor, Fill

TRIANGLE_FLOATS = 24
"""Three vertices of ``fill.vert``: position and anchor, colour."""
CORNERS = np.arange(3, dtype=np.uint32)
HEAD = ANCHOR_NUMBERS[Anchor.HEAD]


class FilledTriangles:
    """Filled triangles on the graphics card, drawn by one call."""

    def __init__(self) -> None:
        """Compile the shaders."""
        self._program = build_program("fill")
        self._rows = StreamBuffer(TRIANGLE_FLOATS)
        self._order = StreamBuffer(len(CORNERS), dtype=np.uint32)
        self._middles = np.ones((0, 4), dtype=np.float32)
        self._anchors = np.zeros(0, dtype=np.intp)
        self._vertex_array = gl.make(gl.gen_vertex_arrays)
        gl.bind_vertex_array(self._vertex_array)
        gl.bind_vertex_buffer(0, self._rows.name, 0, 8 * 4)
        gl.bind_buffer(GL.GL_ELEMENT_ARRAY_BUFFER, self._order.name)
        for location in (0, 1):
            gl.enable_vertex_attrib_array(location)
            gl.vertex_attrib_format(location, 4, GL.GL_FLOAT, GL.GL_FALSE, 16 * location)
            gl.vertex_attrib_binding(location, 0)
        gl.bind_vertex_array(0)

    def load(self, fills: Sequence[Fill]) -> None:
        """Upload a scene's triangles."""
        self._rows.clear()
        self._make_room(sum(len(fill.triangles) for fill in fills))
        for fill in fills:
            start, number = self._rows.count, ANCHOR_NUMBERS[fill.anchor]
            vertices = self._rows.take(len(fill.triangles)).reshape(-1, 3, 8)
            vertices[:, :, 0:3] = fill.triangles
            vertices[:, :, 3] = number
            vertices[:, :, 4:8] = fill.colors[:, None]
            self._middles[start : self._rows.count, :3] = fill.find_middles()
            self._anchors[start : self._rows.count] = number
        self._rows.upload()

    def _make_room(self, count: int) -> None:
        if count > len(self._anchors):
            self._middles = np.ones((2 * count, 4), dtype=np.float32)
            self._anchors = np.zeros(2 * count, dtype=np.intp)

    def draw(self, block: EyeBlock) -> None:
        """Draw them from both sides as the eye of a block has them one behind the other; they hide nothing."""
        if self._rows.count:
            self._sort(block)
            gl.use_program(self._program)
            gl.bind_vertex_array(self._vertex_array)
            gl.depth_mask(False)
            gl.draw_elements(GL.GL_TRIANGLES, 3 * self._rows.count, GL.GL_UNSIGNED_INT, 0)
            gl.depth_mask(True)

    def _sort(self, block: EyeBlock) -> None:
        """Upload the order from the farthest area to the nearest; parts of one stay in their order."""
        anchors = self._anchors[: self._rows.count]
        distances = block.measure_distances(self._middles[: self._rows.count], anchors)
        # what moves with the head is in front of all that does not, however near
        distances[anchors == HEAD] = 0.0
        farthest_first = np.argsort(-distances, kind="stable")
        self._order.clear()
        order = self._order.take(len(farthest_first))
        np.add(3 * farthest_first[:, None], CORNERS, out=order, casting="unsafe")
        self._order.upload()

    def close(self) -> None:
        """Free what OpenGL holds for it."""
        gl.delete_program(self._program)
        gl.free(gl.delete_vertex_arrays, self._vertex_array)
        self._rows.close()
        self._order.close()
