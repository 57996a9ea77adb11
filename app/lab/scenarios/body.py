"""The simulated robot that a scenario is played on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from handhold.app.lab.scenarios.deviation import STAND_IN, Deviation
from handhold.app.lab.scenarios.needs import any_hand
from handhold.app.lab.scenarios.scenario import RobotUnfit
from handhold.app.limbs import choose_hand
from handhold.app.session.config import REAL
from handhold.app.stand_in.program import find_model
from handhold.robots.model import RobotModel
from handhold.robots.robot import SimulatedRobot
from handhold.robots.simulation.engines import make_robot
from handhold.robots.simulation.imperfect_robot import ImperfectRobot
from handhold.robots.simulation.imperfection import LEVELS, displace_walls, draw_mechanics
from handhold.robots.simulation.mechanics import AS_MODELLED
from handhold.robots.simulation.sensed_robot import SensedRobot, check_observed
from handhold.robots.unitree.stand_in_robot import StandInRobot
from handhold.robots.worlds import World

SENSORS_STREAM = 4
"""Stream of a seed's randomness from which a robot's sensors have their biases and noise."""


def make_body(engine: str, model: RobotModel, world: World, seed: int, deviation: Deviation) -> SimulatedRobot:
    """Make a robot in a world.

    Args:
        engine: Name of the physics engine.
        model: The robot, as it is known.
        world: The world, as it is known; walls of an imperfect robot's world stand elsewhere.
        seed: Seed of the imperfections.
        deviation: How far the robot is from its model.

    Raises:
        RobotUnfit: There is a payload and no hand.
        BaseNotObserved: There are real sensors, and neither feet that feel the ground nor a base that is bolted down.
        NoStandIn: Nothing can stand in for the robot.
        ModelNotInstalled: The package that has what stands in is not installed.
    """
    if deviation.sensors == REAL:
        check_observed(model.description)
    if deviation.body == STAND_IN:
        return StandInRobot(model, find_model(model.description.name), world, seed, deviation.motors)
    payload = deviation.payload
    if payload > 0.0 and (lack := any_hand(model)):
        raise RobotUnfit(model.description.source, "a payload", lack)
    carried = ((choose_hand(model)[1], payload),) if payload > 0.0 else ()
    body = _make_imperfect(engine, model, world, seed, deviation.imperfect, carried)
    return SensedRobot(body, np.random.default_rng((seed, SENSORS_STREAM))) if deviation.sensors == REAL else body


def _make_imperfect(
    engine: str, model: RobotModel, world: World, seed: int, level: int, carried: tuple[tuple[int, float], ...]
) -> SimulatedRobot:
    """Make a robot of a level of imperfections that carries masses at some effectors."""
    if level == 0:
        return make_robot(engine, model, world, mechanics=replace(AS_MODELLED, payload=carried))
    imperfection, random = LEVELS[level], np.random.default_rng((seed, 3))
    mechanics = replace(draw_mechanics(model, imperfection, random), payload=carried)
    body = make_robot(engine, model, displace_walls(world, imperfection, random), mechanics=mechanics)
    return ImperfectRobot(body, imperfection, random)
