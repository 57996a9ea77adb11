"""What is known of the ground: how high it is and how it tilts where a sole is to stand."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from handhold.perception.surface import Surface
from handhold.retarget.walking.contact_area import (
    BESIDE,
    COLUMNS,
    ROWS,
    ContactArea,
    list_points,
    measure_contact_area,
    rate_footholds,
)
from handhold.retarget.walking.ground_survey import (
    MAX_UNEVENNESS,
    count_free,
    find_even,
    measure_relief,
    pack_surfaces,
    survey,
)
from handhold.retarget.walking.resting import find_resting_plane
from handhold.robots.contact import compute_sole_corners

MIN_NORMAL_Z = math.cos(math.radians(15.0))
"""Least z of a surface's normal on which one stands [-]."""

WAYPOINTS = 9
"""Positions on the path of a swing foot at which the ground under it is checked."""


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
    """The surfaces that one can stand on.

    Attributes:
        whole: Contact area of a sole that stands on one surface: all of it.
    """

    def __init__(self, surfaces: tuple[Surface, ...], half_lengths: np.ndarray) -> None:
        """Choose them.

        Args:
            surfaces: What is known of the surroundings.
            half_lengths: Of a sole, shape ``(2,)`` [m].
        """
        surfaces = tuple(surface for surface in surfaces if surface.pose[2, 2] > MIN_NORMAL_Z)
        self._surfaces = surfaces
        self._packed = pack_surfaces(surfaces)
        corners = compute_sole_corners((float(half_lengths[0]), float(half_lengths[1])), 0.0)
        self._points = np.vstack([np.zeros(2), corners[:, :2]])
        self._half_lengths, self._grid = half_lengths, list_points(half_lengths)
        cells = self._grid[: ROWS * COLUMNS]
        self._under = np.vstack([self._points, cells])
        self._points_beside = np.vstack([self._points + BESIDE * np.sign(self._points), self._grid])
        self.whole = ContactArea(ratio=1.0, half_lengths=(float(half_lengths[0]), float(half_lengths[1])))

    def find_foothold(self, position: np.ndarray, yaw: float, height: float) -> Foothold:
        """Find how a sole would stand.

        A sole on one surface stands as that is tilted. On several, as at the foot of a ramp, it stands as it comes to rest on
        them (see ``resting``); over an edge it is put down level, as high as the highest of what is under it; where nothing is
        known, as high as the other foot stands.

        Args:
            position: Of its middle seen from above, shape ``(2,)`` [m].
            yaw: Its orientation [rad].
            height: Where the other foot stands [m].
        """
        points = _transform_points(self._points, position, yaw)
        heights, owners, _, _ = survey(points, height, self._packed)
        if not np.isfinite(heights).any():
            return Foothold(height=height)
        if owners.min() == owners.max() and owners[0] >= 0:
            return _stand_on(self._surfaces[owners[0]], float(heights[0]), yaw)
        return self._rest(position, yaw, height)

    def _rest(self, position: np.ndarray, yaw: float, height: float) -> Foothold:
        """Find how a sole comes to rest on what is known under it, of several surfaces."""
        points = _transform_points(self._under, position, yaw)
        heights, _, _, _ = survey(points, height, self._packed)
        known = np.isfinite(heights)
        level = Foothold(height=float(heights[known].max()), surfaces=2)
        if not known[0] or np.linalg.matrix_rank(points[known] - points[0], tol=1e-3) < 2:
            return level
        a, b, c = find_resting_plane(np.column_stack([points, heights])[known], position)
        if (points[known] @ [a, b] + c - heights[known]).max() > MAX_UNEVENNESS:
            return level
        roll, pitch = _find_tilt(np.array([-a, -b, 1.0]) / math.sqrt(a * a + b * b + 1.0), yaw)
        return Foothold(height=float(a * position[0] + b * position[1] + c), roll=roll, pitch=pitch, surfaces=2)

    def find_contact_area(self, position: np.ndarray, yaw: float, height: float) -> ContactArea:
        """Find the contact area of a sole at a position, as ``find_foothold``."""
        points = _transform_points(self._grid, position, yaw)
        return measure_contact_area(points, height, self._packed, self._half_lengths)

    def rate_footholds(self, positions: np.ndarray, yaw: float, height: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rate places for a sole, shape ``(k, 2)`` [m] (see ``bearing.rate_footholds``)."""
        return rate_footholds(_rotate_points(self._grid, yaw), positions, height, self._packed)

    def find_heights(self, points: np.ndarray, height: float) -> np.ndarray:
        """Find how high the ground is at points seen from above, shape ``(k, 2)`` [m]; NaN where one cannot step on any.

        Args:
            points: In world [m].
            height: Of the ground next to them [m].
        """
        heights, _, _, _ = survey(points, height, self._packed)
        return np.where(np.isfinite(heights), heights, np.nan)

    def find_even(self, positions: np.ndarray, yaw: float, height: float) -> int | None:
        """Find the first of places, shape ``(k, 2)``, where no edge lies under a sole or beside it; None for no such.

        Args:
            positions: Of its middle seen from above [m].
            yaw: Its orientation [rad].
            height: Where the other foot stands [m].
        """
        found = find_even(_transform_points(self._points_beside, positions, yaw), height, self._packed)
        return None if found < 0 else int(found)

    def find_highest(self, start: np.ndarray, end: np.ndarray, yaw: float, height: float) -> float:
        """Find the highest ground under a sole on its path, as far as one can step on it [m].

        Args:
            start: Of its middle seen from above where it is lifted, shape ``(2,)`` [m].
            end: Where it is put down, shape ``(2,)`` [m].
            yaw: Its orientation [rad].
            height: Of the ground that the other foot stands on [m].
        """
        positions = start + np.linspace(0.0, 1.0, WAYPOINTS)[:, None] * (end - start)
        points = _transform_points(self._points_beside, positions, yaw).reshape(-1, 2)
        heights, _, _, _ = survey(points, height, self._packed)
        return float(heights.max())

    def count_free(self, positions: np.ndarray, yaws: np.ndarray, height: float, *, drops: bool = True) -> int:
        """Count how many steps of a path are free, from its beginning on: at none is it too high or too low for a sole.

        A sole that is barred where it is, with its tip under a table or over an edge, may be free within
        ``MAX_BARRED_STEPS`` steps.

        Args:
            positions: Of the soles' middles seen from above, where they are and further on, shape ``(steps, soles, 2)`` [m].
            yaws: Their orientations, shape ``(steps, soles)`` [rad].
            height: Of the ground that the robot stands on [m].
            drops: Whether ground that lies too low bars the path, too.
        """
        points = _transform_points(self._points, positions, yaws)
        return int(count_free(points, height, self._packed, drops))

    def measure_relief(self, positions: np.ndarray, yaws: np.ndarray, height: float) -> float:
        """Measure how far apart the highest and the lowest of the ground on a path are, as far as one can step on it [m].

        Args:
            positions: Of the soles' middles seen from above, where they are and further on, shape ``(steps, soles, 2)`` [m].
            yaws: Their orientations, shape ``(steps, soles)`` [rad].
            height: Of the ground that the robot stands on [m].
        """
        points = _transform_points(self._points, positions, yaws)
        return float(measure_relief(points, height, self._packed))


def _transform_points(points: np.ndarray, positions: np.ndarray, yaws: float | np.ndarray) -> np.ndarray:
    """Return points of soles seen from above, shape ``(..., k, 2)`` [m]."""
    return np.asarray(positions[..., None, :] + _rotate_points(points, yaws))


def _rotate_points(points: np.ndarray, yaws: float | np.ndarray) -> np.ndarray:
    """Return points of soles from their middles in world axes, shape ``(..., k, 2)`` [m]."""
    c, s = np.cos(yaws), np.sin(yaws)
    turned = np.moveaxis(np.array([[c, s], [-s, c]]), (0, 1), (-2, -1))
    return np.asarray(points @ turned)


def _stand_on(surface: Surface, height: float, yaw: float) -> Foothold:
    """Return how a sole of an orientation stands flat on a surface."""
    roll, pitch = _find_tilt(surface.pose[:3, 2], yaw)
    return Foothold(height=height, roll=roll, pitch=pitch, surfaces=1)


def _find_tilt(up: np.ndarray, yaw: float) -> tuple[float, float]:
    """Return roll and pitch of a sole of an orientation on a plane with a normal [rad]."""
    ahead = np.array([math.cos(yaw), math.sin(yaw), 0.0])
    left = np.cross(up, ahead)
    left /= np.linalg.norm(left)
    roll, pitch, _ = pin.rpy.matrixToRpy(np.column_stack([np.cross(left, up), left, up]))
    return float(roll), float(pitch)
