r"""Where a motion may stop: it can be held there, and be left at rest in either direction.

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
"""Moments of a start or stop that are looked at."""


def compute_rate(since: float) -> tuple[float, float]:
    """Compute how much of its speed a motion has a time after it began to start, and how fast that grows [-, 1/s]."""
    part = min(max(since / BRAKING, 0.0), 1.0)
    return part * part * (3.0 - 2.0 * part), 6.0 * part * (1.0 - part) / BRAKING


def compute_way(since: float) -> float:
    """Compute how far a motion has come in its own time, a time after it began to start [s]; half of ``BRAKING`` in all."""
    part = min(max(since / BRAKING, 0.0), 1.0)
    return BRAKING * part**3 * (1.0 - 0.5 * part) + max(0.0, since - BRAKING)


_STARTING = tuple((compute_way(float(t)), *compute_rate(float(t))) for t in np.linspace(0.0, BRAKING, MOMENTS)[1:])


def list_clear(times: np.ndarray) -> np.ndarray:
    """List the moments between which and the ends a motion can start and stop, shape ``(k,)``, bool; the ends among them."""
    clear = (times >= BRAKING) & (times <= times[-1] - BRAKING)
    clear[[0, -1]] = True
    return np.asarray(clear)


def find_rests(
    model: RobotModel,
    body: BodyMeasures,
    shares: list[dict[int, float]],
    times: np.ndarray,
    poses: np.ndarray,
    steady: np.ndarray,
) -> np.ndarray:
    """Find where a motion may stop and go on either way, shape ``(k,)``, bool.

    Args:
        model: The robot.
        body: What the whole body does at moments of the motion.
        shares: Largest part of the weight that each effector may bear at them, by its place.
        times: The moments, evenly spaced, shape ``(k,)`` [s].
        poses: Poses of all effectors, shape ``(k, effectors, 4, 4)``.
        steady: Whether its postures could be held, shape ``(k,)``, bool.
    """
    planes = _list_half_planes(model, poses, shares)
    ground = np.array([find_ground(model, *bearing) for bearing in zip(poses, shares, strict=True)])
    com = _Com(body, ground)
    rests = steady & list_clear(times)
    for k in np.flatnonzero(rests):
        rests[k] = all(_can_leave(com, planes, times, int(k), way) for way in (1.0, -1.0))
    return rests


HalfPlanes = tuple[np.ndarray, np.ndarray] | None
"""Normals and distances of a support's edges; None where nothing bears."""


def _list_half_planes(model: RobotModel, poses: np.ndarray, shares: list[dict[int, float]]) -> list[HalfPlanes]:
    """Return the supports; those of contacts that bear fully are computed once."""
    inset, known = model.description.margins.controller, dict[tuple[int, ...], HalfPlanes]()
    planes: list[HalfPlanes] = []
    for pose, share in zip(poses, shares, strict=True):
        key = tuple(sorted(share))
        # The same effectors may bear elsewhere later, but between the two at least one of them did not.
        full = min(share.values(), default=0.0) >= 1.0
        if not full:
            known.pop(key, None)
        if not full or key not in known:
            support = compute_support(model, pose, share, inset)
            known[key] = compute_half_planes(support) if len(support) else None
        planes.append(known[key])
    return planes


def _can_leave(com: _Com, supports: list[HalfPlanes], times: np.ndarray, rest: int, way: float) -> bool:
    """Say whether the zero moment point stays in the support while a motion leaves a rest, one way or the other."""
    step = times[1] - times[0]
    for distance, rate, growth in _STARTING:
        place = times[rest] + way * distance
        if not 0.0 <= place <= times[-1]:
            break
        k = round(place / step)
        support = supports[k]
        if support is None or np.any(support[0] @ com.compute_zmp(k, rate, way * growth) > support[1]):
            return False
    return True


class _Com:
    """The zero moment point of the whole body at rates other than the motion's own."""

    def __init__(self, body: BodyMeasures, ground: np.ndarray) -> None:
        self._place, self._velocity = body.com[:, :2], body.velocity[:, :2]
        self._moving = body.compute_zmp(ground) - self._place
        self._levers = (body.com[:, 2] - ground) / GRAVITY

    def compute_zmp(self, k: int, rate: float, growth: float) -> np.ndarray:
        """Compute it at a moment, at a rate of the motion's own speed that grows [1/s], shape ``(2,)`` [m]."""
        shift = rate**2 * self._moving[k] - growth * self._levers[k] * self._velocity[k]
        return np.asarray(self._place[k] + shift)
