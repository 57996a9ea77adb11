"""Where a joint of a robot that is held is to be, beside the posture in which it is held."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class JointTarget:
    """What one joint is to do at a moment.

    Attributes:
        displacement: From where it is held [rad].
        velocity: Its rate [rad/s].
        torque: Added to the torques that hold it [Nm].
    """

    displacement: float = 0.0
    velocity: float = 0.0
    torque: float = 0.0
