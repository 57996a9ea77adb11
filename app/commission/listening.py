"""What is measured of a robot that is sent nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from handhold.app.commission.finding import Finding
from handhold.app.commission.rig import Rig
from handhold.robots.model import GRAVITY, RobotModel
from handhold.robots.unitree.makers_robots import find_makers_robot
from handhold.robots.unitree.motor_health import SilentMotors, assess_motors, name_motors
from handhold.robots.unitree.motor_reading import MotorReading
from handhold.robots.unitree.unitree_robot import MAX_OFF, PERIOD

LISTENING = 2.0
"""How long it is listened [s]."""

MIN_RATE, MAX_GAP = 0.9 / PERIOD, 10e-3
"""How many states arrive each second at least [Hz], and the largest time between two [s]; the guard damps after 16 ms."""

MAX_EXCESS = 0.02
"""How far past the limits of the description a joint may be told to be [rad]."""

MAX_GRAVITY_ERROR, MAX_TILT_ERROR = 0.3, 0.035
"""How far the force at rest may be from gravity in size [m/s^2], and in direction by the unit's own attitude [rad]."""

MAX_RATE = 0.02
"""Mean angular velocity at rest, which is the gyroscope's bias, that the filter still learns [rad/s]."""


def measure_arrival(rig: Rig) -> Sequence[Finding]:
    """Measure how regularly states arrive; one that is the same to the last bit is none."""
    return judge_arrival(rig.listen(LISTENING))


def judge_arrival(readings: Sequence[MotorReading]) -> Sequence[Finding]:
    """Return the rate and the largest gap of states."""
    gaps = np.diff([reading.time for reading in readings])
    rate = 1.0 / float(gaps.mean()) if len(gaps) else 0.0
    largest = 1e3 * float(gaps.max()) if len(gaps) else float("nan")
    return (
        Finding(name="rate of states", value=rate, unit="Hz", least=MIN_RATE),
        Finding(name="largest gap", value=largest, unit="ms", most=1e3 * MAX_GAP),
    )


def measure_rivals(rig: Rig) -> Sequence[Finding]:
    """Reach the robot; it is refused where somebody else commands it, or it has other motors."""
    rig.reach()
    return ()


def measure_health(rig: Rig) -> Sequence[Finding]:
    """Measure how warm its motors are, and what feeds them.

    Raises:
        SilentMotors: A motor tells nothing.
    """
    health = assess_motors(name_motors(rig.model.joint_names), rig.listen(10.0 * PERIOD)[-1])
    if health.silent:
        raise SilentMotors(health.silent)
    limits = find_makers_robot(rig.model).health
    hottest = Finding(name="hottest motor", value=health.temperature, unit="degrees C", most=limits.warm, where=health.hottest)
    if health.voltage is None:
        return (hottest,)
    return hottest, Finding(name="supply", value=health.voltage, unit="V", least=limits.low)


def measure_range(rig: Rig) -> Sequence[Finding]:
    """Measure how far past its range a joint is told to be."""
    q, model = rig.listen(10.0 * PERIOD)[-1].positions, rig.model
    excess = np.maximum(model.lower - q, q - model.upper)
    worst = int(excess.argmax())
    return (_find_at(model, worst, "past its range by", float(excess[worst]), "rad", MAX_EXCESS),)


def measure_posture(rig: Rig) -> Sequence[Finding]:
    """Measure how far it is from the posture in which it is to stand."""
    off = np.abs(rig.listen(10.0 * PERIOD)[-1].positions - rig.posture[7:])
    worst = int(off.argmax())
    return (_find_at(rig.model, worst, "farthest from its posture", float(off[worst]), "rad", MAX_OFF),)


def _find_at(model: RobotModel, joint: int, name: str, value: float, unit: str, most: float) -> Finding:
    return Finding(name=name, value=value, unit=unit, most=most, where=name_motors(model.joint_names)[joint])


def measure_gravity(rig: Rig) -> Sequence[Finding]:
    """Measure gravity's size and direction by the inertial unit, the direction against the unit's own attitude."""
    return judge_gravity(rig.listen(LISTENING))


def judge_gravity(readings: Sequence[MotorReading]) -> Sequence[Finding]:
    """Return by how much the mean specific force is off, in size and direction."""
    up = np.mean([reading.attitude @ reading.specific_force for reading in readings], axis=0)
    size = float(np.linalg.norm(up))
    tilt = float(np.arccos(np.clip(up[2] / max(size, 1e-9), -1.0, 1.0)))
    return (
        Finding(name="gravity", value=size, unit="m/s^2", least=GRAVITY - MAX_GRAVITY_ERROR, most=GRAVITY + MAX_GRAVITY_ERROR),
        Finding(name="its direction, off by", value=tilt, unit="rad", most=MAX_TILT_ERROR),
    )


def measure_gyroscope(rig: Rig) -> Sequence[Finding]:
    """Measure the mean angular velocity of a robot at rest."""
    rates = np.mean([reading.angular_velocity for reading in rig.listen(LISTENING)], axis=0)
    worst = int(np.abs(rates).argmax())
    return (
        Finding(name="mean rate at rest", value=float(np.abs(rates[worst])), unit="rad/s", most=MAX_RATE, where="xyz"[worst]),
    )
