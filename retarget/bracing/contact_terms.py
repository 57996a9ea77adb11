"""What SEIKO asks of every effector's contact, one row an effector, whether it bears now or not."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from handhold.robots.model import RobotModel

FADING_RATE = 5.0
"""Rate at which a force that is no longer commanded loses its weight [1/s]."""

FADED = 1e-5
"""Part of its weight at which such a force counts no more [-]."""


@dataclass(eq=False, slots=True, kw_only=True)
class ContactTerms:
    """The terms on which each effector bears.

    Attributes:
        poses: Poses in world the contacts must have, shape ``(effectors, 4, 4)``.
        normals: Outward normals in world of the surfaces under point contacts, unit, shape ``(effectors, 3)``.
        weights: Weights of the wrenches, in multiples of an enabled contact's, shape ``(effectors,)`` [-].
        wanted_forces: Commanded normal forces, NaN where none is, shape ``(effectors,)`` [N].
        insistence: How much of the weight of a commanded force still counts, 0 to 1, shape ``(effectors,)``: it fades when the
            command ends, so that the force does not jump.
        least_forces: Least normal forces asked for now, shape ``(effectors,)`` [N]: the description's, but no more than a new
            contact already bears, and nothing of one that is being removed.
        leaving: Which contacts are being removed, shape ``(effectors,)``, bool.
        rolled: How far the balls of point contacts have rolled since they began to bear, in world, shape ``(effectors, 3)``
            [m].
        leads: How far ahead of the measured contacts the reference's were when they began to bear, shape ``(effectors, 3)``
            [m]: what pressed them on still does. NaN where none has been measured since.
        floors: Heights that feet which do not bear stay above, minus infinity where none is known, shape ``(effectors,)`` [m].
        approaching: Which effectors are on their way to where they touch, shape ``(effectors,)``, bool: no floor holds them.
    """

    poses: np.ndarray
    normals: np.ndarray
    weights: np.ndarray
    wanted_forces: np.ndarray
    insistence: np.ndarray
    least_forces: np.ndarray
    leaving: np.ndarray
    rolled: np.ndarray
    leads: np.ndarray
    floors: np.ndarray
    approaching: np.ndarray

    @staticmethod
    def begin(model: RobotModel, poses: np.ndarray) -> ContactTerms:
        """Return the terms of contacts on level ground at ``poses``, shape ``(effectors, 4, 4)``."""
        count = len(model.effectors)
        return ContactTerms(
            poses=poses.copy(),
            normals=np.tile([0.0, 0.0, 1.0], (count, 1)),
            weights=np.ones(count),
            wanted_forces=np.full(count, np.nan),
            insistence=np.zeros(count),
            least_forces=np.array([effector.min_normal_force for effector in model.effectors]),
            leaving=np.zeros(count, dtype=bool),
            rolled=np.zeros((count, 3)),
            leads=np.zeros((count, 3)),
            floors=np.full(count, -np.inf),
            approaching=np.zeros(count, dtype=bool),
        )

    def copy(self) -> ContactTerms:
        """Return terms of their own with the same values."""
        return ContactTerms(
            poses=self.poses.copy(),
            normals=self.normals.copy(),
            weights=self.weights.copy(),
            wanted_forces=self.wanted_forces.copy(),
            insistence=self.insistence.copy(),
            least_forces=self.least_forces.copy(),
            leaving=self.leaving.copy(),
            rolled=self.rolled.copy(),
            leads=self.leads.copy(),
            floors=self.floors.copy(),
            approaching=self.approaching.copy(),
        )

    def begin_contact(self, effector: int, pose: np.ndarray, normal: np.ndarray) -> None:
        """Let an effector bear where it is: on a surface with the outward ``normal`` in world, and with no force yet."""
        self.poses[effector] = pose
        self.normals[effector] = normal
        self.least_forces[effector] = 0.0
        self.wanted_forces[effector] = np.nan
        self.insistence[effector] = 0.0
        self.leaving[effector] = False
        self.rolled[effector] = 0.0
        self.leads[effector] = np.nan

    def leave(self, effector: int, *, leaving: bool) -> None:
        """Let a contact go down to no force at all, or bear again."""
        self.leaving[effector] = leaving
        self.least_forces[effector] = 0.0

    def command_force(self, effector: int, force: float | None, dt: float) -> None:
        """Command a normal force [N], or let the last command fade (None), for a step of ``dt`` [s]."""
        if force is not None:
            self.wanted_forces[effector] = force
            self.insistence[effector] = 1.0
        elif self.insistence[effector] > 0.0:
            self.insistence[effector] *= math.exp(-FADING_RATE * dt)
            if self.insistence[effector] < FADED:
                self.insistence[effector] = 0.0
                self.wanted_forces[effector] = np.nan

    def keep_gains(self, effectors: np.ndarray, forces: np.ndarray, minima: np.ndarray) -> None:
        """Ask no less than a contact bears, up to its least normal force, of those that are not leaving.

        Args:
            effectors: Places of the contacts, shape ``(contacts,)``.
            forces: Their normal forces, shape ``(contacts,)`` [N].
            minima: Least normal forces of the description, shape ``(contacts,)`` [N].
        """
        gained = np.minimum(minima, np.maximum(self.least_forces[effectors], forces))
        self.least_forces[effectors] = np.where(self.leaving[effectors], 0.0, gained)
