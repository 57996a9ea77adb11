"""How the load goes over from one foot to the other."""

from __future__ import annotations

import numpy as np

from handhold.retarget.walking.gait_feet import GaitFeet
from handhold.retarget.walking.timing import Phase, compute_progress
from handhold.robots.description import Walking


def compute_load_ratios(phase: Phase, elapsed: float, feet: GaitFeet, zmp: np.ndarray, walking: Walking) -> np.ndarray:
    r"""Compute the part of the load on the left and right foot, shape ``(2,)``, sum 1 [-].

    While the load goes over it is shared as the preview's region moves; a robot that stands has it where its ZMP is:

    .. math:: \lambda = (1 - w) b + w \min(1, \max(0, \frac{d^T (z - p_0)}{d^T d})), \qquad d = p_1 - p_0,

    with blend :math:`b` and width :math:`w` of ``compute_progress``.

    Args:
        phase: What the feet do.
        elapsed: How long they have done it [s].
        feet: Where they are.
        zmp: Zero moment point, shape ``(2,)`` [m].
        walking: Durations.
    """
    if phase is Phase.SINGLE:
        ratio = 1.0
    else:
        (blend,), (width,) = compute_progress(phase, np.array([elapsed]), walking)
        positions = feet.placed.positions
        across = positions[1] - positions[0]
        along = float(across @ (zmp - positions[0]) / (across @ across))
        ratio = (1.0 - width) * blend + width * min(1.0, max(0.0, along))
    ratios = np.full(2, 1.0 - ratio)
    ratios[feet.support_index] = ratio
    return ratios
