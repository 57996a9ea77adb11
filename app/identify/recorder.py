"""Plays an excitation on one joint of a robot that is held, and keeps what was sent and told."""

from __future__ import annotations

import numpy as np

from handhold.robots.estimation.identification.excitation import Excitation
from handhold.robots.estimation.identification.joint_record import JointRecord
from handhold.robots.joint_target import JointTarget
from handhold.robots.unitree.held_robot import HeldRobot
from handhold.robots.unitree.motor_reading import MotorReading

SETTLING = 0.3
"""For how long a joint is held after an excitation, so that the next one begins at rest [s]."""


def record_excitation(robot: HeldRobot, joint: int, excitation: Excitation) -> JointRecord:
    """Let a joint of a robot that is held do what an excitation says, and return what came of it.

    Raises:
        RobotError: The robot has been damped, see ``HeldRobot.wait``.
    """
    readings: list[MotorReading] = []
    sent: list[tuple[float, JointTarget]] = []
    began = robot.reading.time
    while (time := robot.wait().time - began) < excitation.duration + SETTLING:
        target = excitation.at(time)
        readings.append(robot.reading)
        sent.append((robot.send({joint: target}), target))
    return _join(robot, joint, readings, sent)


def _join(robot: HeldRobot, joint: int, readings: list[MotorReading], sent: list[tuple[float, JointTarget]]) -> JointRecord:
    home, torque = robot.posture[joint], robot.torques[joint]
    return JointRecord(
        joint=joint,
        stiffness=float(robot.stiffness[joint]),
        damping=float(robot.damping[joint]),
        times=np.array([reading.time for reading in readings]),
        positions=np.array([reading.positions for reading in readings]),
        velocities=np.array([reading.velocities for reading in readings]),
        torques=np.array([reading.torques for reading in readings]),
        angular_velocities=np.array([reading.angular_velocity for reading in readings]),
        specific_forces=np.array([reading.specific_force for reading in readings]),
        sent_at=np.array([at for at, _ in sent]),
        desired_positions=home + np.array([target.displacement for _, target in sent]),
        desired_velocities=np.array([target.velocity for _, target in sent]),
        feed_forward=torque + np.array([target.torque for _, target in sent]),
    )
