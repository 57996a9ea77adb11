"""All modes: a new one is a file and a line in the table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from handhold.retarget.bracing.margin.retargeting_choice import NOMINAL, Retargeting
from handhold.retarget.bracing.mode import BracingMode
from handhold.retarget.bracing.seiko.parameters import SeikoParameters
from handhold.retarget.mode import Mode
from handhold.retarget.motions.loading import load_known_motions
from handhold.retarget.motions.mode import MotionMode
from handhold.retarget.walking.mode import MPC_ITERATIONS, WalkingMode
from handhold.retarget.whole_body.body_mapping import find_mapping
from handhold.retarget.whole_body.mode import WholeBodyMode
from handhold.robots.model import RobotModel
from handhold.robots.qp import DaqpSolver, make_solver


@dataclass(frozen=True, slots=True, kw_only=True)
class ModeChoices:
    """What may be chosen of the modes.

    Attributes:
        solver: Name of the QP solver.
        seiko: Parameters of SEIKO; None for the defaults.
        retargeting: What may change the operator's commands for the sake of stability.
    """

    solver: str = "daqp"
    seiko: SeikoParameters | None = None
    retargeting: Retargeting = NOMINAL


def _make_bracing(model: RobotModel, choices: ModeChoices) -> Mode:
    solver = make_solver(choices.solver)
    return BracingMode(model, solver, parameters=choices.seiko, retargeting=choices.retargeting)


def _make_walking(model: RobotModel, choices: ModeChoices) -> Mode | None:
    if model.description.walking is None:
        return None
    solver = DaqpSolver(max_iterations=MPC_ITERATIONS) if choices.solver == "daqp" else make_solver(choices.solver)
    return WalkingMode(model, solver)


def _make_motions(model: RobotModel, _choices: ModeChoices) -> Mode | None:
    # Checking them takes half a second, and one model serves many cycles: that of the warm-up and that of the session.
    motions, left_out = model.compute_once(load_known_motions)
    return MotionMode(model, motions, left_out=left_out) if motions else None


def make_whole_body(model: RobotModel, choices: ModeChoices) -> Mode | None:
    """Make the whole-body mode; None for a robot that has nothing which could follow a person."""
    mapping = model.compute_once(find_mapping)
    return WholeBodyMode(model, mapping, make_solver(choices.solver), parameters=choices.seiko) if mapping else None


ModeMaker = Callable[[RobotModel, ModeChoices], Mode | None]
"""Makes a mode of a robot; None where its description has nothing of it."""

MODES: tuple[ModeMaker, ...] = (_make_bracing, _make_walking, _make_motions, make_whole_body)
"""Makes each mode, or None where the robot's description has nothing of it; the first is in charge at the start."""


def make_modes(model: RobotModel, choices: ModeChoices, makers: Sequence[ModeMaker] = MODES) -> tuple[Mode, ...]:
    """Return the modes that a robot has.

    Args:
        model: The robot.
        choices: What may be chosen of them.
        makers: What makes each.

    Raises:
        RetargetError: The description of the robot contradicts what it says of a mode.
    """
    made = (make(model, choices) for make in makers)
    return tuple(mode for mode in made if mode is not None)
