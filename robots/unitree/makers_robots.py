"""The robots of this maker that can be driven. One is one file and one line here."""

from __future__ import annotations

from collections.abc import Mapping

from handhold.robots.model import RobotModel
from handhold.robots.unitree.errors import UnknownMotors
from handhold.robots.unitree.g1 import G1
from handhold.robots.unitree.h1 import H1
from handhold.robots.unitree.makers_robot import MakersRobot

MAKERS_ROBOTS: Mapping[str, MakersRobot] = {"g1": G1, "h1": H1}
"""All, by name."""


def find_makers_robot(model: RobotModel) -> MakersRobot:
    """Return the robot of this maker that a model describes: the one whose motors move its joints, in whatever order.

    Raises:
        UnknownMotors: There is none.
    """
    for robot in MAKERS_ROBOTS.values():
        if sorted(robot.joints) == sorted(model.joint_names):
            return robot
    raise UnknownMotors(model.description.source, tuple(MAKERS_ROBOTS))
