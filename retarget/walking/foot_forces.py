r"""Measured normal forces of the feet between two steps of the gait, and how far they are to be believed.

.. math::

    \sigma^2 \mathrel{+}= \frac{dt}{\tau + dt} (\min(f, k \sigma + f_0)^2 - \sigma^2)
    \quad \text{while no touch of the foot in the air counts}

A foot in the air is pressed by nothing: what is measured of it there is noise. Where it may touch nothing is learnt: after
8 ms a force that lasts would no longer be five of its own standard deviations. Before, what the foot brushes counts no more
than :math:`k \sigma + f_0`: it would hide the next touch.
"""

from __future__ import annotations

import numpy as np

NOISE_FILTER = 0.2
"""Time constant with which the noise is measured [s]: shorter than the part of a swing in which no touch counts."""


OUTLIER_RATIO, OUTLIER_FORCE = 3.0, 0.004
"""How many times the noise, and what part of the weight beside, a measurement counts at most in it [-]."""


class FootForces:
    """Keeps the largest normal forces since the gait's last step, and their noise; feet are left before right.

    Attributes:
        peaks: Largest forces since ``clear``, as parts of the weight, shape ``(2,)`` [-]: a foot that bounces is loaded for a
            single cycle.
        noise: Standard deviation of what is measured in the air, likewise.
    """

    def __init__(self) -> None:
        self.peaks = np.zeros(2)
        self.noise = np.zeros(2)

    def update(self, forces: np.ndarray, untouched: np.ndarray, dt: float) -> None:
        """Take in what is measured.

        Args:
            forces: Normal forces as parts of the weight, shape ``(2,)`` [-].
            untouched: Which feet are in the air where no touch counts, shape ``(2,)``, bool.
            dt: Time since the last measurement [s].
        """
        np.maximum(self.peaks, forces, out=self.peaks)
        squared = self.noise**2
        counted = np.minimum(np.abs(forces), OUTLIER_RATIO * self.noise + OUTLIER_FORCE)
        squared += np.where(untouched, dt / (NOISE_FILTER + dt), 0.0) * (counted**2 - squared)
        self.noise = np.sqrt(squared)

    def clear(self) -> None:
        """Forget the peaks: the gait has read them."""
        self.peaks = np.zeros(2)
