"""Costs of ground that supports too little, too high or too low (see ``foothold_choice``)."""

from __future__ import annotations

import numpy as np

from handhold.retarget.walking.ground import GroundMap

DISTANCE_SCALE = 0.15
"""Weighed distance that costs as much as it is [m]: squared, for rather two footsteps a little elsewhere than one far away."""

AREA_COST = 0.4
"""Cost of a foothold that supports no part of the sole [m]."""

RIM_COST = 0.1
"""Cost of one beside which nothing would support the sole [m]: it does not come down to the millimetre."""

HEIGHT_COST = 2.0
"""Cost of a metre higher or lower than the support foot [-]."""

STRADDLE_COST = 0.4
"""Cost of a foothold that keeps one foot higher than the other, step for step [m]."""

LEVEL_TOLERANCE = 0.01
"""Difference in height up to which ground is level [m]: a map has its noise, and no robot need be slower for it."""


def compute_costs(
    ground: GroundMap, positions: np.ndarray, angle: float, height: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Compute the costs of footholds [m], their heights [m], and the supported part of a sole [-]."""
    ratios, rims, levels = ground.rate_footholds(positions, angle, height)
    return AREA_COST * (1.0 - ratios) + RIM_COST * (1.0 - rims), np.where(np.isnan(levels), height, levels), ratios


def is_straddling(level: np.ndarray | float, support: np.ndarray | float, lift_off_height: float) -> np.ndarray:
    """Whether a foot that is put down stays higher, or lower, than the support foot, as it was before; NaN does not."""
    before, after = np.subtract(lift_off_height, support), np.subtract(level, support)
    return np.asarray((np.abs(before) > LEVEL_TOLERANCE) & (np.abs(after) > LEVEL_TOLERANCE) & (before * after > 0.0))
