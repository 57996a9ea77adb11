"""Where the two feet of a gait are, which of them supports, and what of their soles is supported."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from handhold.retarget.walking.footsteps import LEFT
from handhold.retarget.walking.ground import GroundMap
from handhold.retarget.walking.step_planner import cut_region
from handhold.retarget.walking.timing import PlacedFeet

MIN_CONTACT_RATIO = 0.2
"""Part of a sole below which what is known of the ground under it is not believed: it stands there [-]."""


class GaitFeet:
    """Poses of both soles, left before right, and the side that the load is on or goes to.

    Attributes:
        poses: In world, homogeneous, shape ``(2, 4, 4)``.
        support: Side of the foot that supports, or that the load goes to: ``LEFT`` or ``RIGHT``.
    """

    def __init__(self, poses: np.ndarray, support: float, sole: np.ndarray, inset: float) -> None:
        """Place both feet.

        Args:
            poses: In world, homogeneous, shape ``(2, 4, 4)``.
            support: Side of the foot that supports.
            sole: Half lengths of a sole, shape ``(2,)`` [m].
            inset: How far inside the edges of what bears the ZMP is planned [m].
        """
        self.poses, self.support = poses.copy(), support
        self._region, self._inset = sole - inset, inset

    @property
    def support_index(self) -> int:
        """Index of the foot that supports."""
        return 0 if self.support == LEFT else 1

    @property
    def swing_index(self) -> int:
        """Index of the other one, which is in the air, or is lifted next, or was put down last."""
        return 1 - self.support_index

    @property
    def support_pose(self) -> np.ndarray:
        """Pose of the foot that supports, shape ``(4, 4)``."""
        return np.asarray(self.poses[self.support_index])

    @property
    def swing_pose(self) -> np.ndarray:
        """Pose of the other foot, shape ``(4, 4)``."""
        return np.asarray(self.poses[self.swing_index])

    @property
    def placed(self) -> PlacedFeet:
        """The foot that the load comes from and the one that it goes to, or is on; the ZMP may be on whole soles."""
        poses = self.poses[[self.swing_index, self.support_index]]
        angles = np.arctan2(poses[:, 1, 0], poses[:, 0, 0])
        angles[0] = angles[1] + math.remainder(angles[0] - angles[1], 2.0 * math.pi)
        return PlacedFeet(positions=poses[:, :2, 3], angles=angles, sole=self._region)

    @property
    def heading(self) -> float:
        """Where the feet point to on average [rad]."""
        return float(self.placed.angles.mean())

    def list_contacts(self, *, swings: bool) -> np.ndarray:
        """Return which feet are in contact, shape ``(2,)``, bool, where ``swings`` is whether one is in the air."""
        contacts = np.ones(2, dtype=bool)
        contacts[self.swing_index] = not swings
        return contacts

    def compute_height(self, contacts: np.ndarray) -> float:
        """Compute the mean height of the feet in contact [m]."""
        return float(self.poses[contacts, 2, 3].mean())

    def is_level(self, tolerance: float) -> bool:
        """Whether one foot is beside the other within a distance along it [m]."""
        placed = self.placed
        forward = np.array([math.cos(placed.angles[1]), math.sin(placed.angles[1])])
        return abs(float(forward @ (placed.positions[1] - placed.positions[0]))) < tolerance

    def place_on(self, ground: GroundMap | None, contacts: np.ndarray) -> PlacedFeet:
        """Return the feet as ``placed``, the ZMP on what bears of the soles in contact as far as the ground is known."""
        placed = self.placed
        if ground is None:
            return placed
        regions = {}
        for k, foot in enumerate((self.swing_index, self.support_index)):
            if not contacts[foot]:
                continue
            contact_area = ground.find_contact_area(
                placed.positions[k], float(placed.angles[k]), float(self.poses[foot, 2, 3])
            )
            if MIN_CONTACT_RATIO < contact_area.ratio < 1.0:
                regions[k] = cut_region(contact_area, self._inset)
        return replace(placed, regions=regions)

    def move_swing_foot(self, pose: np.ndarray) -> None:
        """Set the pose of the foot that does not support, shape ``(4, 4)``."""
        self.poses[self.swing_index] = pose

    def swap(self) -> None:
        """Let the foot support that has landed."""
        self.support = -self.support

    def follow(self, measured: np.ndarray, contacts: np.ndarray, ratio: float) -> None:
        """Bring the feet in contact nearer to where they are measured.

        Args:
            measured: Poses of both soles, shape ``(2, 4, 4)``.
            contacts: Which are in contact, shape ``(2,)``, bool.
            ratio: Part of the distance [-].
        """
        for foot in np.flatnonzero(contacts):
            self.poses[foot] = blend_poses(self.poses[foot], measured[foot], ratio)


def blend_poses(first: np.ndarray, second: np.ndarray, ratio: float) -> np.ndarray:
    """Return the pose a part of the distance from one to another that is near it; homogeneous, shape ``(4, 4)``."""
    blended = first + ratio * (second - first)
    # Two steps of Newton's iteration make a rotation of what is almost one.
    for _ in range(2):
        R = blended[:3, :3]
        blended[:3, :3] = R @ (1.5 * np.eye(3) - 0.5 * R.T @ R)
    return blended
