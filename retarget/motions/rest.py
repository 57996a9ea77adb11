r"""Where a motion may stop: it can be held there, and started again in either direction.

A motion that is played at a rate :math:`r(t)` of its own speed has the accelerations :math:`\ddot c = r^2 c'' + \dot r c'`. A
way back has the same as the way there, so that stopping at a place is the reverse of leaving it the way it came.
"""

from __future__ import annotations

import numpy as np

from handhold.retarget.motions.body_measures import BodyMeasures
from handhold.retarget.motions.support import compute_support, find_ground
from handhold.robots.model import GRAVITY, RobotModel
from handhold.robots.polygon import compute_half_planes

BRAKING = 0.6
"""Time in which a motion comes to rest, and to its own speed again [s]."""

MOMENTS = 7
"""Samples of a start or stop that are checked."""


def compute_rate(since: float) -> tuple[float, float]:
    """Compute how much of its speed a motion has a time after it began to start, and how fast that grows [-, 1/s]."""
    part = min(max(since / BRAKING, 0.0), 1.0)
    return part * part * (3.0 - 2.0 * part), 6.0 * part * (1.0 - part) / BRAKING


def compute_played_time(since: float) -> float:
    """Compute how far a motion has come in its own time, a time after it began to start [s]; half of ``BRAKING`` in all."""
    part = min(max(since / BRAKING, 0.0), 1.0)
    return BRAKING * part**3 * (1.0 - 0.5 * part) + max(0.0, since - BRAKING)


_STARTING = tuple((compute_played_time(float(t)), *compute_rate(float(t))) for t in np.linspace(0.0, BRAKING, MOMENTS)[1:])


def list_clear(times: np.ndarray) -> np.ndarray:
    """List the moments between which and the ends a motion can start and stop, shape ``(k,)``, bool; the ends among them."""
    clear = (times >= BRAKING) & (times <= times[-1] - BRAKING)
    clear[[0, -1]] = True
    return np.asarray(clear)


def find_rests(
    model: RobotModel,
    body: BodyMeasures,
    max_load_ratios: list[dict[int, float]],
    times: np.ndarray,
    poses: np.ndarray,
    steady: np.ndarray,
) -> np.ndarray:
    """Find where a motion may stop and go on either way, shape ``(k,)``, bool.

    Args:
        model: The robot.
        body: What the whole body does at moments of the motion.
        max_load_ratios: Largest load ratio of each effector at them, by its index.
        times: The moments, evenly spaced, shape ``(k,)`` [s].
        poses: Poses of all effectors, shape ``(k, effectors, 4, 4)``.
        steady: Whether its postures could be held, shape ``(k,)``, bool.
    """
    planes = _list_half_planes(model, poses, max_load_ratios)
    ground = np.array([find_ground(model, *loads) for loads in zip(poses, max_load_ratios, strict=True)])
    com = _Com(body, ground)
    rests = steady & list_clear(times)
    for k in np.flatnonzero(rests):
        rests[k] = all(_can_start(com, planes, times, int(k), direction) for direction in (1.0, -1.0))
    return rests


HalfPlanes = tuple[np.ndarray, np.ndarray] | None
"""Normals and distances of a support's edges; None where nothing supports."""


def _list_half_planes(model: RobotModel, poses: np.ndarray, max_load_ratios: list[dict[int, float]]) -> list[HalfPlanes]:
    """Return the supports; those of fully loaded contacts are computed once."""
    inset, known = model.description.margins.controller, dict[tuple[int, ...], HalfPlanes]()
    planes: list[HalfPlanes] = []
    for pose, load_limits in zip(poses, max_load_ratios, strict=True):
        key = tuple(sorted(load_limits))
        # The same effectors may support elsewhere later, but between the two at least one of them did not.
        full = min(load_limits.values(), default=0.0) >= 1.0
        if not full:
            known.pop(key, None)
        if not full or key not in known:
            support = compute_support(model, pose, load_limits, inset)
            known[key] = compute_half_planes(support) if len(support) else None
        planes.append(known[key])
    return planes


def _can_start(com: _Com, supports: list[HalfPlanes], times: np.ndarray, rest: int, direction: float) -> bool:
    """Say whether the zero moment point stays in the support while a motion starts from rest in a direction."""
    step = times[1] - times[0]
    for distance, rate, growth in _STARTING:
        path_time = times[rest] + direction * distance
        if not 0.0 <= path_time <= times[-1]:
            break
        k = round(path_time / step)
        support = supports[k]
        if support is None or np.any(support[0] @ com.compute_zmp(k, rate, direction * growth) > support[1]):
            return False
    return True


class _Com:
    """The zero moment point of the whole body at rates other than the motion's own."""

    def __init__(self, body: BodyMeasures, ground: np.ndarray) -> None:
        self._position, self._velocity = body.com[:, :2], body.velocity[:, :2]
        self._moving = body.compute_zmp(ground) - self._position
        self._levers = (body.com[:, 2] - ground) / GRAVITY

    def compute_zmp(self, k: int, rate: float, growth: float) -> np.ndarray:
        """Compute it at a moment, at a rate of the motion's own speed that grows [1/s], shape ``(2,)`` [m]."""
        shift = rate**2 * self._moving[k] - growth * self._levers[k] * self._velocity[k]
        return np.asarray(self._position[k] + shift)
