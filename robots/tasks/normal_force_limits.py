r"""Normal forces between minima and maxima: :math:`f_{min} \leq N \lambda \leq f_{max}`, a row a contact.

Where the unknowns are changes of the wrenches, a step may use up a part :math:`\beta` of the distance to a bound, must take
back that part of a violation, and changes no force faster than it may:

.. math:: \max(\beta (f_{min} - N \lambda), -d) \leq N \Delta\lambda \leq \min(\beta (f_{max} - N \lambda), r)

but a force below its minimum may rise faster.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from handhold.robots.contact import Stance
from handhold.robots.tasks.task import FORCE_UNIT, Limit


class NormalForceLimits(Limit):
    r"""The normal forces of all contacts of a stance, in units of ``FORCE_UNIT``.

    Attributes:
        wrenches: As ``WrenchCone``'s.
        min_forces: :math:`f_{min}`, shape ``(contacts,)`` [N]; may change in place, as all that follow.
        max_forces: :math:`f_{max}`, likewise.
        barriers: :math:`\\beta` of each contact, likewise [-].
        max_decrease: d, largest decrease of each contact's, likewise [N].
        max_increase: r, largest increase of any [N].
    """

    def __init__(
        self, stance: Stance, nv: int, effector_names: tuple[str, ...], min_forces: np.ndarray, max_forces: np.ndarray
    ) -> None:
        """Limit normal forces.

        Args:
            stance: The contacts.
            nv: Length of a motion: the wrenches come after it.
            effector_names: Of all effectors.
            min_forces: Minimum normal forces, shape ``(contacts,)`` [N].
            max_forces: Maximum normal forces, likewise.
        """
        count = len(stance.effectors)
        super().__init__(count)
        self.wrenches: np.ndarray | None = None
        self.min_forces, self.max_forces = np.array(min_forces), np.array(max_forces)
        self.barriers, self.max_decrease, self.max_increase = np.ones(count), np.full(count, np.inf), np.inf
        self._stance, self._columns = stance, slice(nv, nv + stance.size)
        self._names = tuple(f"{effector_names[effector]} normal force" for effector in stance.effectors)

    def lay(self, rows: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> None:
        """Take the slice of the program; the rows never change."""
        super().lay(rows, lower, upper)
        rows[:, self._columns] = self._stance.normals
        lower[:], upper[:] = self.min_forces / FORCE_UNIT, self.max_forces / FORCE_UNIT

    def fill(self) -> None:
        """Fill the bounds."""
        if self.wrenches is not None:
            fill_normal_force_bounds(
                self._stance.normals,
                self.wrenches,
                (self.min_forces, self.max_forces),
                self.barriers,
                (self.max_decrease, self.max_increase),
                (self.lower, self.upper),
            )

    def name_row(self, row: int) -> str:
        """Return the contact."""
        return self._names[row]


@njit(cache=True)
def fill_normal_force_bounds(
    normals: np.ndarray,
    wrenches: np.ndarray,
    forces: tuple[np.ndarray, np.ndarray],
    barriers: np.ndarray,
    most: tuple[np.ndarray, float],
    bounds: tuple[np.ndarray, np.ndarray],
) -> None:
    """Fill the bounds of changes of the wrenches (see ``NormalForceLimits``)."""
    min_forces, max_forces = forces
    decrease, increase = most
    lower, upper = bounds
    for k in range(normals.shape[0]):
        force = np.dot(normals[k], wrenches)
        down = max(barriers[k] * (min_forces[k] - force), -decrease[k])
        up = min(barriers[k] * (max_forces[k] - force), increase)
        lower[k] = down / FORCE_UNIT
        upper[k] = max(down, up) / FORCE_UNIT
