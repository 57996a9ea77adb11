r"""What measurements say together of something that is constant, or was until lately.

Each of them says :math:`H x = b`, H its information; what is older than the time constant T hardly counts:

.. math:: \Lambda = \sum_k e^{-(t - t_k) / T} H_k, \qquad \eta = \sum_k e^{-(t - t_k) / T} b_k .
"""

from __future__ import annotations

import math

import numpy as np


class FadingInformation:
    r"""A sum of measurements that fade.

    Attributes:
        information: :math:`\Lambda`, shape ``(n, n)``.
        vector: :math:`\eta`, shape ``(n,)``.
    """

    def __init__(self, size: int, time_constant: float) -> None:
        """Begin without any.

        Args:
            size: Length of x.
            time_constant: Time after which a measurement counts a third [s].
        """
        self._time_constant = time_constant
        self.information, self.vector = np.zeros((size, size)), np.zeros(size)

    def fade(self, duration: float) -> None:
        """Let a time pass [s]."""
        self.scale(math.exp(-duration / self._time_constant))

    def scale(self, factor: float) -> None:
        """Let all that is known count as much as that part of it, 0 to 1."""
        self.information *= factor
        self.vector *= factor

    def add(self, information: np.ndarray, vector: np.ndarray) -> None:
        """Take in a measurement, H of shape ``(n, n)`` and b of shape ``(n,)``."""
        self.information += information
        self.vector += vector

    def take_over(self, other: FadingInformation) -> None:
        """Know what another one does, and nothing else."""
        self.information[:] = other.information
        self.vector[:] = other.vector

    def solve(self, prior: np.ndarray, center: np.ndarray) -> np.ndarray:
        """Return the best x, shape ``(n,)``.

        Args:
            prior: Information about x before the first measurement, shape ``(n, n)``.
            center: What x is without any, shape ``(n,)``.
        """
        return np.asarray(np.linalg.solve(prior + self.information, prior @ center + self.vector))
