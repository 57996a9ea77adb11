"""What it costs that ground bears too little, too high or too low (see ``foothold_choice``)."""

from __future__ import annotations

import numpy as np

from handhold.retarget.walking.ground import GroundMap

SCALE = 0.15
"""Weighed distance that costs as much as it is [m]: squared, for rather two footsteps a little elsewhere than one far away."""

PART = 0.4
"""Cost of a place that bears no part of the sole [m]."""

RIM = 0.1
"""Cost of one that nothing beside the sole would bear [m]: it does not come down to the millimetre."""

LEVEL = 2.0
"""Cost of a metre higher or lower than the foot that bears [-]."""

ASTRIDE = 0.4
"""Cost of a place that keeps one foot higher than the other, step for step [m]."""

EVEN = 0.01
"""Difference in height up to which ground is level [m]: a map has its noise, and no robot need be slower for it."""


def rate(ground: GroundMap, places: np.ndarray, angle: float, height: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rate what bears at places: what that costs [m], how high it is [m], and the part of a sole that bears [-]."""
    ratios, rims, levels = ground.rate_places(places, angle, height)
    return PART * (1.0 - ratios) + RIM * (1.0 - rims), np.where(np.isnan(levels), height, levels), ratios


def is_astride(level: np.ndarray | float, support: np.ndarray | float, lifted: float) -> np.ndarray:
    """Whether a foot that is put down stays higher, or lower, than the foot that bears, as it was before; NaN does not."""
    before, after = np.subtract(lifted, support), np.subtract(level, support)
    return np.asarray((np.abs(before) > EVEN) & (np.abs(after) > EVEN) & (before * after > 0.0))
