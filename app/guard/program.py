"""The guard of a maker's robot: it has the maker's library to itself, so that who drives may hang, or die, as it likes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from handhold.app.host.pacing import Pacing
from handhold.app.session.config import SessionConfig
from handhold.app.session.priority import HOST_NICENESS, ask_for_priority
from handhold.app.session.process import Stop, run_process

PERIOD = 1e-3
"""How often it looks for a state and a command [s]."""

DRIVE_PERIOD = 1e-3
"""Period of the drives' own loops, at most [s]: what damping is stable."""

PARTING = 0.05
"""How long a robot is told to damp before its network is left [s]."""


def run_guard(config: SessionConfig, stop: Stop, say: Callable[[str], None]) -> None:
    """Guard the robot of a session until a stop is requested.

    Raises:
        RobotError: The robot's description cannot be had, or what is shared with its driver.
        ModuleNotFoundError: The maker's library is not installed (extra ``unitree``).
    """
    from handhold.robots.model import load_model
    from handhold.robots.simulation.actuation import compute_damping_gains
    from handhold.robots.unitree.makers_robots import find_makers_robot
    from handhold.robots.unitree.motor_guard import MotorGuard
    from handhold.robots.unitree.sdk_link import SdkLink
    from handhold.robots.unitree.shared_motors import SharedMotors
    from handhold.robots.unitree.wiring import Wiring

    ask_for_priority(HOST_NICENESS)
    model = load_model(config.robot)
    gains, wiring = compute_damping_gains(model, DRIVE_PERIOD), Wiring(find_makers_robot(model), model.joint_names)
    shared, link = SharedMotors(Path(config.motors_file)), SdkLink(config.interface, wiring)
    guard, pacing = MotorGuard(link, shared, gains, time.monotonic), Pacing(PERIOD, time.monotonic, time.sleep)
    stop.defer()
    supervisor, was_damping = os.getppid(), False

    def must_stop() -> bool:
        """Whether it was asked to stop; without its supervisor, once nobody commands the robot: it may be handed back yet."""
        return stop.requested or (os.getppid() != supervisor and (guard.damping or not guard.is_driving))

    say(f"guard: watches over the robot on '{config.interface}'")
    try:
        while not must_stop():
            pacing.wait()
            guard.step()
            if guard.damping and not was_damping:
                say("guard: nobody commands the robot any more, it is damped")
            was_damping = guard.damping
    finally:
        guard.stop()
        time.sleep(PARTING)
        link.close()


if __name__ == "__main__":
    run_process(run_guard)
