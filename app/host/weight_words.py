"""What the operator is told of what a robot bears beside itself."""

from __future__ import annotations

from handhold.robots.estimation.centroid import Centroid
from handhold.robots.model import RobotModel

MIN_MASS, MIN_PART = 1.0, 0.03
"""Difference from the description's mass from which on it is told [kg], and as a part of that mass [-]."""


def say_weight(centroid: Centroid, model: RobotModel) -> str:
    """Say how much a robot bears more or less than its description says, in words; empty for nothing."""
    difference = centroid.mass - model.mass
    if not centroid.is_known or abs(difference) < max(MIN_MASS, MIN_PART * model.mass):
        return ""
    direction = "more" if difference > 0.0 else "less"
    return f"the robot bears {abs(difference):.1f} kg {direction} than its description says"
