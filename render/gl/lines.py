"""Lines of a scene."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from OpenGL import GL

from handhold.render.gl import functions as gl
from handhold.render.gl.anchors import ANCHOR_NUMBERS, number_layer_and_anchor, split_layers
from handhold.render.gl.call_list import CallList
from handhold.render.gl.element_rows import ElementRows
from handhold.render.gl.program import build_program
from handhold.render.scene import Lines

LINES_BINDING = 2
LINE_FLOATS = 16
"""Size of ``Line`` in ``line.vert``: start and width, end, layer and anchor, colour, the start's anchor and the dash."""


class LineRibbons:
    """Lines on the graphics card: those of the world, and then those of the layers before it."""

    def __init__(self, *, plain: bool = False) -> None:
        """Compile the shaders."""
        self._program = build_program("line", plain=plain)
        self._rows = ElementRows(LINE_FLOATS, _write)
        self._first_location = gl.get_uniform_location(self._program, b"first")
        self._in_world = 0
        self._vertex_array = gl.make(gl.gen_vertex_arrays)

    def load(self, lines: Sequence[Lines]) -> None:
        """Upload those of a scene's lines that were not in the last one."""
        in_world, lines = split_layers(lines)
        counts = [len(group.ends) for group in lines]
        self._in_world = sum(counts[:in_world])
        self._rows.load(lines, counts)

    @property
    def layout(self) -> tuple[object, ...]:
        """All that the calls depend on which draw them."""
        return self._in_world, self._rows.count

    def draw_world(self, calls: CallList) -> None:
        """Draw those of the world."""
        self._draw(calls, 0, self._in_world)

    def draw_interface(self, calls: CallList) -> None:
        """Draw those of the nearer layers."""
        self._draw(calls, self._in_world, self._rows.count)

    def _draw(self, calls: CallList, first: int, end: int) -> None:
        if first < end:
            calls(gl.use_program, self._program)
            calls(gl.uniform_1i, self._first_location, first)
            calls(gl.bind_vertex_array, self._vertex_array)
            calls(gl.bind_buffer_base, GL.GL_SHADER_STORAGE_BUFFER, LINES_BINDING, self._rows.name)
            calls(gl.draw_arrays_instanced, GL.GL_TRIANGLE_STRIP, 0, 4, end - first)

    def close(self) -> None:
        """Free what OpenGL holds for it."""
        gl.delete_program(self._program)
        gl.free(gl.delete_vertex_arrays, self._vertex_array)
        self._rows.close()


def _write(rows: np.ndarray, group: Lines, _number: int) -> None:
    rows[:, 0:3] = group.ends[:, 0]
    rows[:, 3] = group.width
    rows[:, 4:7] = group.ends[:, 1]
    rows[:, 7] = number_layer_and_anchor(group)
    rows[:, 8:12] = group.colors
    rows[:, 12] = ANCHOR_NUMBERS[group.anchor if group.starts_at is None else group.starts_at]
    rows[:, 13] = group.dash
