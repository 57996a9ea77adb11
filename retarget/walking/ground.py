"""What is known of the ground: how high it is and how it tilts where a sole is to stand."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from handhold.perception.surface import Surface
from handhold.robots.contact import compute_sole_corners
from handhold.robots.polygon import are_inside

STEEPEST = math.cos(math.radians(15.0))
"""Least z of a surface's normal on which one stands [-]."""

MOST_CLIMB = 0.08
"""Largest height over or under the other foot on which one stands [m]."""


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
        self._surfaces = [surface for surface in surfaces if surface.pose[2, 2] > STEEPEST]
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
        c, s = math.cos(yaw), math.sin(yaw)
        points = place + self._points @ np.array([[c, s], [-s, c]])
        heights, owners = self._find_heights(points, height)
        if not np.isfinite(heights).any():
            return Foothold(height=height)
        if owners.min() == owners.max() and owners[0] >= 0:
            return _stand_on(self._surfaces[owners[0]], float(heights[0]), yaw)
        return Foothold(height=float(heights[np.isfinite(heights)].max()))

    def _find_heights(self, points: np.ndarray, height: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the height of the highest surface at each point [m], -inf for none, and which that is, -1 for none."""
        heights, owners = np.full(len(points), -np.inf), np.full(len(points), -1)
        for k, surface in enumerate(self._surfaces):
            normal, origin = surface.pose[:3, 2], surface.pose[:3, 3]
            z = origin[2] - (points - origin[:2]) @ normal[:2] / normal[2]
            local = (np.column_stack([points, z]) - origin) @ surface.pose[:3, :2]
            here = are_inside(local, surface.boundary) & (np.abs(z - height) < MOST_CLIMB) & (z > heights)
            heights[here], owners[here] = z[here], k
        return heights, owners


def _stand_on(surface: Surface, height: float, yaw: float) -> Foothold:
    """Return how a sole of an orientation stands flat on a surface."""
    up = surface.pose[:3, 2]
    ahead = np.array([math.cos(yaw), math.sin(yaw), 0.0])
    left = np.cross(up, ahead)
    left /= np.linalg.norm(left)
    roll, pitch, _ = pin.rpy.matrixToRpy(np.column_stack([np.cross(left, up), left, up]))
    return Foothold(height=height, roll=float(roll), pitch=float(pitch))
