"""Somebody else's model of a robot, which stands in for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from handhold.robots.unitree.makers_robot import MakersRobot


@dataclass(frozen=True, slots=True, kw_only=True)
class StandInModel:
    """A model and what is to be known of it.

    Attributes:
        robot: What the protocol has of the robot.
        file: In MuJoCo's format with one free base, or a URDF, whose root gets one.
        soles: Word in the names of the shapes that stand on the ground, or of the links that carry them.
        fists: The same of the hands; all other shapes pass through everything.
        mass_ratios: By how much links are heavier than the file has them, by their names [-].
    """

    robot: MakersRobot
    file: Path
    soles: str
    fists: str
    mass_ratios: Mapping[str, float] = field(default_factory=dict)
