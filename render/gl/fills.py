"""Filled triangles of a scene, blended from the farthest to the nearest of the head."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit
from OpenGL import GL

from handhold.render.gl import functions as gl
from handhold.render.gl.anchors import ANCHOR_MASK, ANCHOR_NUMBERS, number_layer_and_anchor, split_layers
from handhold.render.gl.call_list import CallList
from handhold.render.gl.element_rows import ElementRows
from handhold.render.gl.eye import EyeBlock
from handhold.render.gl.program import build_program
from handhold.render.gl.stream import StreamBuffer
from handhold.render.scene import Anchor, Fill

TRIANGLE_FLOATS = 24
"""Three vertices of ``fill.vert``: position, layer and anchor, colour."""
HEAD = ANCHOR_NUMBERS[Anchor.HEAD]
MOVED = 0.01
"""How far head and hands may go before areas are sorted again [m]: two that lie as close behind each other look alike."""


class FilledTriangles:
    """Filled triangles on the graphics card: those of the world, and then those of the layers before it."""

    def __init__(self, *, plain: bool = False) -> None:
        """Compile the shaders."""
        self._program = build_program("fill", plain=plain)
        self._rows = ElementRows(TRIANGLE_FLOATS, self._write)
        self._order = StreamBuffer(3, dtype=np.uint32)
        self._positions = np.zeros((0, 4), dtype=np.float32)
        self._sorted_from = np.full((5, 3), np.inf, dtype=np.float32)
        self._sorted, self._in_world = 0, 0
        # compiled now: no frame must wait for it
        _has_moved(EyeBlock().world_from_anchor, self._sorted_from)
        _sort(self._positions, EyeBlock().world_from_anchor, 0, self._order.take(0))
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
        """Upload those of a scene's triangles that were not in the last one."""
        in_world, fills = split_layers(fills)
        counts = [len(fill.triangles) for fill in fills]
        self._in_world = sum(counts[:in_world])
        if self._rows.load(fills, counts) or self._sorted != self._rows.count:
            self._sorted = self._rows.count
            self._sorted_from[:] = np.inf

    def _write(self, rows: np.ndarray, fill: Fill, number: int) -> None:
        """Write the triangles of an element, and what they are sorted by: their areas' middles and what these move with."""
        layer_and_anchor = number_layer_and_anchor(fill)
        vertices = rows.reshape(-1, 3, 8)
        vertices[:, :, 0:3] = fill.triangles
        vertices[:, :, 3] = layer_and_anchor
        vertices[:, :, 4:8] = fill.colors[:, None]
        if self._rows.count > len(self._positions):
            self._positions = np.vstack(
                [self._positions, np.zeros((2 * self._rows.count - len(self._positions), 4), dtype=np.float32)]
            )
        first = self._rows.find_first(number)
        positions = self._positions[first : first + len(rows)]
        positions[:, :3] = fill.find_middles()
        positions[:, 3] = layer_and_anchor & ANCHOR_MASK

    def sort(self, block: EyeBlock) -> None:
        """Upload the order in which the head of a block has them, unless nothing has moved since it was last sorted.

        It is from the farthest area to the nearest, the world's first; parts of one area stay in their order. Both eyes take
        the order of the head between them.
        """
        count = self._rows.count
        if not count or not _has_moved(block.world_from_anchor, self._sorted_from):
            return
        self._order.clear()
        order = self._order.take(count)
        _sort(self._positions[:count], block.world_from_anchor, self._in_world, order)
        self._order.upload()

    @property
    def layout(self) -> tuple[object, ...]:
        """All that the calls depend on which draw them."""
        return self._in_world, self._rows.count

    def draw_world(self, calls: CallList) -> None:
        """Draw those of the world from both sides, in the order last sorted; they hide nothing."""
        self._draw(calls, 0, self._in_world)

    def draw_interface(self, calls: CallList) -> None:
        """Draw those of the nearer layers, likewise."""
        self._draw(calls, self._in_world, self._rows.count)

    def _draw(self, calls: CallList, first: int, end: int) -> None:
        if first < end:
            calls(gl.use_program, self._program)
            calls(gl.bind_vertex_array, self._vertex_array)
            calls(gl.depth_mask, False)
            calls(gl.draw_elements, GL.GL_TRIANGLES, 3 * (end - first), GL.GL_UNSIGNED_INT, 3 * 4 * first)
            calls(gl.depth_mask, True)

    def close(self) -> None:
        """Free what OpenGL holds for it."""
        gl.delete_program(self._program)
        gl.free(gl.delete_vertex_arrays, self._vertex_array)
        self._rows.close()
        self._order.close()


@njit(cache=True)
def _has_moved(world_from_anchor: np.ndarray, last: np.ndarray) -> bool:
    """Say whether an anchor has moved by more than ``MOVED`` since it last had; and note then where all are."""
    moved = False
    for k in range(len(last)):
        for i in range(3):
            moved = moved or not abs(world_from_anchor[k, i, 3] - last[k, i]) <= MOVED
    if moved:
        last[:] = world_from_anchor[:, :3, 3]
    return moved


@njit(cache=True)
def _sort(positions: np.ndarray, world_from_anchor: np.ndarray, in_world: int, order: np.ndarray) -> None:
    """Write the corners of triangles, farthest first, the first ``in_world`` of them before all others.

    Args:
        positions: Middle of each one's area in the frame of an anchor, and the anchor's number, shape ``(triangles, 4)``.
        world_from_anchor: Where the anchors are, shape ``(anchors, 4, 4)``.
        in_world: Triangles of the world, which come first.
        order: The corners' numbers, shape ``(triangles, 3)``; written.
    """
    count = len(positions)
    nearness = np.empty(count)
    for k in range(count):
        pose = world_from_anchor[int(positions[k, 3])]
        nearness[k] = 0.0
        for i in range(3):
            position = pose[i, 0] * positions[k, 0] + pose[i, 1] * positions[k, 1] + pose[i, 2] * positions[k, 2] + pose[i, 3]
            nearness[k] -= (position - world_from_anchor[HEAD, i, 3]) ** 2
    for first, end in ((0, in_world), (in_world, count)):
        farthest_first = np.argsort(nearness[first:end], kind="mergesort")
        for k in range(end - first):
            for i in range(3):
                order[first + k, i] = 3 * (first + farthest_first[k]) + i
