"""What is measured of a robot that stands on its soles, held: what they bear, and how upright it is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pinocchio as pin

from handhold.app.commission.finding import Finding
from handhold.app.commission.rig import Rig
from handhold.robots.description import Effector

WATCHING = 1.0
"""How long it is watched [s]."""

MAX_MASS_ERROR = 0.1
"""Part of its mass by which what its legs feel may be off: more is another robot than the one that is described [-].

Friction holds a part of it: 1 % of the largest torques, and a knee bears a tenth of its own.
"""

MAX_TILT, MAX_ATTITUDE_ERROR = 0.06, 0.02
"""How far the base may lean, and how far the filter may be from the unit's own attitude [rad]."""


def measure_weight(rig: Rig) -> Sequence[Finding]:
    """Lower it onto its soles, and measure what its legs feel and where its soles bear it, by the observer of momentum."""
    rig.lower()
    robot = rig.take_over()
    states = [(state.contact_wrenches, robot.measure_felt()) for state in rig.watch(WATCHING)]
    wrenches = np.mean([wrenches for wrenches, _ in states], axis=0)
    standing = [(e, effector) for e, effector in enumerate(rig.model.effectors) if effector.standing]
    mass = rig.model.mass * float(np.mean([felt for _, felt in states]))
    least, most = (rig.model.mass * (1.0 + part) for part in (-MAX_MASS_ERROR, MAX_MASS_ERROR))
    weighed = Finding(name="its legs feel", value=mass, unit="kg", least=least, most=most)
    return weighed, *(judge_pressure(effector, wrenches[e]) for e, effector in standing)


def judge_pressure(effector: Effector, wrench: np.ndarray) -> Finding:
    """Return how far the centre of pressure of a sole is from its middle, as a part of its half lengths.

    Args:
        effector: The foot.
        wrench: On it, in its contact frame, shape ``(6,)`` [N, Nm].
    """
    half_lengths = np.array(effector.half_lengths)
    center = np.array([-wrench[4], wrench[3]]) / max(float(wrench[2]), 1.0)
    return Finding(
        name="centre of pressure, of the half length",
        value=float(np.abs(center / half_lengths).max()),
        most=1.0,
        where=effector.name.replace("_", " "),
    )


def measure_attitude(rig: Rig) -> Sequence[Finding]:
    """Measure how upright it is by the filter, and how far that is from the unit's own attitude."""
    up = np.mean([pin.XYZQUATToSE3(state.q[:7]).rotation[2] for state in rig.watch(WATCHING)], axis=0)
    reading = rig.robot.reading
    told = rig.robot.estimator.find_attitude(reading.attitude, reading.positions)[2]
    return (
        Finding(name="the base leans by", value=_find_angle(up, np.array([0.0, 0.0, 1.0])), unit="rad", most=MAX_TILT),
        Finding(name="the unit's own attitude is off by", value=_find_angle(up, told), unit="rad", most=MAX_ATTITUDE_ERROR),
    )


def _find_angle(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.arccos(np.clip(one @ other, -1.0, 1.0)))
