r"""The equation that ties motion, contact forces and joint torques together.

.. math:: S \tau = D u - J^T \lambda + d

With a step :math:`u = \Delta q` and changes of the forces it is the linearised static equilibrium:
:math:`D = \partial (G - J^T \lambda) / \partial q`, :math:`d = G - J^T \lambda` [Rouxel2022]_ (eq. 15, 16). With
accelerations :math:`u = \ddot q` and the forces themselves it is the robot's dynamics: D the mass matrix, d gravity, Coriolis
and centrifugal terms. Its first six rows, the base's, have no motor: an equality of the program. Those below give the joint
torques.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from handhold.robots.tasks.contact_motion import ContactMotion
from handhold.robots.tasks.task import BASE, FORCE_UNIT


class EquationOfMotion:
    r"""Rows of the base's balance and of the joint torques.

    Attributes:
        offset: d, shape ``(nv,)`` [N, Nm] (view).
        base_rows: Rows :math:`[D_B, -J_B^T]` over x, shape ``(6, size of x)``.
        base_offset: :math:`d_B`, shape ``(6,)``; what of it is not to be made up for at once may be taken off after ``fill``.
        torque_rows: Rows of the joint torques in units of ``FORCE_UNIT``, shape ``(n, size of x)``.
    """

    def __init__(self, contacts: ContactMotion, matrix: np.ndarray, offset: np.ndarray, *, symmetric: bool = False) -> None:
        """Take the arrays that are refreshed before every program.

        Args:
            contacts: Contacts that transmit the forces, and what else is pushed.
            matrix: D, shape ``(nv, nv)``.
            offset: d, shape ``(nv,)``.
            symmetric: Whether only the upper triangle of D is filled.
        """
        nv = len(offset)
        size = nv + len(contacts.force_jacobian)
        self.offset = offset
        self.base_rows, self.base_offset = np.zeros((BASE.stop, size)), np.zeros(BASE.stop)
        self.torque_rows = np.zeros((nv - BASE.stop, size))
        self._from = (matrix, symmetric, offset, contacts.force_jacobian)

    def write_torques_to(self, rows: np.ndarray) -> None:
        """Keep the torques' rows in a slice of a program, shape ``(n, size of x)``, which has them as they are."""
        self.torque_rows = rows

    def fill(self) -> None:
        """Fill the rows; the contacts' Jacobian comes before them."""
        fill_equation_of_motion(*self._from, self.base_rows, self.base_offset, self.torque_rows)

    def compute_torques(self, x: np.ndarray) -> np.ndarray:
        """Compute the joint torques of a solution x, shape ``(size,)``; shape ``(n,)`` [Nm]."""
        return FORCE_UNIT * (self.torque_rows @ x) + self.offset[BASE.stop :]


@njit(cache=True)
def fill_equation_of_motion(
    matrix: np.ndarray,
    symmetric: bool,
    offset: np.ndarray,
    force_jacobian: np.ndarray,
    base_rows: np.ndarray,
    base_offset: np.ndarray,
    torque_rows: np.ndarray,
) -> None:
    """Fill the rows of the base and of the joint torques (see ``EquationOfMotion``)."""
    nv, size = matrix.shape[0], force_jacobian.shape[0]
    for i in range(6):
        base_offset[i] = offset[i]
        for j in range(nv):
            base_rows[i, j] = matrix[min(i, j), max(i, j)] if symmetric else matrix[i, j]
        for j in range(size):
            base_rows[i, nv + j] = -FORCE_UNIT * force_jacobian[j, i]
    for i in range(nv - 6):
        k = 6 + i
        if symmetric:
            for j in range(nv):
                torque_rows[i, j] = matrix[min(k, j), max(k, j)] / FORCE_UNIT
        else:
            for j in range(nv):
                torque_rows[i, j] = matrix[k, j] / FORCE_UNIT
        for j in range(size):
            torque_rows[i, nv + j] = -force_jacobian[j, k]
