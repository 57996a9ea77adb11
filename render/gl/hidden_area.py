"""The part of an eye's picture that its lens hides, marked so that nothing is shaded there."""

from __future__ import annotations

import numpy as np
from OpenGL import GL

from handhold.render.gl import functions as gl
from handhold.render.gl.call_list import CallList
from handhold.render.gl.program import build_program


class HiddenArea:
    """Fills what cannot be seen with black at the nearest depth, behind which all that follows is thrown away early."""

    def __init__(self) -> None:
        """Compile the shaders."""
        self._program = build_program("hidden")
        self._buffer = gl.make(gl.gen_buffers)
        self._vertex_array = gl.make(gl.gen_vertex_arrays)
        gl.bind_vertex_array(self._vertex_array)
        gl.bind_vertex_buffer(0, self._buffer, 0, 2 * 4)
        gl.enable_vertex_attrib_array(0)
        gl.vertex_attrib_format(0, 2, GL.GL_FLOAT, GL.GL_FALSE, 0)
        gl.vertex_attrib_binding(0, 0)
        gl.bind_vertex_array(0)

    def load(self, triangles: np.ndarray) -> None:
        """Upload what an eye's lens hides.

        Args:
            triangles: Corners as tangents to the right and up, shape ``(k, 3, 2)``, k > 0.
        """
        corners = np.ascontiguousarray(triangles, dtype=np.float32)
        gl.bind_buffer(GL.GL_ARRAY_BUFFER, self._buffer)
        gl.buffer_data(GL.GL_ARRAY_BUFFER, corners.nbytes, corners.ctypes.data, GL.GL_STREAM_DRAW)

    def draw(self, calls: CallList, corners: int) -> None:
        """Draw so many corners before all else."""
        calls(gl.use_program, self._program)
        calls(gl.bind_vertex_array, self._vertex_array)
        calls(gl.draw_arrays, GL.GL_TRIANGLES, 0, corners)

    def close(self) -> None:
        """Free what OpenGL holds for it."""
        gl.delete_program(self._program)
        gl.free(gl.delete_vertex_arrays, self._vertex_array)
        gl.free(gl.delete_buffers, self._buffer)
