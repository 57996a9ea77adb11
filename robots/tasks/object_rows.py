r"""Two effectors that hold an object: equalities of a program in place of those of contacts that stay.

With the contact frames A and B, B in A at the pose (R, p) that the grasp keeps, the hands move as one and the object is
balanced by what they exert on it [Rouxel2023]_:

.. math::

    J_B u - X J_A u = e_B, \qquad w_A + X^T w_B + I J_A u = g - I d_A, \qquad
    X = \begin{bmatrix} R^T & -R^T [p]_\times \\ 0 & R^T \end{bmatrix}

| symbol | what |
|---|---|
| :math:`J, w` | Jacobians and wrenches that the object exerts on the hands, each in its contact frame |
| :math:`g` | wrench at A of gravity, :math:`f = m R_A^T g_0` with the moment :math:`c \times f`, and of others |
| :math:`e_B` | what brings B back to where the grasp has it; accelerations: what lets their difference die out |
| :math:`I` | inertia of the mass m at c, where u are accelerations; :math:`d_A` A's own without joint accelerations |

Where u is a step :math:`\Delta q` the wrenches are changes, gravity turns in the axes of A, and the object's load may change
to another one, with the weight :math:`g'`, as far as it is admitted (the last unknown, s):

.. math::

    \Delta w_A + X^T \Delta w_B - \partial g / \partial q \, \Delta q - s (g' - g) = g - w_A - X^T w_B, \qquad
    \partial f = f \times \omega_A

A push stays what it is in world axes, its moment about A's origin as well. Forces are in units of ``FORCE_UNIT``.

.. [Rouxel2023] Q. Rouxel, R. Wen, Z. Li, C. Tiseo, J.-B. Mouret, S. Ivaldi, Feasibility retargeting for multi-contact
   teleoperation and physical interaction, 2nd Workshop Toward Robot Avatars, ICRA 2023.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from handhold.robots.contact import Stance
from handhold.robots.grasp import NO_LOAD, fill_load_wrenches
from handhold.robots.rotation import skew
from handhold.robots.tasks.task import FORCE_UNIT

WRENCH = 6


class ObjectRows:
    r"""Twelve rows over x: the object's balance in the place of the first hand's contact, the hands' motion in the second's.

    Attributes:
        indices: Rows of the stance's contacts that they take the place of, shape ``(12,)``; none where nothing is held.
        rows: Shape ``(12, size of x)``.
        targets: Shape ``(12,)``.
        load: What the object weighs, and who pushes it.
        next_load: What that is to be after a step, as far as it is admitted.
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
        self._accelerations, self._nothing = accelerations, np.zeros(stance.size)
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
        first, second = self._firsts
        pose, load, after = poses[self._first_hand], self.load, self.next_load
        wrenches = self._nothing if self.wrenches is None else self.wrenches
        if self._accelerations:
            inertia, weight = self._compute_inertia(), load.compute_wrench(pose)
            _fill_rows(jacobian, first, second, inertia, self._twist, self.rows)
            _fill_targets((targets, wrenches, drift), first, second, inertia, self._twist, weight, self.targets)
            return
        _fill_step(
            (jacobian, targets, wrenches, self._nothing),
            (first, second),
            (pose, self._twist),
            (load.mass, load.com, load.push),
            (after.mass, after.com, after.push),
            self.rows,
            self.targets,
        )

    def _compute_inertia(self) -> np.ndarray:
        """Return the inertia of the load at the first hand's frame, a mass at a point, shape ``(6, 6)``."""
        mass, lever = self.load.mass, skew(self.load.com)
        return mass * np.block([[np.eye(3), -lever], [lever, -lever @ lever]])


def compute_twist_transform(placement: np.ndarray) -> np.ndarray:
    """Return X, which takes a rigid body's twist from a frame to another one that is placed in it, shape ``(6, 6)``.

    Args:
        placement: Pose of the other frame in the first, shape ``(4, 4)``.
    """
    back = placement[:3, :3].T
    return np.block([[back, -back @ skew(placement[:3, 3])], [np.zeros((3, 3)), back]])


@njit(cache=True)
def _fill_rows(
    jacobian: np.ndarray, first: int, second: int, inertia: np.ndarray, twist: np.ndarray, rows: np.ndarray
) -> None:
    """Fill the columns of the motion: of the balance, in units of force, and of the hands' motion as one.

    Args:
        jacobian: Of the contacts, shape ``(l, nv)``.
        first: First row of the first hand's.
        second: First row of the second hand's.
        inertia: What the balance is multiplied by, shape ``(6, 6)``.
        twist: X, shape ``(6, 6)``.
        rows: Filled, shape ``(12, size of x)``.
    """
    for i in range(WRENCH):
        for column in range(jacobian.shape[1]):
            balance, motion = 0.0, jacobian[second + i, column]
            for j in range(WRENCH):
                balance += inertia[i, j] * jacobian[first + j, column]
                motion -= twist[i, j] * jacobian[first + j, column]
            rows[i, column] = balance / FORCE_UNIT
            rows[WRENCH + i, column] = motion


@njit(cache=True)
def _fill_targets(
    contacts: tuple[np.ndarray, np.ndarray, np.ndarray],
    first: int,
    second: int,
    inertia: np.ndarray,
    twist: np.ndarray,
    weight: np.ndarray,
    goals: np.ndarray,
) -> None:
    """Fill the targets, likewise.

    Args:
        contacts: Targets of the contacts' motion, wrenches on them, and their drift, shape ``(l,)`` each.
        first: First entry of the first hand's.
        second: First entry of the second hand's.
        inertia: As in ``_fill_rows``.
        twist: X, shape ``(6, 6)``.
        weight: g, shape ``(6,)``.
        goals: Filled, shape ``(12,)``.
    """
    targets, wrenches, drift = contacts
    for i in range(WRENCH):
        balance, motion = weight[i] - wrenches[first + i], targets[second + i]
        for j in range(WRENCH):
            balance += inertia[i, j] * drift[first + j] - twist[j, i] * wrenches[second + j]
            motion -= twist[i, j] * targets[first + j]
        goals[i], goals[WRENCH + i] = balance / FORCE_UNIT, motion


@njit(cache=True)
def _fill_step(
    contacts: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    firsts: tuple[int, int],
    grasp: tuple[np.ndarray, np.ndarray],
    load: tuple[float, np.ndarray, np.ndarray],
    next_load: tuple[float, np.ndarray, np.ndarray],
    rows: np.ndarray,
    goals: np.ndarray,
) -> None:
    """Fill rows and targets of a step.

    Args:
        contacts: Their Jacobian, shape ``(l, nv)``; targets of their motion, wrenches on them, and zeros, shape ``(l,)`` each.
        firsts: First rows of the two hands'.
        grasp: Pose of the first hand in world, and X.
        load: Mass, centre of mass and push of the load.
        next_load: Of the one that it is to be.
        rows: Filled, shape ``(12, size of x)``.
        goals: Filled, shape ``(12,)``.
    """
    jacobian, targets, wrenches, nothing = contacts
    first, second = firsts
    pose, twist = grasp
    weight, push, next_weight, next_push = np.empty(WRENCH), np.empty(WRENCH), np.empty(WRENCH), np.empty(WRENCH)
    fill_load_wrenches(*load, pose, weight, push)
    fill_load_wrenches(*next_load, pose, next_weight, next_push)
    turning = _compute_turning(weight, push, load[1])
    _fill_rows(jacobian, first, second, turning, twist, rows)
    _fill_targets((targets, wrenches, nothing), first, second, turning, twist, weight, goals)
    for i in range(WRENCH):
        rows[i, -1] = (weight[i] - next_weight[i]) / FORCE_UNIT


@njit(cache=True)
def _compute_turning(wrench: np.ndarray, push: np.ndarray, com: np.ndarray) -> np.ndarray:
    r"""Return minus the change with a turn of what acts on an object, shape ``(6, 6)``.

    Of gravity :math:`f \times \omega_A` and its moment :math:`c \times (f \times \omega_A)`, of a push
    :math:`f \times \omega_A` and :math:`n \times \omega_A`.

    Args:
        wrench: Of both in the axes of A, shape ``(6,)`` [N, Nm].
        push: What of it is the push, likewise.
        com: Centre of mass c, shape ``(3,)`` [m].
    """
    force, lever, turning = skew(wrench[:3]), skew(com), np.zeros((WRENCH, WRENCH))
    weight, moment = skew(wrench[:3] - push[:3]), skew(push[3:])
    for i in range(3):
        for j in range(3):
            turning[i, 3 + j] = -force[i, j]
            turning[3 + i, 3 + j] = -moment[i, j]
            for k in range(3):
                turning[3 + i, 3 + j] -= lever[i, k] * weight[k, j]
    return turning
