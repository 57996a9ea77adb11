"""A study: what several runs of one scenario, compared with each other, tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from handhold.app.errors import AppError
from handhold.app.lab.figures import Outcome
from handhold.robots.model import RobotModel


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class StudyRequest:
    """What is to be studied.

    Attributes:
        name: The scenario, or a word for several.
        model: The robot.
        engine: Name of the physics engine.
        seed: Seed of all randomness, where a study has any.
        plot: PNG file to draw into, or None.
    """

    name: str
    model: RobotModel
    engine: str
    seed: int
    plot: Path | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """One study.

    Attributes:
        option: What it is called on the command line, such as ``"ablation"``.
        names: Scenarios that it is made of, and words for several.
        make: Makes it.
        random: Whether anything in it is random, so that it takes a seed.
    """

    option: str
    names: tuple[str, ...]
    make: Callable[[StudyRequest], Outcome]
    random: bool = False

    def check_seed(self, seed: int) -> None:
        """Refuse a seed that would change nothing.

        Raises:
            AppError: Nothing in the study is random.
        """
        if seed != 0 and not self.random:
            raise AppError(f"nothing is random in --{self.option} of {self.names[0]}; leave --seed out")
