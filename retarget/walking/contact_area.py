r"""Contact area of a sole on known ground: how much of it is supported, and on which rectangle.

A sole that comes down flat stands on the surface of its highest point. Points of a grid over the sole are supported that
are within ``FLAT`` of that surface's plane; the largest rectangle of them is where its centre of pressure may be.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numba import njit

from handhold.retarget.walking.ground_survey import PackedSurfaces, Survey, survey, survey_point

FLAT = 0.008
"""Height over or under the surface that a sole stands on up to which ground supports it, too [m]."""

BESIDE = 0.02
"""How far beside a sole there must be no higher ground either [m]: as exactly as a foot comes down, and is lifted."""

HIDDEN, HIDDEN_STEP = 0.2, 0.04
"""How far beyond a sole an edge may hide lower ground, and the steps in which it is looked for [m].

A camera 1.6 m high and 1 m away does not see 19 cm below an edge of 30 cm.
"""

ROWS, COLUMNS = 8, 13
"""Points of the grid along and across a sole."""

BISECTIONS, PROBES = 5, 4
"""How often a cell is halved to find where the ground ends, and points of a side that are checked."""

MIN_FOOTHOLD_RATIO = 0.62
"""Least supported part of a sole where a foot is to be put [-]."""

KEPT_FOOTHOLD_RATIO = 0.605
"""The same where a foot is on its way to already [-]: the ratio hovers at the least one as the support foot turns."""

MIN_CELL_RATIO = 0.8
"""Part of that which must be supported by its cells' middles, for the contact area to be measured in full [-]."""

Rectangle = tuple[float, float, float, float]
"""From which row to which, and from which column to which, in cells."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactArea:
    """Supported rectangle of a sole.

    Attributes:
        ratio: Part of it [-].
        displacement: From the sole's middle to the rectangle's, in the sole's frame [m].
        half_lengths: Of the rectangle [m].
        height: Of the supporting surface, under the sole's middle [m]; NaN where none is known.
    """

    ratio: float
    displacement: tuple[float, float] = (0.0, 0.0)
    half_lengths: tuple[float, float]
    height: float = math.nan


def list_points(half_lengths: np.ndarray) -> np.ndarray:
    """Return points of a sole, shape ``(k, 2)`` [m]: its cells' middles, row by row from the heel on, then ``BESIDE`` it."""
    along = half_lengths[0] * ((np.arange(ROWS) + 0.5) / ROWS * 2.0 - 1.0)
    across = half_lengths[1] * ((np.arange(COLUMNS) + 0.5) / COLUMNS * 2.0 - 1.0)
    cells = np.stack(np.meshgrid(along, across, indexing="ij"), axis=-1).reshape(-1, 2)
    fractions = np.array([-1.0, -0.33, 0.33, 1.0])
    rim = np.array([(x, y) for x in fractions for y in fractions if max(abs(x), abs(y)) == 1.0])
    return np.vstack([cells, rim * (half_lengths + BESIDE)])


def measure_contact_area(points: np.ndarray, height: float, packed: PackedSurfaces, half_lengths: np.ndarray) -> ContactArea:
    """Measure the contact area of a sole.

    Args:
        points: In world, of ``list_points``, shape ``(k, 2)`` [m].
        height: Of the ground next to it [m].
        packed: Surfaces, of ``pack_surfaces``.
        half_lengths: Of the sole [m].
    """
    (first_row, last_row, first_column, last_column), owner = find_rectangle(points, height, packed, 0.0)
    rows, columns = last_row - first_row, last_column - first_column
    middle = (first_row + last_row) / ROWS - 1.0, (first_column + last_column) / COLUMNS - 1.0
    return ContactArea(
        ratio=rows * columns / (ROWS * COLUMNS),
        displacement=(float(half_lengths[0] * middle[0]), float(half_lengths[1] * middle[1])),
        half_lengths=(float(half_lengths[0] * rows / ROWS), float(half_lengths[1] * columns / COLUMNS)),
        height=math.nan if owner < 0 else float(find_level(points[: ROWS * COLUMNS].mean(axis=0), packed[0][owner])),
    )


@njit(cache=True)
def rate_footholds(
    sole: np.ndarray, positions: np.ndarray, height: float, packed: PackedSurfaces
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rate footholds of a sole.

    Args:
        sole: Points of ``list_points`` from its middle, turned as it is in world, shape ``(k, 2)`` [m].
        positions: Of its middle in world, shape ``(positions, 2)`` [m].
        height: Of the ground next to it [m].
        packed: Surfaces, of ``pack_surfaces``.

    Returns:
        Supported parts of it, parts of what is beside it that would be, heights of the surface, NaN where nothing is known,
        shape ``(positions,)`` each [-], [-], [m].
    """
    ratios, rims, levels = np.zeros(len(positions)), np.ones(len(positions)), np.zeros(len(positions))
    cells = ROWS * COLUMNS
    for index in range(len(positions)):
        points = sole + positions[index]
        surveyed = survey(points, height, packed)
        unknown = find_unknown_height(points, surveyed, height, packed)
        (first_row, last_row, first_column, last_column), owner = find_contact_rectangle(
            points, surveyed, height, unknown, packed, MIN_CELL_RATIO * MIN_FOOTHOLD_RATIO
        )
        ratios[index] = (last_row - first_row) * (last_column - first_column) / cells
        if owner < 0:
            levels[index] = np.nan
            continue
        plane, (heights, _, deep, _) = packed[0][owner], surveyed
        levels[index] = find_level(0.5 * (points[cells] + points[-1]), plane)
        for k in range(cells, len(points)):
            if deep[k] or not is_level(points[k], heights[k], unknown, plane):
                rims[index] -= 1.0 / (len(points) - cells)
    return ratios, rims, levels


@njit(cache=True)
def find_level(point: np.ndarray, plane: np.ndarray) -> float:
    """Return the height of a plane z = a x + b y + c at a point seen from above [m]."""
    return plane[0] * point[0] + plane[1] * point[1] + plane[2]


@njit(cache=True)
def find_unknown_height(points: np.ndarray, surveyed: Survey, height: float, packed: PackedSurfaces) -> float:
    """Return the height that is assumed of ground under a sole that is unknown [m].

    It is as high as that next to the sole, unless lower ground is the next that is known beyond it: the ground falls off
    somewhere in what is unknown between the two (an edge hides what is below it), and all of that may be lower: -inf.

    Args:
        points: In world, of ``list_points``, shape ``(k, 2)`` [m].
        surveyed: What ``survey`` found at them.
        height: Of the ground next to it [m].
        packed: Surfaces, of ``pack_surfaces``.
    """
    heights, owners, deep, _ = surveyed
    if deep.any():
        return -np.inf
    owner = owners[np.argmax(heights)]
    if owner < 0 or (owners >= 0).all():
        return height
    plane = packed[0][owner]
    for k in range(len(points)):
        if heights[k] > -np.inf and heights[k] < find_level(points[k], plane) - FLAT:
            return -np.inf
    middle = 0.5 * (points[ROWS * COLUMNS] + points[-1])
    for k in range(ROWS * COLUMNS, len(points)):
        if owners[k] < 0 and falls_off(points[k], points[k] - middle, height, plane, packed):
            return -np.inf
    return height


@njit(cache=True)
def falls_off(start: np.ndarray, outward: np.ndarray, height: float, plane: np.ndarray, packed: PackedSurfaces) -> bool:
    """Whether the first ground that is known from a point outwards, within ``HIDDEN``, is lower than a sole's plane.

    Args:
        start: Seen from above, shape ``(2,)`` [m].
        outward: Direction, of any length, shape ``(2,)``.
        height: Of the ground next to the sole [m].
        plane: The sole's, as z = a x + b y + c.
        packed: Surfaces, of ``pack_surfaces``.
    """
    step = outward * (HIDDEN_STEP / np.sqrt(outward[0] ** 2 + outward[1] ** 2))
    for k in range(1, int(HIDDEN / HIDDEN_STEP) + 1):
        point = start + k * step
        z, owner, deep, _ = survey_point(point[0], point[1], height, packed)
        if deep:
            return True
        if owner >= 0:
            return z < find_level(point, plane) - FLAT
    return False


@njit(cache=True)
def is_level(point: np.ndarray, z: float, unknown: float, plane: np.ndarray) -> bool:
    """Whether the ground at a point lies in the plane of a sole.

    Args:
        point: Seen from above [m].
        z: Height of the ground there, -inf where it is unknown [m].
        unknown: What is assumed of it where it is unknown, of ``find_unknown_height`` [m].
        plane: The sole's, as z = a x + b y + c.
    """
    return abs((z if z > -np.inf else unknown) - find_level(point, plane)) <= FLAT


@njit(cache=True)
def find_rectangle(points: np.ndarray, height: float, packed: PackedSurfaces, min_ratio: float) -> tuple[Rectangle, int]:
    """Find the largest supported rectangle of a sole's grid, and its surface (see ``find_contact_rectangle``).

    Args:
        points: In world, of ``list_points``, shape ``(k, 2)`` [m].
        height: Of the ground next to it [m].
        packed: Surfaces, of ``pack_surfaces``.
        min_ratio: Part of the sole's cells below which no rectangle is sought [-].
    """
    surveyed = survey(points, height, packed)
    unknown = find_unknown_height(points, surveyed, height, packed)
    return find_contact_rectangle(points, surveyed, height, unknown, packed, min_ratio)


@njit(cache=True)
def find_contact_rectangle(
    points: np.ndarray, surveyed: Survey, height: float, unknown: float, packed: PackedSurfaces, min_ratio: float
) -> tuple[Rectangle, int]:
    """Find the largest supported rectangle of a sole's grid and its surface; empty where less than ``min_ratio`` is supported.

    Where an obstacle meets the sole nothing is supported. What is unknown is taken for ground as high as that next to it,
    unless that falls off: it supports a sole that is put down on that level, and none that is to stand higher or lower.

    Args:
        points: In world, of ``list_points``, shape ``(k, 2)`` [m].
        surveyed: What ``survey`` found at them.
        height: Of the ground next to it [m].
        unknown: What is assumed of ground that is unknown, of ``find_unknown_height`` [m].
        packed: Surfaces, of ``pack_surfaces``.
        min_ratio: Part of the sole's cells below which no rectangle is sought [-].

    Returns:
        From which row to which, and from which column to which, in cells; index of the surface, -1 where none is known.
    """
    nothing = (0.0, 0.0, 0.0, 0.0)
    planes, cells = packed[0], ROWS * COLUMNS
    heights, owners, deep, high = surveyed
    if high.any():
        return nothing, -1
    owner = owners[np.argmax(heights)]
    supported = ~deep[:cells]
    if owner >= 0:
        for k in range(cells):
            supported[k] &= is_level(points[k], heights[k], unknown, planes[owner])
    count = supported.sum()
    if count == 0 or count < min_ratio * cells:
        return nothing, owner
    if count == cells:
        return (0.0, float(ROWS), 0.0, float(COLUMNS)), owner
    first_row, last_row, first_column, last_column = find_largest(supported.reshape((ROWS, COLUMNS)))
    rectangle = (float(first_row), last_row + 1.0, float(first_column), last_column + 1.0)
    return (rectangle if owner < 0 else refine(rectangle, points, height, unknown, packed, owner)), owner


@njit(cache=True)
def find_largest(supported: np.ndarray) -> tuple[int, int, int, int]:
    """Find the largest rectangle of supported cells: first and last row, first and last column; the last before the first.

    Args:
        supported: Whether each is, shape ``(rows, columns)``.
    """
    rows, columns = supported.shape
    deepest = np.zeros(columns, dtype=np.int64)
    best, found = 0, (0, -1, 0, -1)
    for s in range(rows):
        for c in range(columns):
            deepest[c] = deepest[c] + 1 if supported[s, c] else 0
        for c in range(columns):
            depth = rows
            for d in range(c, columns):
                depth = min(depth, deepest[d])
                if depth == 0:
                    break
                if depth * (d - c + 1) > best:
                    best, found = depth * (d - c + 1), (s - depth + 1, s, c, d)
    return found


@njit(cache=True)
def refine(
    rectangle: Rectangle, points: np.ndarray, height: float, unknown: float, packed: PackedSurfaces, owner: int
) -> Rectangle:
    """Move the sides of a rectangle of cells to where the ground ends: each lies less than a cell's half from there.

    Args:
        rectangle: From which row to which, and from which column to which, in cells.
        points: In world, of ``list_points``, shape ``(k, 2)`` [m].
        height: Of the ground next to it [m].
        unknown: What is assumed of ground that is unknown, of ``find_unknown_height`` [m].
        packed: Surfaces, of ``pack_surfaces``.
        owner: The supporting surface.
    """
    sides = np.array(rectangle)
    for side in (2, 3, 0, 1):
        outward = 1.0 if side % 2 else -1.0
        of_row = side < 2
        first, last = (sides[2], sides[3]) if of_row else (sides[0], sides[1])
        inside, outside = sides[side] - 0.5 * outward, sides[side] + 0.5 * outward
        end = 0.0 if outward < 0.0 else float(ROWS if of_row else COLUMNS)
        if sides[side] == end:
            outside = end
        for k in range(1 + BISECTIONS):
            # The sole's own edge first: mostly it is supported, too.
            at = outside if k == 0 else 0.5 * (inside + outside)
            if is_supported_along(at, first, last, of_row, points, height, unknown, packed, owner):
                inside = at
                if k == 0:
                    break
            else:
                outside = at
        sides[side] = inside
    return sides[0], sides[1], sides[2], sides[3]


@njit(cache=True)
def is_supported_along(
    at: float,
    first: float,
    last: float,
    of_row: bool,
    points: np.ndarray,
    height: float,
    unknown: float,
    packed: PackedSurfaces,
    owner: int,
) -> bool:
    """Whether a line across a sole is supported, at a row or else a column and from one column or row to another, in cells."""
    origin, along, across = points[0], points[COLUMNS] - points[0], points[1] - points[0]
    for j in range(PROBES):
        # Not quite at the corners: there it is the next sides' to find out.
        other = first + (last - first) * (j + 0.5) / PROBES
        row, column = (at, other) if of_row else (other, at)
        point = origin + (row - 0.5) * along + (column - 0.5) * across
        z, _, deep, _ = survey_point(point[0], point[1], height, packed)
        if deep or not is_level(point, z, unknown, packed[0][owner]):
            return False
    return True
