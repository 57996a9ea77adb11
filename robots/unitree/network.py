"""Joins the network of a robot by the maker's compiled library, whose faults are told in one line."""

from __future__ import annotations

import os
import time
from typing import Any

from handhold.robots.errors import RobotError
from handhold.robots.unitree.dds_neighbours import find_address, find_foreign_dds, list_endpoints
from handhold.robots.unitree.errors import ForeignDds
from handhold.robots.unitree.makers_robot import MakersRobot
from handhold.robots.unitree.spdp_question import PREFIX_SIZE


class NetworkNotJoined(RobotError):
    """The maker's library cannot join the robot's network.

    Attributes:
        interface: Name of the network interface.
        problem: What its DDS says.
    """

    def __init__(self, interface: str, problem: str) -> None:
        self.interface, self.problem = interface, problem
        super().__init__(
            f"the network interface '{interface}' cannot be joined ({problem}); take one that is there ('ip link' lists them)"
        )


def join_network(interface: str, robot: MakersRobot) -> Any:
    """Return the maker's library for a kind of robot on a network interface.

    Before it is joined, who is there already is asked: beside another major line of its DDS the library has crashed.

    The library's own H1 has 19 motors and would leave the last of its twenty slots out, the left elbow: what a message has
    room for is told here.

    Args:
        interface: Name of the network interface that leads to the robot.
        robot: What the protocol has of it.

    Raises:
        ModuleNotFoundError: The maker's library is not installed (extra ``unitree``).
        NetworkNotJoined: There is no such interface, or DDS cannot be had on it.
        ForeignDds: Another major line of CycloneDDS is there.
    """
    import unitree_interface

    _refuse_foreign_dds(interface)
    try:
        kind = getattr(unitree_interface.MessageType, robot.messages)
        return unitree_interface.UnitreeInterface.create_custom(interface, len(robot.motors), kind)
    except RuntimeError as error:
        # What compiled code throws; its words have several lines, of which the first with a message says most.
        raise NetworkNotJoined(interface, _summarise(str(error))) from None


def _refuse_foreign_dds(interface: str) -> None:
    """Raise ``ForeignDds`` where one answers; of an interface that cannot be asked DDS itself says what is wrong."""
    address = find_address(interface)
    if address is None:
        return
    try:
        foreign = find_foreign_dds(address, list_endpoints(address), os.urandom(PREFIX_SIZE), time.monotonic)
    except OSError:
        return
    if foreign is not None:
        raise ForeignDds(interface, foreign.host, foreign.version, foreign.process)


def _summarise(words: str) -> str:
    """Return what an error of DDS says, without where in the library it was thrown."""
    first = next((line for line in words.splitlines() if line.strip()), "no reason given")
    return first.rpartition("Message:")[2].rpartition("Error - ")[2].strip(" .")
