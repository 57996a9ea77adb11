"""Rows of numbers that are written anew for every scene."""

from __future__ import annotations

import numpy as np
from OpenGL import GL

from handhold.render.gl import functions as gl


class StreamBuffer:
    """Rows in memory that stays, and OpenGL's buffer that they are uploaded to all at once.

    Attributes:
        name: OpenGL's name of the buffer.
        count: Rows taken since it was last cleared.
    """

    def __init__(self, columns: int, dtype: type[np.generic] | np.dtype = np.float32, capacity: int = 64) -> None:
        """Make both, for rows of ``columns`` numbers."""
        self.name = gl.make(gl.gen_buffers)
        self.count = 0
        self._rows = np.zeros((capacity, columns), dtype=dtype)
        self._address = self._rows.ctypes.data

    def clear(self) -> None:
        """Forget all rows."""
        self.count = 0

    def take(self, count: int) -> np.ndarray:
        """Return the next rows to be written, shape ``(count, columns)``; they hold what they held before."""
        start, self.count = self.count, self.count + count
        if self.count > len(self._rows):
            self._grow()
        return self._rows[start : self.count]

    def _grow(self) -> None:
        rows = np.zeros((2 * self.count, self._rows.shape[1]), dtype=self._rows.dtype)
        rows[: len(self._rows)] = self._rows
        self._rows, self._address = rows, rows.ctypes.data

    def upload(self) -> None:
        """Hand all rows to OpenGL in storage of their own, so that nothing waits for frames that are still drawn."""
        if self.count:
            gl.bind_buffer(GL.GL_ARRAY_BUFFER, self.name)
            gl.buffer_data(GL.GL_ARRAY_BUFFER, self.count * self._rows.strides[0], self._address, GL.GL_STREAM_DRAW)

    def close(self) -> None:
        """Free OpenGL's buffer."""
        gl.free(gl.delete_buffers, self.name)
