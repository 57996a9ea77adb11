"""A robot that stands in for a real one and hangs on its hoist, in lockstep: its time is that of who drives it."""

from __future__ import annotations

from handhold.robots.unitree.direct_link import DirectMotorLink, DirectRobotLink
from handhold.robots.unitree.stand_in import StandIn
from handhold.robots.unitree.stand_in_body import StandInBody
from handhold.robots.unitree.unitree_robot import PERIOD


class HungStandIn:
    """What drives it has its link, its clock and its sleep.

    Attributes:
        body: Its physics.
        link: To its motors.
    """

    def __init__(self, body: StandInBody) -> None:
        """Let it hang, held by its maker's controller."""
        self.body = body
        robot_link = DirectRobotLink(len(body.joint_names))
        self.link = DirectMotorLink(robot_link)
        self._stand_in, self._rest = StandIn(body, robot_link, self.clock), 0.0

    def clock(self) -> float:
        """Return its time [s]."""
        return self.body.time

    def sleep(self, duration: float) -> None:
        """Let its time pass [s]: it goes on by whole periods."""
        self._rest += duration
        while self._rest >= PERIOD:
            self._rest -= PERIOD
            self._stand_in.step()
