"""The first cycles of a process compile what they call; they must not be those of a session."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from handhold.app.cycle import Cycle
from handhold.app.session import CONTROL_PERIOD
from handhold.devices.operator_input import HandInput, OperatorInput
from handhold.robots.robot import RobotState

CYCLES = 40


def warm_up(cycle: Cycle, state: RobotState) -> None:
    """Run a cycle that is thrown away afterwards through a short reach of both hands.

    Args:
        cycle: A cycle that no robot listens to.
        state: State of the robot, which does not move meanwhile.
    """
    for number in range(CYCLES):
        pose = pin.SE3(np.eye(3), np.array([0.4 + 1e-4 * number, 0.0, 1.0]))
        hand = HandInput(pose=pose, aim=pose, squeeze=float(number > CYCLES // 4))
        sample = OperatorInput(time=number * CONTROL_PERIOD, sequence=number, device="warm-up", left=hand, right=hand)
        cycle.step(sample, state, (), CONTROL_PERIOD)
