"""What is measured of a robot that the control cycle moves: it stands, a hand goes and comes back, and it is handed back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pinocchio as pin

from handhold.app.commission.drive import Drive, Moment
from handhold.app.commission.finding import Finding
from handhold.app.commission.rig import Rig
from handhold.robots.control.hand_over import DURATION
from handhold.robots.errors import RobotError
from handhold.robots.unitree.motor_health import name_motors

STANDING = 10.0
"""How long it stands after it has been handed over [s]."""

MAX_SWAY, MAX_RIPPLE = 0.02, 0.02
"""How far its centre of mass may sway to each side [m], and the ripple of torques, as a part of the largest [-]."""

REACH, SQUEEZING, MOVING, STAYING = 0.05, 0.5, 1.5, 1.5
"""How far a hand goes [m], how long it squeezes first, how long it moves, and how long it stays [s]."""

MAX_REACH_ERROR, MAX_RETURN_ERROR = 0.015, 0.01
"""How far it may be from where it is to be, there and back [m]."""

AVERAGING = 0.5
"""Over how long it is averaged where a hand is [s]."""

MAX_REST, MAX_SINKING = 0.15, 0.02
"""Velocity of joints under which it stands still, with the noise of the drives [rad/s], and how far it may have sunk [m]."""


class HandLacking(RobotError):
    """No hand of a robot is moved by an operator's right one."""

    def __init__(self) -> None:
        super().__init__('the robot has no right hand to move: take a description with one (hand = "right")')


def measure_stance(rig: Rig) -> Sequence[Finding]:
    """Hand it over, and measure how it stands."""
    drive = rig.begin_drive()
    drive.run(2.0 * DURATION)
    return judge_stance(rig, drive.run(STANDING))


def judge_stance(rig: Rig, moments: Sequence[Moment]) -> Sequence[Finding]:
    """Return how much its centre of mass sways, and the ripple of its torques."""
    centers = np.array([moment.snapshot.position_com_in_world for moment in moments])
    sway = np.linalg.norm(centers[:, :2] - centers[:, :2].mean(axis=0), axis=1)
    torques = np.array([moment.state.joint_torques for moment in moments])
    ripple = torques.std(axis=0) / rig.model.motor_torques
    where = name_motors(rig.model.joint_names)[int(ripple.argmax())]
    return (
        Finding(name="sway", value=float(sway.max()), unit="m", most=MAX_SWAY),
        Finding(name="ripple of torques", value=float(ripple.max()), most=MAX_RIPPLE, where=where),
    )


def measure_hand(rig: Rig) -> Sequence[Finding]:
    """Let the right hand go ahead a little, as an operator would, and back.

    Raises:
        HandLacking: It has none.
    """
    effector = rig.model.effector_of_hand("right")
    if effector is None:
        raise HandLacking
    drive = rig.begin_drive() if rig.drive is None else rig.drive
    pose = pin.SE3(drive.find_hand(effector))
    start = _watch_hand(drive, effector, pose, squeeze=0.0)
    drive.run(SQUEEZING, lambda _time: pose)
    drive.run(MOVING, lambda time: _shift(pose, time / MOVING))
    there = _watch_hand(drive, effector, _shift(pose, 1.0))
    drive.run(MOVING, lambda time: _shift(pose, 1.0 - time / MOVING))
    back = _watch_hand(drive, effector, pose)
    drive.move_hand(pose, squeeze=0.0)
    wanted = start + np.array([REACH, 0.0, 0.0])
    return (
        Finding(name="off where it went by", value=_distance(there, wanted), unit="m", most=MAX_REACH_ERROR),
        Finding(name="off where it began by", value=_distance(back, start), unit="m", most=MAX_RETURN_ERROR),
    )


def _watch_hand(drive: Drive, effector: int, pose: pin.SE3, squeeze: float = 1.0) -> np.ndarray:
    """Let the operator's hand stay, and return where the robot's is on the average at last, shape ``(3,)`` [m]."""
    drive.move_hand(pose, squeeze)
    drive.run(STAYING - AVERAGING)
    places = [drive.find_hand(effector, moment.state)[:3, 3] for moment in drive.run(AVERAGING)]
    return np.asarray(np.mean(places, axis=0))


def _shift(pose: pin.SE3, ratio: float) -> pin.SE3:
    return pin.SE3(pose.rotation, pose.translation + np.array([ratio * REACH, 0.0, 0.0]))


def _distance(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.linalg.norm(one - other))


def measure_return(rig: Rig) -> Sequence[Finding]:
    """Hand it back, and measure how still it stands then."""
    drive = rig.begin_drive() if rig.drive is None else rig.drive
    (before, *_) = drive.run(drive.robot.period)
    drive.robot.hand_back()
    drive.run(2.0 * DURATION)
    moments = drive.run(AVERAGING)
    rest = max(float(np.abs(moment.state.v[6:]).max()) for moment in moments)
    sunk = float(before.state.q[2] - moments[-1].state.q[2])
    return (
        Finding(name="handed back", value=float(drive.robot.returned), least=1.0),
        Finding(name="fastest joint", value=rest, unit="rad/s", most=MAX_REST),
        Finding(name="sunk by", value=sunk, unit="m", most=MAX_SINKING),
    )
