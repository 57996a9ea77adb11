"""What is known of the ground: how high it is and how it tilts where a sole is to stand."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pinocchio as pin
from numba import njit

from handhold.perception.surface import Surface
from handhold.robots.contact import compute_sole_corners
from handhold.robots.polygon import is_inside

STEEPEST = math.cos(math.radians(15.0))
"""Least z of a surface's normal on which one stands [-]."""

MOST_CLIMB = 0.08
"""Largest height over or under the other foot on which one stands [m]."""

COVER = 1.0
"""Height over the ground up to which what lies over it keeps a robot's legs from standing there [m]."""

UNEVEN = 0.015
"""Largest difference in height of what lies under a sole that is no edge to it [m]."""

BESIDE = 0.02
"""How far beside a sole there must be no edge either [m]: as exactly as a foot comes down, and is lifted."""

OUT = 6
"""Steps of a way on which a sole that is barred where it is may still be so [-]: of 5 cm each: more than its length."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Foothold:
    """How a sole stands on the ground that is known.

    Attributes:
        height: Of its middle in world [m].
        roll: Tilt about its x axis [rad].
        pitch: Tilt about its y axis [rad].
        surfaces: On how many surfaces: none where nothing is known, more than one over an edge.
    """

    height: float
    roll: float = 0.0
    pitch: float = 0.0
    surfaces: int = 0


class GroundMap:
    """The surfaces that one can stand on."""

    def __init__(self, surfaces: tuple[Surface, ...], half_lengths: np.ndarray) -> None:
        """Choose them.

        Args:
            surfaces: What is known of the surroundings.
            half_lengths: Of a sole, shape ``(2,)`` [m].
        """
        surfaces = tuple(surface for surface in surfaces if surface.pose[2, 2] > STEEPEST)
        self._surfaces = surfaces
        self._packed = pack_surfaces(surfaces)
        corners = compute_sole_corners((float(half_lengths[0]), float(half_lengths[1])), 0.0)
        self._points = np.vstack([np.zeros(2), corners[:, :2]])
        self._points_beside = self._points + BESIDE * np.sign(self._points)

    def find_foothold(self, place: np.ndarray, yaw: float, height: float) -> Foothold:
        """Find how a sole would stand.

        A sole on one surface stands as that is tilted. Over an edge it is put down level, as high as the highest of what is
        under its corners; where nothing is known, as high as the other foot stands.

        Args:
            place: Of its middle seen from above, shape ``(2,)`` [m].
            yaw: Its orientation [rad].
            height: Where the other foot stands [m].
        """
        points = _place_points(self._points, place, yaw)
        heights, owners, _ = survey(points, height, self._packed)
        if not np.isfinite(heights).any():
            return Foothold(height=height)
        if owners.min() == owners.max() and owners[0] >= 0:
            return _stand_on(self._surfaces[owners[0]], float(heights[0]), yaw)
        return Foothold(height=float(heights[np.isfinite(heights)].max()), surfaces=2)

    def find_even(self, places: np.ndarray, yaw: float, height: float) -> int | None:
        """Find the first of places, shape ``(k, 2)``, where no edge lies under a sole or beside it; None for no such.

        Args:
            places: Of its middle seen from above [m].
            yaw: Its orientation [rad].
            height: Where the other foot stands [m].
        """
        found = find_even(_place_points(self._points_beside, places, yaw), height, self._packed)
        return None if found < 0 else int(found)

    def count_free(self, places: np.ndarray, yaws: np.ndarray, height: float) -> int:
        """Count how many steps of a way are free, from its beginning on: at none is it too high or too low for a sole.

        A sole that is barred where it is, its tip under a table or over an edge, may come free within ``OUT`` steps.

        Args:
            places: Of the soles' middles seen from above, where they are and further on, shape ``(steps, soles, 2)`` [m].
            yaws: Their orientations, shape ``(steps, soles)`` [rad].
            height: Of the ground that the robot stands on [m].
        """
        points = _place_points(self._points, places, yaws)
        return int(count_free(points, height, self._packed))

    def measure_relief(self, places: np.ndarray, yaws: np.ndarray, height: float) -> float:
        """Measure how far apart the highest and the lowest of the ground on a way are, as far as one can step on it [m].

        Args:
            places: Of the soles' middles seen from above, where they are and further on, shape ``(steps, soles, 2)`` [m].
            yaws: Their orientations, shape ``(steps, soles)`` [rad].
            height: Of the ground that the robot stands on [m].
        """
        points = _place_points(self._points, places, yaws)
        return float(measure_relief(points, height, self._packed))


def _place_points(points: np.ndarray, places: np.ndarray, yaws: float | np.ndarray) -> np.ndarray:
    """Return points of soles seen from above, shape ``(..., k, 2)`` [m]."""
    c, s = np.cos(yaws), np.sin(yaws)
    turned = np.moveaxis(np.array([[c, s], [-s, c]]), (0, 1), (-2, -1))
    return np.asarray(places[..., None, :] + points @ turned)


PackedSurfaces = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""Surfaces for compiled code, as ``pack_surfaces`` returns them."""


def pack_surfaces(surfaces: tuple[Surface, ...]) -> PackedSurfaces:
    """Return what compiled code needs of surfaces that are seen from above.

    Returns:
        a, b, c of each one's plane z = a x + b y + c, shape ``(surfaces, 3)``; the corners of all, one after the other, shape
        ``(corners, 2)`` [m]; where those of each end, shape ``(surfaces,)``; least x and y, largest x and y of each, shape
        ``(surfaces, 4)`` [m].
    """
    shadows = [surface.pose[:2, 3] + surface.boundary @ surface.pose[:2, :2].T for surface in surfaces]
    return (
        np.array([_describe_plane(surface) for surface in surfaces]).reshape(-1, 3),
        np.vstack([np.zeros((0, 2)), *shadows]),
        np.cumsum([len(shadow) for shadow in shadows], dtype=np.int64),
        np.array([[*shadow.min(axis=0), *shadow.max(axis=0)] for shadow in shadows]).reshape(-1, 4),
    )


def _describe_plane(surface: Surface) -> tuple[float, float, float]:
    """Return a, b, c of a surface's plane z = a x + b y + c."""
    x, y, z = surface.pose[:3, 2]
    return -x / z, -y / z, float(surface.pose[:3, 2] @ surface.pose[:3, 3]) / z


@njit(cache=True)
def survey(points: np.ndarray, height: float, packed: PackedSurfaces) -> tuple[np.ndarray, np.ndarray, bool]:
    """Find what is known of the ground at points seen from above.

    Args:
        points: Shape ``(k, 2)`` [m].
        height: Of the ground next to them [m].
        packed: Surfaces, of ``pack_surfaces``.

    Returns:
        Height of the highest surface one can step on at each point [m], -inf for none; which that is, -1 for none; whether at
        any of them something lies higher that is in the way, or there is only what lies lower.
    """
    planes, corners, ends, boxes = packed
    heights, owners, barred = np.full(len(points), -np.inf), np.full(len(points), -1), False
    for k in range(len(points)):
        x, y = points[k]
        deep = False
        for surface in range(len(planes)):
            box = boxes[surface]
            if x < box[0] or y < box[1] or x > box[2] or y > box[3]:
                continue
            if not is_inside(x, y, corners[ends[surface - 1] if surface else 0 : ends[surface]]):
                continue
            z = planes[surface, 0] * x + planes[surface, 1] * y + planes[surface, 2]
            deep |= z - height <= -MOST_CLIMB
            barred |= MOST_CLIMB <= z - height < COVER
            if abs(z - height) < MOST_CLIMB and z > heights[k]:
                heights[k], owners[k] = z, surface
        barred |= deep and owners[k] < 0
    return heights, owners, barred


@njit(cache=True)
def find_even(points: np.ndarray, height: float, packed: PackedSurfaces) -> int:
    """Find the first place of a sole that is on no edge, -1 for none (see ``GroundMap.find_even``).

    Args:
        points: Of the sole at every place, shape ``(places, k, 2)`` [m].
        height: Of the ground next to them [m].
        packed: Surfaces, of ``pack_surfaces``.
    """
    for place in range(len(points)):
        heights, owners, barred = survey(points[place], height, packed)
        if barred:
            continue
        least, most = np.inf, -np.inf
        for z in heights:
            if z > -np.inf:
                least, most = min(least, z), max(most, z)
        if (owners == owners[0]).all() or most - least <= UNEVEN:
            return place
    return -1


@njit(cache=True)
def count_free(points: np.ndarray, height: float, packed: PackedSurfaces) -> int:
    """Count the steps of a way before the first on which a sole finds no ground (see ``GroundMap.count_free``).

    Args:
        points: Of the soles, the middle first, shape ``(steps, soles, k, 2)`` [m].
        height: Of the ground at its beginning [m].
        packed: Surfaces, of ``pack_surfaces``.
    """
    steps, soles = points.shape[:2]
    free = steps
    for sole in range(soles):
        ground, out = height, False
        for step in range(min(steps, free)):
            heights, _, barred = survey(points[step, sole], ground, packed)
            if step == 0:
                out = not barred
            if barred and (out or step >= OUT):
                free = step
                break
            out = out or not barred
            if not barred and heights[0] > -np.inf:
                ground = heights[0]
        if not out:
            free = min(free, 1)
    return free


@njit(cache=True)
def measure_relief(points: np.ndarray, height: float, packed: PackedSurfaces) -> float:
    """Measure the difference in height of the ground on a way (see ``GroundMap.measure_relief``).

    Args:
        points: Of the soles, the middle first, shape ``(steps, soles, k, 2)`` [m].
        height: Of the ground at its beginning [m].
        packed: Surfaces, of ``pack_surfaces``.
    """
    steps, soles = points.shape[:2]
    least = most = height
    for sole in range(soles):
        ground = height
        for step in range(steps):
            heights, _, _ = survey(points[step, sole], ground, packed)
            for z in heights:
                if z > -np.inf:
                    least, most = min(least, z), max(most, z)
            if heights[0] > -np.inf:
                ground = heights[0]
    return most - least


def _stand_on(surface: Surface, height: float, yaw: float) -> Foothold:
    """Return how a sole of an orientation stands flat on a surface."""
    up = surface.pose[:3, 2]
    ahead = np.array([math.cos(yaw), math.sin(yaw), 0.0])
    left = np.cross(up, ahead)
    left /= np.linalg.norm(left)
    roll, pitch, _ = pin.rpy.matrixToRpy(np.column_stack([np.cross(left, up), left, up]))
    return Foothold(height=height, roll=float(roll), pitch=float(pitch), surfaces=1)
