"""The grid of solids as lines, for viewers without shaders of their own."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from handhold.render.scene import Lines, Shape, Solids

LINE_WIDTH = 0.006
"""Width of the lines [m]."""

LINE_COLOR = np.array([0.12, 0.13, 0.15, 1.0], dtype=np.float32)

OFF_THE_FACE = 0.002
"""Distance of the lines from the faces [m], so that they do not sink into them."""

_RING = 32
"""Pieces of a ring around a cylinder."""


def list_grid_lines(solids: Solids) -> Lines | None:
    """Return the lines on boxes and cylinders that have a grid; None where there are none."""
    if solids.grid <= 0.0 or solids.shape not in (Shape.BOX, Shape.CYLINDER):
        return None
    make = _grid_box if solids.shape is Shape.BOX else _grid_cylinder
    ends = [_place(transform.astype(float), make, solids.grid) for transform in solids.transforms]
    rows = np.concatenate(ends).astype(np.float32)
    if not len(rows):
        return None
    colors = np.repeat(LINE_COLOR[None], len(rows), axis=0)
    return Lines(ends=rows, colors=colors, width=LINE_WIDTH, anchor=solids.anchor, in_front=solids.in_front)


def _place(transform: np.ndarray, make: Callable[[np.ndarray, float], np.ndarray], grid: float) -> np.ndarray:
    """Return the lines of one solid in its anchor's frame, shape ``(k, 2, 3)`` [m]."""
    sizes = np.maximum(np.linalg.norm(transform[:3, :3], axis=0), 1e-9)
    placed: np.ndarray = make(sizes, grid) @ (transform[:3, :3] / sizes).T + transform[:3, 3]
    return placed


def _list_ticks(length: float, grid: float) -> np.ndarray:
    """Return where lines are along an axis: at the multiples of the grid from the middle, within the faces."""
    max_index = math.floor((0.5 * length - 1e-6) / grid)
    return grid * np.arange(-max_index, max_index + 1)


def _grid_box(sizes: np.ndarray, grid: float) -> np.ndarray:
    half = 0.5 * sizes
    lines = []
    for normal in range(3):
        for along, across in ((normal + 1, normal + 2), (normal + 2, normal + 1)):
            for tick in _list_ticks(sizes[across % 3], grid):
                for sign in (1.0, -1.0):
                    start = np.zeros(3)
                    start[normal], start[across % 3] = sign * (half[normal] + OFF_THE_FACE), tick
                    start[along % 3] = half[along % 3]
                    end = start.copy()
                    end[along % 3] = -half[along % 3]
                    lines.append((start, end))
    return np.array(lines).reshape(-1, 2, 3)


def _grid_cylinder(sizes: np.ndarray, grid: float) -> np.ndarray:
    angles = np.linspace(0.0, math.tau, _RING + 1)
    circle = np.column_stack([np.cos(angles), np.sin(angles)]) * (0.5 * sizes[:2] + OFF_THE_FACE)
    rings = [np.column_stack([circle, np.full(_RING + 1, tick)]) for tick in _list_ticks(sizes[2], grid)]
    return np.array([np.stack([ring[:-1], ring[1:]], axis=1) for ring in rings]).reshape(-1, 2, 3)
