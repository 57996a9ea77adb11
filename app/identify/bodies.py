"""The robot that is to be held: a maker's one behind its guard, or what stands in for it, in lockstep."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from handhold.app.errors import AppError
from handhold.app.extras import require_extra
from handhold.app.guard.guarded_motors import guard_motors
from handhold.app.session.config import UNITREE
from handhold.app.session.interfaces import check_interface
from handhold.app.session.priority import HOST_NICENESS, ask_for_priority
from handhold.app.stand_in.hung import hang_stand_in
from handhold.app.stand_in.program import find_model
from handhold.robots.model import RobotModel
from handhold.robots.unitree.held_robot import HeldRobot
from handhold.robots.unitree.makers_robots import find_makers_robot
from handhold.robots.unitree.stand_in_motors import MotorFlaws

STAND_IN = "stand-in"
BODIES = (UNITREE, STAND_IN)
"""What can be held, by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyChoice:
    """Which robot is to be held.

    Attributes:
        name: One of ``BODIES``.
        interface: Network interface that leads to it.
        flaws: Of the motors of what stands in; None for its own.
        seed: Of the biases and noise of what stands in.

    Raises:
        AppError: There is no such body, or a maker's robot is to have flaws.
    """

    name: str
    interface: str = "lo"
    flaws: MotorFlaws | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        """Check it."""
        if self.name not in BODIES:
            raise AppError(f"no body '{self.name}'; take one of {', '.join(BODIES)}")
        if self.name == UNITREE and self.flaws is not None:
            raise AppError("a real robot's motors are what they are; leave --motors out, or take --body stand-in")


@contextmanager
def reach_body(model: RobotModel, choice: BodyChoice) -> Iterator[HeldRobot]:
    """Reach a robot, which is sent nothing yet; whatever happens then, it is damped after.

    Args:
        model: The robot as it is described.
        choice: Which one it is.

    Raises:
        AppError: It cannot be driven from here.
        RobotError: It is not there, or not as it is described, or somebody else commands it.
    """
    if choice.name == STAND_IN:
        hung = hang_stand_in(model, find_model(model.description.name), choice.seed, choice.flaws)
        with _closed(HeldRobot(model, hung.link, clock=hung.clock, sleep=hung.sleep)) as robot:
            yield robot
        return
    require_extra(UNITREE)
    check_interface(choice.interface)
    find_makers_robot(model)
    ask_for_priority(HOST_NICENESS)
    with guard_motors(model.description.source, choice.interface) as link, _closed(HeldRobot(model, link)) as robot:
        yield robot


@contextmanager
def _closed(robot: HeldRobot) -> Iterator[HeldRobot]:
    try:
        yield robot
    finally:
        robot.close()
