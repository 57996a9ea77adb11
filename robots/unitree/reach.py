"""Reaches a robot that is to be driven: it tells its state, has the motors that are expected, and nobody else commands it."""

from __future__ import annotations

from collections.abc import Callable

from handhold.robots.model import RobotModel
from handhold.robots.unitree.errors import AlreadyCommanded, RobotSilent, WrongMotors
from handhold.robots.unitree.makers_robots import find_makers_robot
from handhold.robots.unitree.motor_link import MotorLink
from handhold.robots.unitree.motor_reading import MotorReading

ARRIVAL, LISTENING = 3.0, 0.3
"""How long a first state is waited for, and how long it is listened whether somebody else commands the robot [s]."""

READING = 0.0002
"""How often a state is looked for while one is waited for [s]."""


def reach_robot(
    model: RobotModel, link: MotorLink, clock: Callable[[], float], sleep: Callable[[float], None]
) -> MotorReading:
    """Return the first state of a robot that nobody commands; it is sent nothing.

    Args:
        model: The robot.
        link: To the robot.
        clock: Monotonic clock [s].
        sleep: Waits for a time [s].

    Raises:
        UnknownMotors: Its joints are not those of a robot of this maker.
        WrongMotors: The protocol has another number of motors.
        RobotSilent: It tells nothing of itself.
        AlreadyCommanded: Somebody else commands it.
    """
    find_makers_robot(model)
    if link.motors != model.n:
        raise WrongMotors(model.n, link.motors)
    began = clock()
    while (reading := link.read()) is None or not reading.is_finite:
        if clock() - began > ARRIVAL:
            raise RobotSilent(link.interface, ARRIVAL)
        sleep(READING)
    sleep(LISTENING)
    if link.is_commanded():
        raise AlreadyCommanded(link.interface)
    return reading
