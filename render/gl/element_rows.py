"""Rows of the elements of one kind, one element after another, that stay on the graphics card from scene to scene."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Generic, TypeVar

import numpy as np
from OpenGL import GL

from handhold.render.gl import functions as gl

ElementT = TypeVar("ElementT")

Write = Callable[[np.ndarray, ElementT, int], None]
"""Writes an element into its rows, shape ``(count, columns)``, which hold what they held before; told its number as well."""


class ElementRows(Generic[ElementT]):
    """Rows in memory and in OpenGL's buffer, of which only what has changed is written and uploaded.

    Elements never change, so that the same object in the same rows is what it was: it costs one comparison. Rows follow the
    order of the elements, in which they are blended. What changes seldom should come first: an element that takes more or
    fewer rows than before moves all that follow it.

    Attributes:
        name: OpenGL's name of the buffer.
        count: Rows in use.
    """

    def __init__(self, columns: int, write: Write[ElementT], capacity: int = 256) -> None:
        """Make both, for rows of ``columns`` float32."""
        self.name, self._staging = gl.make(gl.gen_buffers), gl.make(gl.gen_buffers)
        self.count = 0
        self._write = write
        self._elements: list[ElementT] = []
        self._counts: list[int] = []
        self._starts = [0]
        self._rows = np.zeros((capacity, columns), dtype=np.float32)
        self._address = self._rows.ctypes.data
        self._stored = 0

    def load(self, elements: Sequence[ElementT], counts: list[int]) -> range:
        """Take the elements of a scene, each with the number of its rows; return which rows were written."""
        if counts == self._counts:
            changed = [i for i, (old, new) in enumerate(zip(self._elements, elements, strict=True)) if old is not new]
        else:
            changed = self._move(elements, counts)
        self._elements = list(elements)
        if not changed:
            return range(0)
        rows, starts, write = self._rows, self._starts, self._write
        for i in changed:
            write(rows[starts[i] : starts[i + 1]], elements[i], i)
        first, end = starts[changed[0]], starts[changed[-1] + 1]
        self._upload(first, end)
        return range(first, end)

    def find_first(self, number: int) -> int:
        """Return the first row of the element with a number."""
        return self._starts[number]

    def _move(self, elements: Sequence[ElementT], counts: list[int]) -> list[int]:
        """Give each element its rows; return the numbers of those that have others than before, or are others."""
        known, before, starts = self._elements, self._starts, [0, *accumulate(counts)]
        self._counts, self._starts, self.count = counts, starts, starts[-1]
        if self.count > len(self._rows):
            self._grow()
        old = len(known)
        return [i for i, new in enumerate(elements) if i >= old or known[i] is not new or before[i] != starts[i]]

    def _grow(self) -> None:
        rows = np.zeros((2 * self.count, self._rows.shape[1]), dtype=np.float32)
        rows[: len(self._rows)] = self._rows
        self._rows, self._address = rows, rows.ctypes.data

    def _upload(self, first: int, end: int) -> None:
        if first >= end:
            return
        stride, address = self._rows.strides[0], self._address
        gl.bind_buffer(GL.GL_ARRAY_BUFFER, self.name)
        if len(self._rows) != self._stored:
            self._stored = len(self._rows)
            gl.buffer_data(GL.GL_ARRAY_BUFFER, self._rows.nbytes, address, GL.GL_DYNAMIC_DRAW)
        else:
            size, offset = (end - first) * stride, first * stride
            # by way of other storage: the graphics card may be reading these rows for the frame before
            gl.bind_buffer(GL.GL_COPY_READ_BUFFER, self._staging)
            gl.buffer_data(GL.GL_COPY_READ_BUFFER, size, address + offset, GL.GL_STREAM_DRAW)
            gl.copy_buffer_sub_data(GL.GL_COPY_READ_BUFFER, GL.GL_ARRAY_BUFFER, 0, offset, size)

    def close(self) -> None:
        """Free OpenGL's buffer."""
        gl.free(gl.delete_buffers, self.name, self._staging)
