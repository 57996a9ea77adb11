"""What SEIKO asks of every effector's contact, one row an effector, whether it is in contact now or not."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numba import njit

from handhold.robots.model import RobotModel

FADING_RATE = 5.0
"""Rate at which a force that is no longer commanded loses its weight [1/s]."""

FADED = 1e-5
"""Part of its weight at which such a force counts no more [-]."""


@dataclass(eq=False, slots=True, kw_only=True)
class ContactTerms:
    """Targets and limits of the contact of each effector.

    Attributes:
        poses: Poses in world the contacts must have, shape ``(effectors, 4, 4)``.
        normals: Outward normals in world of the surfaces under point contacts, unit, shape ``(effectors, 3)``.
        weights: Weights of the wrenches, in multiples of an enabled contact's, shape ``(effectors,)`` [-].
        desired_forces: Commanded normal forces, NaN where none is, shape ``(effectors,)`` [N].
        insistence: How much of the weight of a commanded force still counts, 0 to 1, shape ``(effectors,)``: it fades when the
            command ends, so that the force does not jump.
        min_forces: Minimum normal forces now, shape ``(effectors,)`` [N]: the description's, but no more than a new
            contact already bears, and nothing of one that is being removed.
        unloading: Which contacts are being unloaded, shape ``(effectors,)``, bool.
        rolled: How far the balls of point contacts have rolled since their contacts began, in world, shape ``(effectors, 3)``
            [m].
        leads: How far ahead of the measured contacts the reference's were when they began, shape ``(effectors, 3)``
            [m]: what pressed them on still does. NaN where none has been measured since.
        floors: Heights that swing feet stay above, minus infinity where none is known, shape ``(effectors,)`` [m].
        approaching: Which effectors are on their way to where they touch, shape ``(effectors,)``, bool: no floor holds them.
    """

    poses: np.ndarray
    normals: np.ndarray
    weights: np.ndarray
    desired_forces: np.ndarray
    insistence: np.ndarray
    min_forces: np.ndarray
    unloading: np.ndarray
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
            desired_forces=np.full(count, np.nan),
            insistence=np.zeros(count),
            min_forces=np.array([effector.min_normal_force for effector in model.effectors]),
            unloading=np.zeros(count, dtype=bool),
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
            desired_forces=self.desired_forces.copy(),
            insistence=self.insistence.copy(),
            min_forces=self.min_forces.copy(),
            unloading=self.unloading.copy(),
            rolled=self.rolled.copy(),
            leads=self.leads.copy(),
            floors=self.floors.copy(),
            approaching=self.approaching.copy(),
        )

    def begin_contact(self, effector: int, pose: np.ndarray, normal: np.ndarray) -> None:
        """Put an effector in contact where it is: on a surface with the outward ``normal`` in world, and with no force yet."""
        self.poses[effector] = pose
        self.normals[effector] = normal
        self.min_forces[effector] = 0.0
        self.desired_forces[effector] = np.nan
        self.insistence[effector] = 0.0
        self.unloading[effector] = False
        self.rolled[effector] = 0.0
        self.leads[effector] = np.nan

    def end_contact(self, effector: int, min_force: float) -> None:
        """Forget what was asked of a contact that is no more; the next one is to bear a minimum force again [N]."""
        self.unloading[effector], self.weights[effector], self.min_forces[effector] = False, 1.0, min_force

    def set_unloading(self, effector: int, *, unloading: bool) -> None:
        """Unload a contact down to no force at all, or load it again."""
        self.unloading[effector] = unloading
        self.min_forces[effector] = 0.0

    def command_force(self, effector: int, force: float | None, dt: float) -> None:
        """Command a normal force [N], or let the last command fade (None), for a step of ``dt`` [s]."""
        if force is not None:
            self.desired_forces[effector] = force
            self.insistence[effector] = 1.0
        elif self.insistence[effector] > 0.0:
            self.insistence[effector] *= math.exp(-FADING_RATE * dt)
            if self.insistence[effector] < FADED:
                self.insistence[effector] = 0.0
                self.desired_forces[effector] = np.nan

    def raise_min_forces(self, effectors: np.ndarray, forces: np.ndarray, minima: np.ndarray) -> None:
        """Raise the minimum forces to what contacts bear, up to the description's, but of those being unloaded.

        Args:
            effectors: Indices of the contacts, shape ``(contacts,)``.
            forces: Their normal forces, shape ``(contacts,)`` [N].
            minima: Minimum normal forces of the description, shape ``(contacts,)`` [N].
        """
        raised = np.minimum(minima, np.maximum(self.min_forces[effectors], forces))
        self.min_forces[effectors] = np.where(self.unloading[effectors], 0.0, raised)


@njit(cache=True)
def fill_contact_terms(
    effectors: np.ndarray,
    terms: tuple[np.ndarray, np.ndarray, np.ndarray],
    barriers: tuple[float, float],
    max_decreases: tuple[float, float],
    out: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
) -> None:
    """Pick what is asked of the contacts of a stance, in a step.

    Args:
        effectors: Indices of the contacts, shape ``(contacts,)``.
        terms: Weights, which are being unloaded, and minimum forces of all effectors.
        barriers: Part of the distance to a limit that may be used up, and that of contacts being unloaded [-].
        max_decreases: Largest decrease of a normal force, and that of contacts being unloaded [N].
        out: Filled, shape ``(contacts,)`` each: weights, barriers, minimum forces and largest decreases.
    """
    weights, unloading, all_min_forces = terms
    picked_weights, picked_barriers, picked_min_forces, decreases = out
    for k in range(effectors.shape[0]):
        e = effectors[k]
        case = 1 if unloading[e] else 0
        picked_weights[k], picked_min_forces[k] = weights[e], all_min_forces[e]
        picked_barriers[k], decreases[k] = barriers[case], max_decreases[case]


@njit(cache=True)
def find_phase(unloading: np.ndarray, weights: np.ndarray) -> int:
    """Find what goes on among contacts: 2 where one is being unloaded, 1 where one is being loaded, else 0."""
    phase = 0
    for e in range(unloading.shape[0]):
        if unloading[e]:
            return 2
        if weights[e] > 1.0:
            phase = 1
    return phase
