r"""Commanded normal forces, in a step of the wrenches: :math:`w \, i_k \, (N_k \Delta\lambda - Clamp(f^*_k - N_k \lambda))^2`.

A row a contact: that of one without a command is empty. The insistence i fades when a command ends.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from handhold.robots.contact import Stance
from handhold.robots.tasks.task import FORCE_UNIT, Task


class NormalForceTask(Task):
    """The normal forces of a stance.

    Attributes:
        wrenches: Present ones, stacked, shape ``(l,)`` [N, Nm].
        desired: :math:`f^*` of all effectors, not a number where none is commanded, shape ``(effectors,)`` [N].
        insistence: i of all effectors, 0 to 1, shape ``(effectors,)``.
        max_change: Largest change of a force that is asked for [N].
    """

    def __init__(self, stance: Stance, nv: int, weight: float, desired: np.ndarray, insistence: np.ndarray) -> None:
        """Follow commands.

        Args:
            stance: The contacts.
            nv: Length of a motion: the wrenches come after it.
            weight: Weight w [1/N^2].
            desired: See the attribute.
            insistence: See the attribute.
        """
        super().__init__(len(stance.effectors))
        self.wrenches = np.zeros(stance.size)
        self.desired, self.insistence, self.max_change = desired, insistence, np.inf
        self._stance, self._nv, self._weight, self._effectors = stance, nv, weight, np.array(stance.effectors)

    def fill(self) -> None:
        """Fill rows and targets."""
        fill_force_costs(
            self._stance.normals,
            self.wrenches,
            (self._effectors, self.desired, self.insistence),
            (self._nv, self._weight, self.max_change),
            self.rows,
            self.targets,
        )


@njit(cache=True)
def fill_force_costs(
    normals: np.ndarray,
    wrenches: np.ndarray,
    commands: tuple[np.ndarray, np.ndarray, np.ndarray],
    settings: tuple[int, float, float],
    rows: np.ndarray,
    targets: np.ndarray,
) -> None:
    """Fill rows and targets (see ``NormalForceTask``), with the first column, the weight and the largest change."""
    effectors, desired, insistence = commands
    nv, weight, max_change = settings
    for k in range(normals.shape[0]):
        e = effectors[k]
        root = np.sqrt(weight * insistence[e])
        if np.isnan(desired[e]):
            targets[k] = 0.0
            rows[k, nv:] = 0.0
            continue
        change = desired[e] - np.dot(normals[k], wrenches)
        targets[k] = root * min(max_change, max(-max_change, change))
        for j in range(normals.shape[1]):
            rows[k, nv + j] = root * FORCE_UNIT * normals[k, j]
