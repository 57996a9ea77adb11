"""Where a robot of Unitree carries its inertial unit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handhold.robots.rotation import turn_about_vertical


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitMount:
    """Where an inertial unit is: on the base, or on a link that a joint turns about the z axis through the base's origin.

    Attributes:
        joint: That joint; empty for the base.
        position: Of the unit in the axes of what carries it, from the base's origin [m].
    """

    joint: str = ""
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def place(self, angle: float) -> np.ndarray:
        """Return the pose of the unit in the base's frame, shape ``(4, 4)``, where its joint is at an angle [rad]."""
        pose = np.eye(4)
        pose[:3, :3] = turn_about_vertical(angle)
        pose[:3, 3] = pose[:3, :3] @ self.position
        return pose
