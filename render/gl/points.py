"""The cloud of points of a scene."""

from __future__ import annotations

import numpy as np
from OpenGL import GL

from handhold.render.gl import functions as gl
from handhold.render.gl.call_list import CallList
from handhold.render.gl.program import build_program
from handhold.render.scene import Cloud

POSITION_BYTES = 12
"""Of a point: three float32."""
COLORS_BINDING = 6
WORD = 4
"""Colours are read in words of so many bytes, across which points of three bytes lie: graphics cards want them aligned, and to
lay out 30 000 points anew takes the processor a sixth of a frame."""


class PointCloud:
    """Points on the graphics card, drawn by one call."""

    def __init__(self) -> None:
        """Compile the shaders."""
        self._program = build_program("point")
        self._size_location = gl.get_uniform_location(self._program, b"size")
        self._positions = gl.make(gl.gen_buffers)
        self._colors = gl.make(gl.gen_buffers)
        self._count = 0
        self._version: int | None = None
        self._size = 0.0
        self._vertex_array = gl.make(gl.gen_vertex_arrays)
        gl.bind_vertex_array(self._vertex_array)
        gl.bind_vertex_buffer(0, self._positions, 0, POSITION_BYTES)
        gl.enable_vertex_attrib_array(0)
        gl.vertex_attrib_format(0, 3, GL.GL_FLOAT, GL.GL_FALSE, 0)
        gl.vertex_attrib_binding(0, 0)
        gl.bind_vertex_array(0)

    def load(self, cloud: Cloud | None) -> None:
        """Upload a scene's cloud, if it is another one than before."""
        version = None if cloud is None else cloud.version
        if version != self._version:
            self._count = 0 if cloud is None else len(cloud.positions)
            if cloud is not None:
                self._upload(cloud)
        self._version = version
        self._size = 0.0 if cloud is None else cloud.size

    def _upload(self, cloud: Cloud) -> None:
        positions = np.ascontiguousarray(cloud.positions, dtype=np.float32)
        colors = np.ascontiguousarray(cloud.colors, dtype=np.uint8).reshape(-1)
        if colors.nbytes % WORD:
            colors = np.pad(colors, (0, -colors.nbytes % WORD))
        for buffer, rows in ((self._positions, positions), (self._colors, colors)):
            gl.bind_buffer(GL.GL_ARRAY_BUFFER, buffer)
            gl.buffer_data(GL.GL_ARRAY_BUFFER, rows.nbytes, rows.ctypes.data, GL.GL_STREAM_DRAW)

    @property
    def layout(self) -> tuple[object, ...]:
        """All that the calls depend on which draw them."""
        return self._count, self._size

    def draw(self, calls: CallList) -> None:
        """Draw them."""
        if self._count:
            calls(gl.use_program, self._program)
            calls(gl.uniform_1f, self._size_location, self._size)
            calls(gl.bind_vertex_array, self._vertex_array)
            calls(gl.bind_buffer_base, GL.GL_SHADER_STORAGE_BUFFER, COLORS_BINDING, self._colors)
            calls(gl.draw_arrays, GL.GL_POINTS, 0, self._count)

    def close(self) -> None:
        """Free what OpenGL holds for it."""
        gl.delete_program(self._program)
        gl.free(gl.delete_vertex_arrays, self._vertex_array)
        gl.free(gl.delete_buffers, self._positions, self._colors)
