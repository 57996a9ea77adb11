r"""Two effectors that hold an object: equalities of a program in place of those of contacts that stay.

With the contact frames A and B, B in A at the pose (R, p) that the grasp keeps, the hands move as one and the object is
balanced by what they exert on it [Rouxel2023]_:

.. math::

    J_B u - X J_A u = e_B, \qquad w_A + X^T w_B + I J_A u = g - I d_A, \qquad
    X = \begin{bmatrix} R^T & -R^T [p]_\times \\ 0 & R^T \end{bmatrix}

| symbol | what |
|---|---|
| :math:`J, w` | Jacobians and wrenches that the object exerts on the hands, each in its contact frame |
| :math:`g` | gravity's wrench on the object at A: :math:`f = m R_A^T g_0`, moment :math:`c \times f` |
| :math:`e_B` | what brings B back to where the grasp has it; accelerations: what lets their difference die out |
| :math:`I` | inertia of the mass m at c, where u are accelerations; :math:`d_A` A's own without joint accelerations |

Where u is a step :math:`\Delta q` the wrenches are changes, gravity turns in the axes of A, and the object's load may change
to another one, with the weight :math:`g'`, as far as it is admitted (the last unknown, s):

.. math::

    \Delta w_A + X^T \Delta w_B - \partial g / \partial q \, \Delta q - s (g' - g) = g - w_A - X^T w_B, \qquad
    \partial f = f \times \omega_A

Forces are in units of ``FORCE_UNIT``.

.. [Rouxel2023] Q. Rouxel, R. Wen, Z. Li, C. Tiseo, J.-B. Mouret, S. Ivaldi, Feasibility retargeting for multi-contact
   teleoperation and physical interaction, 2nd Workshop Toward Robot Avatars, ICRA 2023.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from handhold.robots.contact import Stance
from handhold.robots.grasp import NO_LOAD
from handhold.robots.tasks.task import FORCE_UNIT

WRENCH = 6


class ObjectRows:
    r"""Twelve rows over x: the object's balance in the place of the first hand's contact, the hands' motion in the second's.

    Attributes:
        indices: Rows of the stance's contacts that they take the place of, shape ``(12,)``; none where nothing is held.
        rows: Shape ``(12, size of x)``.
        targets: Shape ``(12,)``.
        load: What the object weighs.
        next_load: What it is to weigh after a step, as far as that is admitted.
        wrenches: Present ones, stacked, shape ``(l,)`` [N, Nm], where the unknowns are their changes; None where the unknowns
            are the wrenches themselves.
    """

    def __init__(self, stance: Stance, nv: int, size: int, *, accelerations: bool = False) -> None:
        """Lay the rows out.

        Args:
            stance: The contacts; ``grasp`` says which of them hold something.
            nv: Length of a motion.
            size: Length of x.
            accelerations: Whether u are accelerations, not a step.
        """
        grasp = stance.grasp
        self._firsts = [] if grasp is None else [stance.offsets[stance.effectors.index(e)] for e in grasp.effectors]
        self.indices = np.array([first + k for first in self._firsts for k in range(WRENCH)], dtype=np.int64)
        self.rows, self.targets = np.zeros((len(self.indices), size)), np.zeros(len(self.indices))
        self.load = self.next_load = NO_LOAD
        self.wrenches: np.ndarray | None = None
        self._nv, self._accelerations = nv, accelerations
        if grasp is None:
            return
        self._first_hand, self._twist = grasp.effectors[0], compute_twist_transform(grasp.placement)
        a, b = (slice(nv + first, nv + first + WRENCH) for first in self._firsts)
        self.rows[:WRENCH, a], self.rows[:WRENCH, b] = np.eye(WRENCH), self._twist.T

    def fill(self, jacobian: np.ndarray, targets: np.ndarray, drift: np.ndarray, poses: np.ndarray) -> None:
        """Fill the rows for the program that comes next.

        Args:
            jacobian: Stacked Jacobian of the contacts, each in its contact frame, shape ``(l, nv)``.
            targets: What their motion would have to be if they stayed (see ``ContactMotion``), shape ``(l,)``.
            drift: Minus their accelerations without joint accelerations, likewise; a step has none.
            poses: Of all effectors in world, shape ``(effectors, 4, 4)``.
        """
        if not self._firsts:
            return
        a, b = (slice(first, first + WRENCH) for first in self._firsts)
        weight = self.load.compute_weight(poses[self._first_hand, :3, :3])
        inertia = self._compute_inertia() if self._accelerations else np.zeros((WRENCH, WRENCH))
        if not self._accelerations:
            inertia[:, 3:] = -np.vstack([_skew(weight[:3]), _skew(self.load.com) @ _skew(weight[:3])])
        self.rows[:WRENCH, : self._nv] = inertia @ jacobian[a] / FORCE_UNIT
        self.rows[WRENCH:, : self._nv] = jacobian[b] - self._twist @ jacobian[a]
        missing = weight - (0.0 if self.wrenches is None else self.wrenches[a] + self._twist.T @ self.wrenches[b])
        if self._accelerations:
            missing += inertia @ drift[a]
        else:
            self.rows[:WRENCH, -1] = (weight - self.next_load.compute_weight(poses[self._first_hand, :3, :3])) / FORCE_UNIT
        self.targets[:WRENCH] = missing / FORCE_UNIT
        self.targets[WRENCH:] = targets[b] - self._twist @ targets[a]

    def _compute_inertia(self) -> np.ndarray:
        """Return the inertia of the load at the first hand's frame, a mass at a point, shape ``(6, 6)``."""
        mass, lever = self.load.mass, _skew(self.load.com)
        return mass * np.block([[np.eye(3), -lever], [lever, -lever @ lever]])


def compute_twist_transform(placement: np.ndarray) -> np.ndarray:
    """Return X, which takes a rigid body's twist from a frame to another one that is placed in it, shape ``(6, 6)``.

    Args:
        placement: Pose of the other frame in the first, shape ``(4, 4)``.
    """
    back = placement[:3, :3].T
    return np.block([[back, -back @ _skew(placement[:3, 3])], [np.zeros((3, 3)), back]])


@njit(cache=True)
def _skew(v: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
