"""A robot that stands in for a real one and hangs on its hoist, in lockstep: its time is that of who drives it."""

from __future__ import annotations

from collections.abc import Sequence

from handhold.robots.unitree.direct_link import DirectMotorLink, DirectRobotLink
from handhold.robots.unitree.stand_in import StandIn
from handhold.robots.unitree.stand_in_body import StandInBody
from handhold.robots.unitree.unitree_robot import PERIOD
from handhold.robots.unitree.wiring import Wiring


class HungStandIn:
    """What drives it has its link, its clock and its sleep.

    Attributes:
        body: Its physics.
        link: To its motors.
    """

    def __init__(self, body: StandInBody, joint_names: Sequence[str]) -> None:
        """Let it hang, held by its maker's controller.

        Args:
            body: Its physics.
            joint_names: Joints of the model that it is driven by.

        Raises:
            UnwiredJoints: One of both has other joints than the robot.
        """
        self.body = body
        robot_link = DirectRobotLink(Wiring(body.robot, body.joint_names))
        self.link = DirectMotorLink(robot_link, Wiring(body.robot, joint_names))
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
