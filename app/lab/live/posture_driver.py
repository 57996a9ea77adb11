"""Drives a robot by its guard: holds it where it stands, and says so.

``python -m handhold.app.lab.live.posture_driver INTERFACE FILE``
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from handhold.app.host.standing import find_standing_posture
from handhold.app.session.config import UNITREE, SessionConfig
from handhold.app.session.processes import GUARD
from handhold.robots.errors import RobotError
from handhold.robots.model import load_model
from handhold.robots.robot import JointCommand
from handhold.robots.unitree.guarded_link import GuardedLink
from handhold.robots.unitree.shared_motors import SharedMotors, make_shared_file
from handhold.robots.unitree.unitree_robot import UnitreeRobot

PERIOD = 2e-3
"""How often it commands the robot [s]."""

STIFFNESS, DAMPING = 100.0, 3.0
"""Gains of all joints [Nm/rad], [Nms/rad]."""

REFUSED = 3
"""Exit code where the robot is not to be taken over."""


def start_guard(interface: str, file: Path) -> subprocess.Popen[bytes]:
    """Start the guard as a session does, and tell its process."""
    make_shared_file(file)
    config = SessionConfig(
        robot="g1", body=UNITREE, interface=interface, motors_file=str(file), link_port=0, log_folder=str(file.parent)
    )
    guard = GUARD.start(config)
    print("guard", guard.pid, flush=True)
    return guard


def drive(interface: str, file: Path) -> None:
    """Take a robot over, tell its state once, and hold it until somebody ends this process or damps the robot."""
    model = load_model("g1")
    posture = find_standing_posture(model)
    robot = UnitreeRobot(model, GuardedLink(interface, SharedMotors(file)))
    state = robot.reset(posture)
    told = (*state.q[:7], *state.contact_wrenches[:2, 2])
    print("state", *(f"{value:.4f}" for value in told), flush=True)
    nothing, ones = np.zeros(model.n), np.ones(model.n)
    was_damped = False
    while True:
        state = robot.read()
        robot.send(
            JointCommand(
                time=state.time,
                positions=posture[7:],
                velocities=nothing,
                torques=nothing,
                stiffness=STIFFNESS * ones,
                damping=DAMPING * ones,
            )
        )
        if robot.damped and not was_damped:
            print("driver: damped", flush=True)
        was_damped = robot.damped
        time.sleep(PERIOD)


if __name__ == "__main__":
    chosen, shared = sys.argv[1], Path(sys.argv[2])
    watcher = start_guard(chosen, shared)
    try:
        drive(chosen, shared)
    except RobotError as error:
        print("refused", error, flush=True)
        watcher.terminate()
        watcher.wait()
        sys.exit(REFUSED)
