"""What a session drives, by the name of its body: a simulation, or a maker's robot. A maker is one line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from handhold.app.host.driven_robot import DrivenRobot, OwnTimeRobot, SteppedRobot
from handhold.app.host.footholds import find_start
from handhold.app.host.loop_clocks import LoopClocks
from handhold.app.host.warm_up import warm_up
from handhold.app.session.config import REAL, SIMULATED_BODY, UNITREE, SessionConfig
from handhold.robots.model import RobotModel, load_model
from handhold.robots.robot import RobotState
from handhold.robots.simulation.engines import make_robot
from handhold.robots.simulation.sensed_robot import SensedRobot
from handhold.robots.worlds import load_world

SENSORS_SEED = 0
"""Seed of a simulated robot's biases and noise: every session has the same."""

Start = tuple[DrivenRobot, RobotState]
"""A robot that stands where a session begins, and its state."""


def start_robot(config: SessionConfig, clocks: LoopClocks) -> Start:
    """Let the robot of a session stand at its start, with all compiled that a session calls.

    Raises:
        RobotError: The robot cannot be had, or not be taken over.
        AppError: It does not stand in its world.
    """
    model = load_model(config.robot)
    return BODIES[config.body](config, model, find_start(config.world, model), clocks)


def _start_simulated(config: SessionConfig, model: RobotModel, posture: np.ndarray, clocks: LoopClocks) -> Start:
    robot = make_robot(config.engine, model, load_world(config.world))
    if config.sensors == REAL:
        robot = SensedRobot(robot, np.random.default_rng(SENSORS_SEED))
    warm_up(robot, posture)
    return SteppedRobot(robot, clocks), robot.reset(posture)


def _start_unitree(config: SessionConfig, model: RobotModel, posture: np.ndarray, clocks: LoopClocks) -> Start:
    from handhold.robots.unitree.guarded_link import GuardedLink
    from handhold.robots.unitree.shared_motors import SharedMotors
    from handhold.robots.unitree.unitree_robot import UnitreeRobot

    # What is compiled is compiled on a simulation: a robot that stands there waits for no compiler.
    rehearsal = make_robot(config.engine, model, load_world("flat"))
    warm_up(rehearsal, posture)
    rehearsal.close()
    link = GuardedLink(config.interface, SharedMotors(Path(config.motors_file)), clock=clocks.monotonic, sleep=clocks.sleep)
    robot = UnitreeRobot(model, link, clock=clocks.monotonic, sleep=clocks.sleep)
    return OwnTimeRobot(robot, clocks), robot.reset(posture)


BODIES: Mapping[str, Callable[[SessionConfig, RobotModel, np.ndarray, LoopClocks], Start]] = {
    SIMULATED_BODY: _start_simulated,
    UNITREE: _start_unitree,
}
"""How each body is started."""
