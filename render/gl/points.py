"""The cloud of points of a scene."""

from __future__ import annotations

import numpy as np
from OpenGL import GL

from handhold.render.gl import functions as gl
from handhold.render.gl.program import build_program
from handhold.render.gl.stream import StreamBuffer
from handhold.render.scene import Cloud

POSITION_BYTES, COLOR_BYTES = 12, 4
"""Of a point: three float32; red, green, blue and one byte to spare, because graphics cards want them aligned."""


class PointCloud:
    """Points on the graphics card, drawn by one call."""

    def __init__(self) -> None:
        """Compile the shaders."""
        self._program = build_program("point")
        self._size_location = gl.get_uniform_location(self._program, b"size")
        self._positions = gl.make(gl.gen_buffers)
        self._colors = StreamBuffer(COLOR_BYTES, dtype=np.uint8)
        self._version: int | None = None
        self._size = 0.0
        self._vertex_array = gl.make(gl.gen_vertex_arrays)
        gl.bind_vertex_array(self._vertex_array)
        gl.bind_vertex_buffer(0, self._positions, 0, POSITION_BYTES)
        gl.bind_vertex_buffer(1, self._colors.name, 0, COLOR_BYTES)
        for location, form in enumerate(((3, GL.GL_FLOAT, GL.GL_FALSE), (4, GL.GL_UNSIGNED_BYTE, GL.GL_TRUE))):
            gl.enable_vertex_attrib_array(location)
            gl.vertex_attrib_format(location, *form, 0)
            gl.vertex_attrib_binding(location, location)
        gl.bind_vertex_array(0)

    def load(self, cloud: Cloud | None) -> None:
        """Upload a scene's cloud, if it is another one than before."""
        version = None if cloud is None else cloud.version
        if version != self._version:
            self._colors.clear()
            if cloud is not None:
                self._upload(cloud)
        self._version = version
        self._size = 0.0 if cloud is None else cloud.size

    def _upload(self, cloud: Cloud) -> None:
        positions = np.ascontiguousarray(cloud.positions, dtype=np.float32)
        gl.bind_buffer(GL.GL_ARRAY_BUFFER, self._positions)
        gl.buffer_data(GL.GL_ARRAY_BUFFER, positions.nbytes, positions.ctypes.data, GL.GL_STREAM_DRAW)
        rows = self._colors.take(len(cloud.colors))
        # Column by column: 30 000 rows of three cost numpy four times as much.
        for channel in range(3):
            rows[:, channel] = cloud.colors[:, channel]
        self._colors.upload()

    def draw(self) -> None:
        """Draw them."""
        if self._colors.count:
            gl.use_program(self._program)
            gl.uniform_1f(self._size_location, self._size)
            gl.bind_vertex_array(self._vertex_array)
            gl.draw_arrays(GL.GL_POINTS, 0, self._colors.count)

    def close(self) -> None:
        """Free what OpenGL holds for it."""
        gl.delete_program(self._program)
        gl.free(gl.delete_vertex_arrays, self._vertex_array)
        gl.free(gl.delete_buffers, self._positions)
        self._colors.close()
