"""What a scenario is: a script of the operator, a world, a duration, and what its run must show."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np

from handhold.app.camera.sight import FrameFault
from handhold.app.errors import AppError
from handhold.app.host.standing import find_standing_posture
from handhold.app.lab.figures import Figure, Outcome
from handhold.app.lab.scenarios.plot import plot_trace
from handhold.app.lab.scenarios.trace import Trace
from handhold.devices.operator_input import OperatorInput
from handhold.perception.simulation.stereo_noise import StereoNoise
from handhold.render.snapshot import Snapshot
from handhold.robots.model import RobotModel
from handhold.robots.robot import RobotState, SimulatedRobot
from handhold.robots.worlds import World

DEFAULT_ROBOT = "talos"
"""Robot that plays a scenario which needs no other one."""

OPERATOR_RATE = 90.0
"""Samples of the scripted operator [Hz], as a headset's."""


class Operator(Protocol):
    """A scripted operator: gets the snapshots of a viewer, and answers with samples."""

    @property
    def over(self) -> bool:
        """Whether nothing more is to come."""
        ...

    @property
    def missed(self) -> tuple[str, ...]:
        """What the operator waited for in vain."""
        ...

    @property
    def notes(self) -> Mapping[str, float]:
        """What the operator counted himself, by name."""
        ...

    def sample(self, time: float, snapshot: Snapshot | None) -> OperatorInput:
        """Return the sample at a time [s], having seen the last snapshot (None before the first)."""
        ...


class RobotUnfit(AppError):
    """A scenario needs something that the robot does not have."""

    def __init__(self, source: str, scenario: str, lack: str) -> None:
        self.source = source
        self.scenario = scenario
        super().__init__(f"{source}: {scenario} needs {lack}; take another robot or another scenario")


Disturbance = Callable[[SimulatedRobot, RobotState], np.ndarray | None]
"""Called with the robot and its state in every cycle, before the physics advance: it may push, and returns with what force
where that is to be measured, in world, shape ``(3,)`` [N]."""

Need = Callable[[RobotModel], str]
"""Tells what a robot lacks, in words that follow "needs"; empty where it lacks nothing."""


def _at_the_origin(_model: RobotModel, _effector_poses: np.ndarray) -> tuple[float, float]:
    return 0.0, 0.0


def _leave_as_it_is(world: World, _random: np.random.Generator) -> World:
    return world


def _as_it_is(world: World, _model: RobotModel, _effector_poses: np.ndarray) -> World:
    return world


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One scenario.

    Attributes:
        name: Name on the command line.
        title: What happens, in a line for people.
        world: World the robot stands in.
        robot: Robot that plays it unless another one is asked for.
        mapped: World of the surface map; None for that one.
        duration: Simulated time [s]; a script that is over before ends the run.
        script: Makes the operator for a robot, from the first poses of its effectors, shape ``(effectors, 4, 4)``, and a
            random generator.
        measure: Turns the run into figures.
        needs: What the robot must have.
        start: Finds the configuration in which the robot begins, shape ``(nq,)``.
        start_offset: Displacement of the robot's start in the world, x and y [m], from the poses of its effectors.
        vary: Varies the world at random.
        fit: Fits the world to the robot, from the poses of its effectors where it stands.
        endless: Whether the script goes on for as long as one likes.
        disturb: Makes what pushes the simulated robot besides, from a random generator of its own; None for nothing.
        delay: Makes how late a sample of the operator arrives [s], from a random generator of its own; None for at once.
        draw: Draws the run into a PNG file.
        make_frame_fault: Makes, for each camera of the robot, what becomes of its frames; None where they arrive as they are.
        must_see: Whether the robot must know the world by its cameras: nobody would tell it of what happens there.
        proposes: Whether places to brace are proposed to the operator, as in a session.
        moves: How far the robot must have come in the end where the scenario is played in real processes [m].
        camera_noise: Of simulated cameras: a good D455's as a rule.
    """

    name: str
    title: str
    world: str
    duration: float
    script: Callable[[RobotModel, np.ndarray, np.random.Generator], Operator]
    measure: Callable[[RobotModel, Trace], Sequence[Figure]]
    robot: str = DEFAULT_ROBOT
    mapped: str | None = None
    needs: tuple[Need, ...] = ()
    start: Callable[[RobotModel], np.ndarray] = find_standing_posture
    start_offset: Callable[[RobotModel, np.ndarray], tuple[float, float]] = _at_the_origin
    vary: Callable[[World, np.random.Generator], World] = _leave_as_it_is
    fit: Callable[[World, RobotModel, np.ndarray], World] = _as_it_is
    endless: bool = False
    disturb: Callable[[RobotModel, np.random.Generator], Disturbance] | None = None
    delay: Callable[[np.random.Generator], Callable[[], float]] | None = None
    draw: Callable[[RobotModel, Trace, Outcome, Path], None] = plot_trace
    make_frame_fault: Callable[[], FrameFault] | None = None
    must_see: bool = False
    proposes: bool = False
    moves: float = 0.0
    camera_noise: StereoNoise = field(default_factory=StereoNoise)

    def check(self, model: RobotModel) -> None:
        """Check that a robot has what the scenario needs.

        Raises:
            RobotUnfit: It has not.
        """
        for need in self.needs:
            if lack := need(model):
                raise RobotUnfit(model.description.source, self.name, lack)
