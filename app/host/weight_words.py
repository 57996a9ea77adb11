"""What the operator is told of what a robot bears beside itself, and where."""

from __future__ import annotations

import numpy as np

from handhold.robots.estimation.centroid import Centroid
from handhold.robots.model import RobotModel

MIN_MASS, MIN_PART = 1.0, 0.03
"""Difference from the description's mass from which on it is told [kg], and as a part of that mass [-]."""

MIN_OFFSET = 0.02
"""How far the centre of mass must be from the description's to be told [m]: less may be the biases of the soles' sensors."""


def say_weight(centroid: Centroid, model: RobotModel) -> str:
    """Say how much a robot bears more or less than its description says, and where to, in words; empty for nothing."""
    if not centroid.is_known:
        return ""
    said = (*_say_mass(centroid.mass - model.mass, model.mass), *_say_offset(centroid.offset))
    return f"the robot {' and '.join(said)} than its description says" if said else ""


def _say_mass(difference: float, mass: float) -> tuple[str, ...]:
    if abs(difference) < max(MIN_MASS, MIN_PART * mass):
        return ()
    return (f"bears {abs(difference):.1f} kg {'more' if difference > 0.0 else 'less'}",)


def _say_offset(offset: np.ndarray) -> tuple[str, ...]:
    """Say where a centre of mass is against where it is thought to be, in the heading's axes, shape ``(2,)`` [m]."""
    if np.linalg.norm(offset) < MIN_OFFSET:
        return ()
    words = (("further ahead", "further back"), ("further left", "further right"))
    parts = [f"{100.0 * abs(way):.0f} cm {pair[way < 0.0]}" for way, pair in zip(offset.tolist(), words, strict=True)]
    told = [part for part in parts if not part.startswith("0 ")]
    return (f"has its centre of mass {' and '.join(told)}",)
