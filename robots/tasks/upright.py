r"""A base that stays well within what would count as a fall: its tilt, by :math:`R_{33}`, and its height over the ground.

With the base's rotation R and velocities in its own axes :math:`\dot R_{33} = R_{31} \omega_y - R_{32} \omega_x`:

.. math:: \dot R_{33} \geq -\beta \max(0, R_{33} - c), \qquad e_z^T R v_B \geq -\beta \max(0, h - h_{min}).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from handhold.robots.tasks.task import Limit

_NAMES = ("base tilt", "base height")


class UprightLimits(Limit):
    r"""Two rows.

    Attributes:
        height: h, of the base over the feet [m].
        barrier: :math:`\\beta`, part of the distance to a bound that may be used up [-].
    """

    def __init__(self, base_rotation: np.ndarray, min_cosine: float, min_height: float) -> None:
        """Keep the base up.

        Args:
            base_rotation: R, shape ``(3, 3)``, refreshed in place.
            min_cosine: c, of the largest tilt [-].
            min_height: :math:`h_{min}` [m].
        """
        super().__init__(2)
        self.height, self.barrier = np.inf, 1.0
        self._rotation, self._bounds = base_rotation, (min_cosine, min_height)

    def fill(self) -> None:
        """Fill rows and bounds."""
        fill_upright_rows(self._rotation, self.height, self._bounds, self.barrier, self.rows, self.lower)

    def name_row(self, row: int) -> str:
        """Return which of the two it is."""
        return _NAMES[row]


@njit(cache=True)
def fill_upright_rows(
    rotation: np.ndarray,
    height: float,
    bounds: tuple[float, float],
    barrier: float,
    rows: np.ndarray,
    lower: np.ndarray,
) -> None:
    """Fill rows and lower bounds (see ``UprightLimits``)."""
    rows[0, 3], rows[0, 4] = -rotation[2, 1], rotation[2, 0]
    lower[0] = -barrier * max(0.0, rotation[2, 2] - bounds[0])
    for i in range(3):
        rows[1, i] = rotation[2, i]
    lower[1] = -barrier * max(0.0, height - bounds[1])
