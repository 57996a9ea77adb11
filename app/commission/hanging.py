"""What is measured of a robot that hangs and is held, joint by joint."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from handhold.app.commission.finding import Finding
from handhold.app.commission.rig import Rig
from handhold.robots.unitree.motor_health import name_motors
from handhold.robots.unitree.motor_reading import MotorReading
from handhold.robots.unitree.unitree_robot import PERIOD

HOLDING = 5.0
"""How long it is held at first [s]."""

MAX_RIPPLE, MAX_LAG = 0.02, 0.03
"""Standard deviation of a torque at rest, as a part of the motor's largest [-], and how far a joint may be off [rad]."""

SPEED, SETTLING = 0.2, 0.5
"""How fast joints go to the posture in which it stands [rad/s], and how long they are left alone then [s]."""

MOVED, MOVING, STAYING = 0.05, 0.4, 0.2
"""How far each joint is moved [rad], how long it takes to get there, and how long it stays [s]."""

MIN_MOVED, MAX_OTHERS = 0.6 * MOVED, 0.01
"""How far it is then at least, and how far any other joint has moved at most [rad]."""

LISTENING, MAX_SILENCE = 0.1, 30e-3
"""For how long nothing is sent, and after what time the torques tell that it brakes [s].

It brakes after 20 ms; its drives take some milliseconds, and are told every two.
"""


def measure_hold(rig: Rig) -> Sequence[Finding]:
    """Hold it, and measure how still it is."""
    rig.hold()
    readings = _stay(rig, HOLDING)
    half = readings[len(readings) // 2 :]
    return judge_hold(rig, half)


def judge_hold(rig: Rig, readings: Sequence[MotorReading]) -> Sequence[Finding]:
    """Return the ripple of the torques, and how far joints are from where they are held."""
    names = name_motors(rig.model.joint_names)
    ripple = np.std([reading.torques for reading in readings], axis=0) / rig.model.motor_torques
    desired = rig.held.posture + rig.displacements
    lag = np.abs(np.mean([reading.positions for reading in readings], axis=0) - desired)
    return (
        Finding(name="ripple of torques", value=float(ripple.max()), most=MAX_RIPPLE, where=names[int(ripple.argmax())]),
        Finding(name="largest lag", value=float(lag.max()), unit="rad", most=MAX_LAG, where=names[int(lag.argmax())]),
    )


def measure_posture(rig: Rig) -> Sequence[Finding]:
    """Bring all joints to the posture in which it is to stand, slowly and together."""
    reading = _go_to_posture(rig)[-1]
    off = np.abs(reading.positions - rig.posture[7:])
    where = name_motors(rig.model.joint_names)[int(off.argmax())]
    return (Finding(name="farthest from it", value=float(off.max()), unit="rad", most=2.0 * MAX_LAG, where=where),)


def _go_to_posture(rig: Rig) -> list[MotorReading]:
    """Bring all joints to the posture, and return what it tells once it is left alone there."""
    begin = rig.displacements
    end = rig.posture[7:] - rig.held.posture
    count = max(1, math.ceil(float(np.abs(end - begin).max()) / SPEED / PERIOD))
    for k in range(1, count + 1):
        rig.move(begin + (end - begin) * k / count)
    return _stay(rig, SETTLING)


def measure_joints(rig: Rig) -> Sequence[Finding]:
    """Move one joint after the other a little, and back: each moves as it is told, and alone."""
    findings: list[Finding] = []
    for joint, name in enumerate(name_motors(rig.model.joint_names)):
        moved, others = _move_joint(rig, joint)
        findings = [
            *findings,
            Finding(name="moved by", value=moved, unit="rad", least=MIN_MOVED, where=name),
            Finding(name="another one moved by", value=others, unit="rad", most=MAX_OTHERS, where=name),
        ]
        if not all(finding.holds for finding in findings[-2:]):
            # What moves the wrong way is not asked to move again, nor is any other.
            return findings[-2:]
    return _choose_worst(findings)


def _choose_worst(findings: Sequence[Finding]) -> Sequence[Finding]:
    """Return the joint that moved least, and the one beside which another one moved most."""
    moved, others = findings[::2], findings[1::2]
    return min(moved, key=lambda finding: finding.value), max(others, key=lambda finding: finding.value)


def _move_joint(rig: Rig, joint: int) -> tuple[float, float]:
    """Move a joint and bring it back; returns how far it went as told, and how far any other one [rad]."""
    rest, before = rig.displacements, rig.move(rig.displacements).positions
    towards = MOVED if before[joint] + 2.0 * MOVED < rig.model.upper[joint] else -MOVED
    there = _bring(rig, rest, joint, 0.0, towards).positions - before
    _bring(rig, rest, joint, towards, 0.0)
    others = np.delete(np.abs(there), joint)
    return float(np.sign(towards) * there[joint]), float(others.max())


def _bring(rig: Rig, rest: np.ndarray, joint: int, begin: float, end: float) -> MotorReading:
    count = round(MOVING / PERIOD)
    for k in range(1, count + 1):
        shift = np.zeros(rig.model.n)
        shift[joint] = begin + (end - begin) * 0.5 * (1.0 - math.cos(math.pi * k / count))
        rig.move(rest + shift)
    return _stay(rig, STAYING)[-1]


def _stay(rig: Rig, duration: float) -> list[MotorReading]:
    return [rig.move(rig.displacements) for _ in range(round(duration / PERIOD))]


def measure_silence(rig: Rig) -> Sequence[Finding]:
    """Send nothing for a while, and measure after what time its torques tell that it brakes; then hold it again."""
    held = rig.move(rig.displacements)
    begun = rig.clock()
    readings = rig.listen(LISTENING)
    rig.hold()
    lag = find_braking(held.torques, readings) - begun
    after = judge_hold(rig, _go_to_posture(rig)[-round(0.5 * SETTLING / PERIOD) :])
    return Finding(name="braked after", value=1e3 * lag, unit="ms", most=1e3 * MAX_SILENCE), *after


def find_braking(held: np.ndarray, readings: Sequence[MotorReading]) -> float:
    """Return when the torques that held a robot, shape ``(n,)`` [Nm], had gone by half [s]; NaN where they never have."""
    for reading in readings:
        if float(np.linalg.norm(reading.torques - held)) > 0.5 * float(np.linalg.norm(held)):
            return reading.time
    return math.nan
