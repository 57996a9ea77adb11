r"""Contacts that neither slip, tilt nor twist: :math:`U \lambda \leq 0`, a row a side of the friction and wrench cones.

Where the unknowns are changes of the wrenches, a step may use up a part :math:`\beta` of the distance to a side, and must
take back that part of a violation: :math:`U \Delta\lambda \leq -\beta U \lambda`. The cones are the stance's (``contact.py``).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from handhold.robots.contact import Stance
from handhold.robots.tasks.task import FORCE_UNIT, Limit


class WrenchCone(Limit):
    r"""The cones of all contacts of a stance, in units of ``FORCE_UNIT``.

    Attributes:
        wrenches: Present ones, stacked, shape ``(l,)`` [N, Nm], where the unknowns are their changes; None where the unknowns
            are the wrenches themselves.
        barriers: :math:`\\beta` of each contact, shape ``(contacts,)`` [-]; may change in place.
    """

    def __init__(self, stance: Stance, nv: int) -> None:
        """Limit the wrenches of a stance, which come after a motion of length ``nv``."""
        super().__init__(len(stance.cone))
        self.wrenches: np.ndarray | None = None
        self.barriers = np.ones(len(stance.effectors))
        self._stance, self._columns = stance, slice(nv, nv + stance.size)
        # The contact every row belongs to.
        self._owners = np.searchsorted(stance.offsets, np.argmax(stance.cone != 0.0, axis=1), side="right") - 1

    def lay(self, rows: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> None:
        """Take the slice of the program; the rows never change."""
        super().lay(rows, lower, upper)
        rows[:, self._columns] = self._stance.cone
        upper[:] = 0.0

    def fill(self) -> None:
        """Fill the bounds."""
        if self.wrenches is not None:
            fill_cone_bounds(self._stance.cone, self.wrenches, self.barriers, self._owners, self.upper)

    def name_row(self, row: int) -> str:
        """Return the contact and the kind of side."""
        return self._stance.cone_names[row]


@njit(cache=True)
def fill_cone_bounds(
    cone: np.ndarray, wrenches: np.ndarray, barriers: np.ndarray, owners: np.ndarray, upper: np.ndarray
) -> None:
    """Fill the bounds of changes of the wrenches (see ``WrenchCone``), ``owners`` the contact of each row."""
    for i in range(cone.shape[0]):
        upper[i] = -barriers[owners[i]] * np.dot(cone[i], wrenches) / FORCE_UNIT
