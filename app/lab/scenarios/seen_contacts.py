"""How near to the true surfaces the seen ones are on which hands come to bear."""

from __future__ import annotations

import numpy as np

from handhold.app.lab.figures import Figure
from handhold.perception.surface import Surface
from handhold.render.snapshot import Snapshot
from handhold.retarget.bracing.contacts.surfaces import find_surface
from handhold.robots.model import RobotModel

MAX_OFFSET, MAX_ANGLE = 0.015, 3.0
"""Distance [m] and angle [deg] within which a seen surface must be of the true one where a hand touches it."""


class SeenContacts:
    """Compares, each time a hand comes into contact, the surface that was seen there with the one that is there."""

    def __init__(self, model: RobotModel) -> None:
        self._hands = [e for e, about in enumerate(model.effectors) if not about.is_foot]
        self._before = np.zeros(len(model.effectors), dtype=bool)
        self._offsets: list[float] = []
        self._angles: list[float] = []

    def add(
        self, snapshot: Snapshot, poses: np.ndarray, seen: tuple[Surface, ...], true_surfaces: tuple[Surface, ...]
    ) -> None:
        """Look at a control cycle.

        Args:
            snapshot: What the cycle told.
            poses: Measured, of the effectors' contact frames, shape ``(effectors, 4, 4)``.
            seen: The surfaces that the robot knew.
            true_surfaces: Those that there are.
        """
        contacts = snapshot.reference.contacts
        for hand in self._hands:
            if contacts[hand] and not self._before[hand]:
                self._compare(poses[hand], seen, true_surfaces)
        self._before = contacts.copy()

    def _compare(self, pose: np.ndarray, seen: tuple[Surface, ...], true_surfaces: tuple[Surface, ...]) -> None:
        surface, true = find_surface(pose, seen), find_surface(pose, true_surfaces)
        if surface is None or true is None:
            # A hand that braces where nothing was seen has not been brought there by the camera.
            self._offsets.append(np.inf)
            self._angles.append(np.inf)
            return
        touched = pose[:3, 3] - true.pose[:3, 2] * float(true.pose[:3, 2] @ (pose[:3, 3] - true.pose[:3, 3]))
        self._offsets.append(abs(float(surface.pose[:3, 2] @ (touched - surface.pose[:3, 3]))))
        cosine = float(np.clip(surface.pose[:3, 2] @ true.pose[:3, 2], -1.0, 1.0))
        self._angles.append(float(np.degrees(np.arccos(cosine))))

    def to_figures(self) -> list[Figure]:
        """Return the largest offset and angle over all contacts of hands; nothing where there were none."""
        if not self._offsets:
            return []
        return [
            Figure("seen_offset", max(self._offsets), "m", must=MAX_OFFSET),
            Figure("seen_angle", max(self._angles), "deg", must=MAX_ANGLE),
        ]
