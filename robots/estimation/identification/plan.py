"""How far and how strongly a joint is moved so that its drive shows what it is like: gently, and within its limits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from handhold.robots.estimation.identification.slow_travel import SlowTravel
from handhold.robots.estimation.identification.swing import Swing
from handhold.robots.estimation.identification.torque_steps import TorqueSteps
from handhold.robots.model import RobotModel

REACH = 0.1
"""Half of the way that a joint travels [rad]."""

LEAST_REACH = 0.04
"""Half of a way that is too short to tell friction from weight [rad]."""

CLEARANCE = 0.05
"""From its way to the limits of its range [rad]."""

STEP_TORQUE, STEP_TIME = 0.03, 2.0
"""Torque that changes, as a part of the motor's largest [-], and for how long [s]."""

SWING_VELOCITY, SWING_TIME = 0.5, 3.0
"""Velocity of each sine of the swing, at most [rad/s], and how long it lasts [s]."""

SWING_TORQUE = 0.25
"""What it may take to swing, as a part of the motor's largest torque [-]."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class JointPlan:
    """What one joint is to do, part after part.

    Attributes:
        joint: Its index.
        travel: For its friction.
        steps: For delay and bandwidth of its torque.
        swing: For its rotor.
    """

    joint: int
    travel: SlowTravel
    steps: TorqueSteps
    swing: Swing

    @property
    def duration(self) -> float:
        """How long it takes, without the pauses in between [s]."""
        return self.travel.duration + self.steps.duration + self.swing.duration


def plan_joint(model: RobotModel, posture: np.ndarray, joint: int, random: np.random.Generator) -> JointPlan | None:
    """Plan what a joint is to do; None where its range leaves it no room.

    Args:
        model: The robot.
        posture: Where it is held, shape ``(n,)`` [rad].
        joint: Index of the joint.
        random: Draws the steps.
    """
    q = float(posture[joint])
    lowest, highest = float(model.lower[joint]) + CLEARANCE - q, float(model.upper[joint]) - CLEARANCE - q
    reach = min(REACH, 0.5 * (highest - lowest))
    middle = float(np.clip(0.0, lowest + reach, highest - reach)) if reach >= LEAST_REACH else 0.0
    swing = _plan_swing(model, posture, joint)
    if reach < LEAST_REACH or abs(middle) > REACH or min(-lowest, highest) < swing.reach:
        return None
    return JointPlan(
        joint=joint,
        travel=SlowTravel(middle - reach, middle + reach),
        steps=TorqueSteps(STEP_TORQUE * float(model.motor_torques[joint]), STEP_TIME, random),
        swing=swing,
    )


def _plan_swing(model: RobotModel, posture: np.ndarray, joint: int) -> Swing:
    """Plan a swing that takes no more torque than it may."""
    q = np.concatenate([model.q_nominal[:7], posture])
    inertia = float(pin.crba(model.pinocchio, model.pinocchio.createData(), q)[6 + joint, 6 + joint])
    fastest = Swing(SWING_VELOCITY, SWING_TIME)
    part = SWING_TORQUE * float(model.motor_torques[joint]) / (inertia * fastest.acceleration)
    return Swing(min(1.0, part) * SWING_VELOCITY, SWING_TIME)
