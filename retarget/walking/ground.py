"""What is known of the ground: how high it is and how it tilts where a sole is to stand."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pinocchio as pin
from numba import njit

from handhold.perception.surface import Surface
from handhold.robots.contact import compute_sole_corners

STEEPEST = math.cos(math.radians(15.0))
"""Least z of a surface's normal on which one stands [-]."""

MOST_CLIMB = 0.08
"""Largest height over or under the other foot on which one stands [m]."""

COVER = 1.0
"""Height over the ground up to which what lies over it keeps a robot's legs from standing there [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Foothold:
    """How a sole stands on the ground that is known.

    Attributes:
        height: Of its middle in world [m].
        roll: Tilt about its x axis [rad].
        pitch: Tilt about its y axis [rad].
    """

    height: float
    roll: float = 0.0
    pitch: float = 0.0


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
        self._planes = np.array([_describe_plane(surface) for surface in surfaces]).reshape(-1, 3)
        shadows = [surface.pose[:2, 3] + surface.boundary @ surface.pose[:2, :2].T for surface in surfaces]
        self._corners = np.vstack([np.zeros((0, 2)), *shadows])
        self._ends = np.cumsum([len(shadow) for shadow in shadows], dtype=np.int64)
        corners = compute_sole_corners((float(half_lengths[0]), float(half_lengths[1])), 0.0)
        self._points = np.vstack([np.zeros(2), corners[:, :2]])

    def find_foothold(self, place: np.ndarray, yaw: float, height: float) -> Foothold:
        """Find how a sole would stand.

        A sole on one surface stands as that is tilted. Over an edge it is put down level, as high as the highest of what is
        under its corners; where nothing is known, as high as the other foot stands.

        Args:
            place: Of its middle seen from above, shape ``(2,)`` [m].
            yaw: Its orientation [rad].
            height: Where the other foot stands [m].
        """
        heights, owners, _ = self._survey(place, yaw, height)
        if not np.isfinite(heights).any():
            return Foothold(height=height)
        if owners.min() == owners.max() and owners[0] >= 0:
            return _stand_on(self._surfaces[owners[0]], float(heights[0]), yaw)
        return Foothold(height=float(heights[np.isfinite(heights)].max()))

    def find_height(self, place: np.ndarray, yaw: float, height: float) -> float | None:
        """Find how high a sole's middle would stand [m]; None where the ground is known to be too high, or too low, for it.

        Args:
            place: Of its middle seen from above, shape ``(2,)`` [m].
            yaw: Its orientation [rad].
            height: Of the ground before it [m].
        """
        heights, _, barred = self._survey(place, yaw, height)
        if barred:
            return None
        return float(heights[0]) if math.isfinite(heights[0]) else height

    def _survey(self, place: np.ndarray, yaw: float, height: float) -> tuple[np.ndarray, np.ndarray, bool]:
        c, s = math.cos(yaw), math.sin(yaw)
        points = place + self._points @ np.array([[c, s], [-s, c]])
        return survey(points, height, self._planes, self._corners, self._ends)


def _describe_plane(surface: Surface) -> tuple[float, float, float]:
    """Return a, b, c of a surface's plane z = a x + b y + c."""
    x, y, z = surface.pose[:3, 2]
    return -x / z, -y / z, float(surface.pose[:3, 2] @ surface.pose[:3, 3]) / z


@njit(cache=True)
def survey(
    points: np.ndarray, height: float, planes: np.ndarray, corners: np.ndarray, ends: np.ndarray
) -> tuple[np.ndarray, np.ndarray, bool]:
    """Find what is known of the ground at points seen from above.

    Args:
        points: Shape ``(k, 2)`` [m].
        height: Of the ground next to them [m].
        planes: a, b, c of each surface's plane z = a x + b y + c, shape ``(surfaces, 3)``.
        corners: Of all surfaces seen from above, one after the other, shape ``(corners, 2)`` [m].
        ends: Where those of each surface end, shape ``(surfaces,)``.

    Returns:
        Height of the highest surface one can step on at each point [m], -inf for none; which that is, -1 for none; whether at
        any of them something lies higher that is in the way, or there is only what lies lower.
    """
    heights, owners, barred = np.full(len(points), -np.inf), np.full(len(points), -1), False
    for k in range(len(points)):
        x, y = points[k]
        deep = False
        for surface in range(len(planes)):
            if not _is_inside(x, y, corners[ends[surface - 1] if surface else 0 : ends[surface]]):
                continue
            z = planes[surface, 0] * x + planes[surface, 1] * y + planes[surface, 2]
            deep |= z - height <= -MOST_CLIMB
            barred |= MOST_CLIMB <= z - height < COVER
            if abs(z - height) < MOST_CLIMB and z > heights[k]:
                heights[k], owners[k] = z, surface
        barred |= deep and owners[k] < 0
    return heights, owners, barred


@njit(cache=True)
def _is_inside(x: float, y: float, corners: np.ndarray) -> bool:
    """Tell whether a point lies in a polygon (even-odd rule)."""
    inside = False
    for k in range(len(corners)):
        here, after = corners[k], corners[(k + 1) % len(corners)]
        if (here[1] > y) != (after[1] > y):
            inside ^= here[0] + (y - here[1]) / (after[1] - here[1]) * (after[0] - here[0]) > x
    return inside


def _stand_on(surface: Surface, height: float, yaw: float) -> Foothold:
    """Return how a sole of an orientation stands flat on a surface."""
    up = surface.pose[:3, 2]
    ahead = np.array([math.cos(yaw), math.sin(yaw), 0.0])
    left = np.cross(up, ahead)
    left /= np.linalg.norm(left)
    roll, pitch, _ = pin.rpy.matrixToRpy(np.column_stack([np.cross(left, up), left, up]))
    return Foothold(height=height, roll=float(roll), pitch=float(pitch))
