"""What touches a free effector."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

MIN_ESTIMATED = 0.02
"""Estimated force that is no push, in parts of the weight [-]: a foot's sensor that is off by 10 N, an arm that swings."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Touch:
    """The force on an effector that bears nothing.

    Attributes:
        force: Filtered, less what its sensor measures of nothing, in world, shape ``(3,)`` [N].
        noise: Standard deviation of that force [N].
        uncertainty: Force below which it may be noise, or an estimate's error [N].
    """

    force: np.ndarray
    noise: float
    uncertainty: float
