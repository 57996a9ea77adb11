"""Drives a robot by its maker's protocol: holds it where it stands, and says so. ``python unitree_driver.py INTERFACE``."""

from __future__ import annotations

import sys
import time

import numpy as np

from handhold.app.host.standing import find_standing_posture
from handhold.robots.errors import RobotError
from handhold.robots.model import load_model
from handhold.robots.robot import JointCommand
from handhold.robots.unitree.motor_link import MotorLink
from handhold.robots.unitree.unitree_robot import UnitreeRobot

PERIOD, STIFFNESS, DAMPING = 2e-3, 100.0, 3.0


def drive(link: MotorLink) -> None:
    """Take a robot over, tell its state once, and hold it until somebody ends this process."""
    model = load_model("g1")
    posture = find_standing_posture(model)
    robot = UnitreeRobot(model, link)
    state = robot.reset(posture)
    told = (*state.q[:7], *state.contact_wrenches[:2, 2])
    print("state", *(f"{value:.4f}" for value in told), flush=True)
    nothing, ones = np.zeros(model.n), np.ones(model.n)
    while True:
        state = robot.read()
        robot.send(
            JointCommand(
                time=state.time,
                positions=posture[7:],
                velocities=nothing,
                # No two commands are alike: what is sent again says nothing.
                torques=1e-3 * np.sin(state.time) * ones,
                stiffness=STIFFNESS * ones,
                damping=DAMPING * ones,
            )
        )
        time.sleep(PERIOD)


if __name__ == "__main__":
    joined = MotorLink(sys.argv[1])
    try:
        drive(joined)
    except RobotError as error:
        print("refused", error, flush=True)
        joined.close()
        sys.exit(3)
