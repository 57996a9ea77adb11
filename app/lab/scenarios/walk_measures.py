"""Figures of walks."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.margins import MIN_NORMAL_FORCE
from handhold.app.lab.scenarios.measures import measure_failures
from handhold.app.lab.scenarios.trace import Trace
from handhold.retarget.engagement.sticks import is_centred
from handhold.retarget.walking.entry import find_walking_feet
from handhold.robots.model import RobotModel

STARTING = 3.0
"""Time after which a robot goes as fast as was asked for [s]."""

MAX_STEPS = 2.0
"""Largest number of footsteps that end a walk: the one in the air, and one more [-]."""

LEVEL = 0.03
"""Largest distance of the feet from being level, along them, after a walk [m]."""

REST_TIME, REST_DISTANCE = 0.3, 0.004
"""A robot rests whose centre of mass has been so near to where it is for so long [s], [m]: one that sways goes further."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A time in which a walking robot heard that the sticks are pushed [s], by its clock."""

    begin: float
    end: float


def list_stretches(trace: Trace) -> list[Stretch]:
    """List the times in which the operator walked the robot; where the link is late, as it reached the robot."""
    pushed: list[Stretch] = []
    begin: float | None = None
    for time, sample in trace.received:
        centred = all(is_centred((float(hand.stick[0]), float(hand.stick[1]))) for hand in (sample.left, sample.right))
        if begin is None and not centred:
            begin = time
        elif begin is not None and centred:
            pushed.append(Stretch(trace.times[0] + begin, trace.times[0] + time))
            begin = None
    if begin is not None:
        pushed.append(Stretch(trace.times[0] + begin, math.inf))
    walking = [time for time, mode in zip(trace.times, trace.modes, strict=True) if mode == "walking"]
    return [stretch for stretch in pushed if walking and stretch.begin >= walking[0]]


def measure_walk(model: RobotModel, trace: Trace) -> list[Figure]:
    """Measure how the robot followed its plan, from when walking took charge, and how its walks ended.

    ``zmp_error`` and ``com_error`` are rms distances, seen from above, of the simulated robot to the plan it tracks.
    """
    walking = np.array([mode == "walking" for mode in trace.modes])
    if not walking.any():
        return [Figure("walked", 0.0, "s", must=1.0, larger_is_better=True)]
    com = np.linalg.norm((np.array(trace.com) - np.array(trace.com_reference))[walking, :2], axis=1)
    zmp = compute_zmp(model, trace, reference=False) - compute_zmp(model, trace, reference=True)
    off = np.linalg.norm(zmp[walking], axis=1)
    torque = np.abs(np.array(trace.torques)[walking]) / model.motor_torques
    return [
        Figure("zmp_error", _rms(off[np.isfinite(off)]), "m"),
        Figure("com_error", _rms(com), "m"),
        Figure("com_error_max", float(com.max()), "m"),
        Figure("torque_share", float(torque.max()), "-", must=1.0 + 1e-9),
        *measure_stops(model, trace),
        measure_failures(trace),
    ]


def measure_stops(model: RobotModel, trace: Trace) -> list[Figure]:
    """Measure the ends of the walks: footsteps made after the sticks were released, and how level the feet stand then.

    Where the operator walks on before the robot stands, how level it stood is not measured, and the footsteps until then are.
    """
    ended = [(stretch.end, following) for stretch, following in _pair(list_stretches(trace)) if stretch.end < trace.times[-1]]
    if not ended:
        return []
    steps = [count_touches(model, trace, end, following) for end, following in ended]
    rests = [following for _, following in ended if math.isinf(following) or is_at_rest_before(trace, following)]
    levels = [compute_level(model, trace, following) for following in rests]
    level = [Figure("stop_level", max(levels), "m", must=LEVEL)] if levels else []
    return [Figure("stop_steps", float(max(steps)), "-", must=MAX_STEPS), *level]


def _pair(stretches: list[Stretch]) -> list[tuple[Stretch, float]]:
    """Pair every stretch with when the next begins."""
    return list(zip(stretches, [*(stretch.begin for stretch in stretches[1:]), math.inf], strict=True))


def is_at_rest_before(trace: Trace, time: float) -> bool:
    """Whether the robot is at rest for a while before a time [s]."""
    first, last = np.searchsorted(trace.times, (time - REST_TIME, time)) - (0, 1)
    positions = np.array(trace.com[first : last + 1])
    return bool(np.linalg.norm(positions - positions[-1], axis=1).max() < REST_DISTANCE)


def count_touches(model: RobotModel, trace: Trace, begin: float, end: float) -> int:
    """Count how often a foot came down between two times [s]."""
    _, feet = find_walking_feet(model)
    times = np.array(trace.times)
    contacts = np.array(trace.contacts)[(times >= begin) & (times < end)][:, list(feet)]
    return int((contacts[1:] & ~contacts[:-1]).sum())


def compute_level(model: RobotModel, trace: Trace, time: float) -> float:
    """Compute how far the feet are from standing level, along the left one, just before a time [m]."""
    _, (left, right) = find_walking_feet(model)
    k = int(np.searchsorted(trace.times, time)) - 1
    forward = trace.rotations[k][left][:, 0]
    return abs(float(forward @ (trace.effectors[k][right] - trace.effectors[k][left])))


def compute_zmp(model: RobotModel, trace: Trace, *, reference: bool) -> np.ndarray:
    """Compute the zero moment point of the feet's forces, shape ``(times, 2)`` [m]; NaN while they press too little."""
    _, feet = find_walking_feet(model)
    wrenches = np.array(trace.wrenches_reference if reference else trace.wrenches)[:, list(feet)]
    positions = np.array(trace.effectors_reference if reference else trace.effectors)[:, list(feet)]
    rotations = np.array(trace.rotations)[:, list(feet)]
    forces, moments = (np.einsum("tfij,tfj->tfi", rotations, wrenches[..., part]) for part in (slice(0, 3), slice(3, 6)))
    load = forces[..., 2].sum(axis=1)
    load = np.where(load > MIN_NORMAL_FORCE, load, np.nan)
    pressed = positions[..., :2] * forces[..., 2:] + np.stack([-moments[..., 1], moments[..., 0]], axis=-1)
    return np.asarray(pressed.sum(axis=1) / load[:, None])


def measure_speed(trace: Trace, stretch: Stretch) -> float:
    """Measure the speed of the centre of mass over a stretch, from when it has started [m/s]."""
    first, last = _bounds(trace, stretch)
    displacement = trace.com[last][:2] - trace.com[first][:2]
    return float(np.linalg.norm(displacement) / (trace.times[last] - trace.times[first]))


def measure_turning(trace: Trace, stretch: Stretch) -> float:
    """Measure the turning rate of the base over a stretch, from when it has started [rad/s]."""
    first, last = _bounds(trace, stretch)
    angles = np.unwrap([yaw_of(q) for q in trace.configurations[first : last + 1]])
    return float(abs(angles[-1] - angles[0]) / (trace.times[last] - trace.times[first]))


def yaw_of(q: np.ndarray) -> float:
    """Return the yaw of a base [rad]."""
    x, y, z, w = q[3:7]
    return math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))


def _bounds(trace: Trace, stretch: Stretch) -> tuple[int, int]:
    """Return the first and last sample of what is measured of a stretch; a run that ended early gives two that are near."""
    last = min(int(np.searchsorted(trace.times, stretch.end)), len(trace.times)) - 1
    return min(int(np.searchsorted(trace.times, stretch.begin + STARTING)), last - 1), last


def _rms(values: np.ndarray) -> float:
    return float(np.sqrt(np.mean(values**2))) if len(values) else float("nan")
