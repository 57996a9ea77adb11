"""The cloud of points of a scene."""

from __future__ import annotations

import numpy as np
from OpenGL import GL

from handhold.render.gl import functions as gl
from handhold.render.gl.program import build_program
from handhold.render.gl.stream import StreamBuffer
from handhold.render.scene import Cloud

POINT_BYTES = 16
"""Position, three float32; colour and one byte to spare."""


class PointCloud:
    """Points on the graphics card, drawn by one call."""

    def __init__(self) -> None:
        """Compile the shaders."""
        self._program = build_program("point")
        self._size_location = gl.get_uniform_location(self._program, b"size")
        self._rows = StreamBuffer(POINT_BYTES, dtype=np.uint8)
        self._version: int | None = None
        self._size = 0.0
        self._vertex_array = gl.make(gl.gen_vertex_arrays)
        gl.bind_vertex_array(self._vertex_array)
        gl.bind_vertex_buffer(0, self._rows.name, 0, POINT_BYTES)
        attributes = ((3, GL.GL_FLOAT, GL.GL_FALSE, 0), (4, GL.GL_UNSIGNED_BYTE, GL.GL_TRUE, 12))
        for location, (size, kind, normalized, offset) in enumerate(attributes):
            gl.enable_vertex_attrib_array(location)
            gl.vertex_attrib_format(location, size, kind, normalized, offset)
            gl.vertex_attrib_binding(location, 0)
        gl.bind_vertex_array(0)

    def load(self, cloud: Cloud | None) -> None:
        """Upload a scene's cloud, if it is another one than before."""
        version = None if cloud is None else cloud.version
        if version != self._version:
            self._rows.clear()
            if cloud is not None:
                rows = self._rows.take(len(cloud.positions))
                rows[:, :12].view(np.float32)[:] = cloud.positions
                rows[:, 12:15] = cloud.colors
            self._rows.upload()
        self._version = version
        self._size = 0.0 if cloud is None else cloud.size

    def draw(self) -> None:
        """Draw them."""
        if self._rows.count:
            gl.use_program(self._program)
            gl.uniform_1f(self._size_location, self._size)
            gl.bind_vertex_array(self._vertex_array)
            gl.draw_arrays(GL.GL_POINTS, 0, self._rows.count)

    def close(self) -> None:
        """Free what OpenGL holds for it."""
        gl.delete_program(self._program)
        gl.free(gl.delete_vertex_arrays, self._vertex_array)
        self._rows.close()
