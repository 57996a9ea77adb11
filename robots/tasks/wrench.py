r"""Contact wrenches near desired ones: :math:`\sum_k w_k m_{c(k)} (\lambda_k - \lambda^*_k)^2`, every component by itself.

Each contact c has a multiplier m of its weights.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from handhold.robots.contact import Stance
from handhold.robots.tasks.task import FORCE_UNIT, DiagonalTask

FIXED_RATIO = 1e-6
"""Weights of a wrench that something fixed bears, as parts of a plane contact's [-]: it may bear what it likes."""


class WrenchTask(DiagonalTask):
    """The wrenches of a stance, or their changes.

    Attributes:
        desired: Stacked, shape ``(l,)`` [N, Nm]; where the unknowns are changes, what is missing.
        multipliers: One a contact, shape ``(contacts,)`` [-]; may change in place.
    """

    def __init__(self, stance: Stance, nv: int, plane: np.ndarray, point: np.ndarray) -> None:
        """Weigh wrenches in units of ``FORCE_UNIT``.

        Args:
            stance: The contacts.
            nv: Length of a velocity: the wrenches come after it.
            plane: Weights of a plane contact's wrench, shape ``(6,)``.
            point: Weights of a point contact's force, shape ``(3,)``.
        """
        super().__init__(slice(nv, nv + stance.size))
        points = len(stance.effectors) - stance.planes
        planes = [FIXED_RATIO * plane] * stance.fixed + [plane] * (stance.planes - stance.fixed)
        self.base_weights = np.concatenate(planes + [point] * points)
        self.desired = np.zeros(stance.size)
        self.multipliers = np.ones(len(stance.effectors))
        self._stale = True
        self._owners = np.repeat(np.arange(len(stance.effectors)), [6] * stance.planes + [3] * points)

    def fill(self) -> None:
        """Fill weights and targets, where something new is asked for."""
        if self._stale:
            self._stale = False
            fill_wrench_costs(self.desired, self.base_weights, self.multipliers, self._owners, self.targets, self.weights)

    def aim(self, desired: np.ndarray) -> None:
        """Ask for wrenches, shape ``(l,)``, with the multipliers as they are at the next ``fill``."""
        self.desired, self._stale = desired, True


@njit(cache=True)
def fill_wrench_costs(
    desired: np.ndarray,
    base_weights: np.ndarray,
    multipliers: np.ndarray,
    owners: np.ndarray,
    targets: np.ndarray,
    weights: np.ndarray,
) -> None:
    """Fill weights and targets (see ``WrenchTask``), ``owners`` the contact of each component."""
    for i in range(desired.shape[0]):
        targets[i] = desired[i] / FORCE_UNIT
        weights[i] = base_weights[i] * multipliers[owners[i]]


@njit(cache=True)
def weigh_by_load(wrenches: np.ndarray, normals: np.ndarray, min_load_ratio: float, multipliers: np.ndarray) -> None:
    """Fill multipliers that go with the inverse of each contact's load.

    Args:
        wrenches: Stacked, shape ``(l,)``.
        normals: Matrix N of the stance, shape ``(contacts, l)``.
        min_load_ratio: Load, as a part of the mean one, under which the multiplier rises no further [-].
        multipliers: Filled, shape ``(contacts,)``: 1 for the mean load.
    """
    contacts = normals.shape[0]
    even = 0.0
    for k in range(contacts):
        multipliers[k] = np.dot(normals[k], wrenches)
        even += multipliers[k] / contacts
    for k in range(contacts):
        multipliers[k] = even / max(multipliers[k], min_load_ratio * even) if even > 0.0 else 1.0
