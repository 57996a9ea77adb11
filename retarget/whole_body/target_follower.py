r"""What a robot is asked to follow, smooth and without a jump: the person's targets, filtered, and come to slowly at first.

Two first-order filters in a row, :math:`\dot y = (x - y) / \tau`, twice, take the steps out of samples that come at 60 Hz
and not evenly. When the person takes charge, the targets fade from where the robot is,

.. math:: z(t) = z_0 + b(t) (y(t) - z_0), \quad b = 10 s^3 - 15 s^4 + 6 s^5, \quad s = t / T,

over a time T in which nothing has to go faster than the speeds of approach. Orientations do so as quaternions that are
normalised afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pinocchio as pin
from numba import njit

from handhold.retarget.least_jerk import compute_least_jerk
from handhold.retarget.whole_body.body_targets import BodyTargets
from handhold.retarget.whole_body.com_offset import ComOffset
from handhold.retarget.whole_body.human_body import to_matrices

TIME_CONSTANT = 0.02
"""Time constant of either filter [s]."""

APPROACH_SPEED, APPROACH_RATE = 0.25, 0.6
"""Largest speeds at which the robot comes to the person [m/s], [rad/s]."""

MIN_APPROACH = 1.0
"""Least time in which it does [s]."""

_PEAK = 1.875
"""Largest rate of b, in 1 / T."""


@dataclass(frozen=True, eq=False, slots=True)
class _Values:
    """Targets as numbers that may be averaged.

    Attributes:
        vectors: Limbs, elbows' axes, hands, feet, pelvis and offset of the centre of mass, one after the other.
        quaternions: Of base, chest, head, hands and feet, shape ``(k, 4)``.
    """

    vectors: np.ndarray
    quaternions: np.ndarray

    @staticmethod
    def of(targets: BodyTargets) -> _Values:
        """Return the numbers of targets."""
        rotations = [*targets.rotations, *targets.hands[:, :3, :3], *targets.feet[:, :3, :3]]
        quaternions = np.array([pin.Quaternion(np.ascontiguousarray(rotation)).coeffs() for rotation in rotations])
        com = [targets.com.along, targets.com.across]
        ends = (targets.hands[:, :3, 3].ravel(), targets.feet[:, :3, 3].ravel())
        parts = (targets.limbs.ravel(), targets.hinges.ravel(), *ends, targets.pelvis, com)
        return _Values(np.concatenate(parts), quaternions)

    def towards(self, other: _Values, part: float) -> _Values:
        """Return what is a part of the way to others, 0 to 1."""
        vectors, quaternions = np.empty_like(self.vectors), np.empty_like(self.quaternions)
        blend(self.vectors, other.vectors, part, vectors)
        blend_turns(self.quaternions, other.quaternions, part, quaternions)
        return _Values(vectors, quaternions)

    def fill(self, targets: BodyTargets) -> BodyTargets:
        """Return targets with these numbers, of the same shapes as others."""
        limbs, turns = targets.limbs.size, targets.limbs.size + targets.hinges.size
        matrices, turned = to_matrices(self.quaternions), len(targets.rotations)
        poses = np.concatenate([targets.hands, targets.feet])
        poses[:, :3, :3] = matrices[turned:]
        poses[:, :3, 3] = self.vectors[turns:-5].reshape(-1, 3)
        return replace(
            targets,
            rotations=matrices[:turned],
            limbs=_normalise(self.vectors[:limbs].reshape(-1, 3)),
            hinges=_normalise(self.vectors[limbs:turns].reshape(-1, 3)),
            hands=poses[: len(targets.hands)],
            feet=poses[len(targets.hands) :],
            pelvis=self.vectors[-5:-2],
            com=ComOffset(along=float(self.vectors[-2]), across=float(self.vectors[-1])),
        )


class TargetFollower:
    """Follows one person from one taking charge on."""

    def __init__(self, start: BodyTargets, targets: BodyTargets) -> None:
        """Begin where the robot is.

        Args:
            start: What the robot does now.
            targets: What the person asks for now.
        """
        self._start = _Values.of(start)
        self._first = self._second = _Values.of(targets)
        self._targets, self._asked = targets, self._first
        self._duration = max(MIN_APPROACH, _PEAK * _compute_time(start, targets))
        self._elapsed = 0.0

    @property
    def arrived(self) -> bool:
        """Whether the robot has come to the person and follows."""
        return self._elapsed >= self._duration

    @property
    def progress(self) -> float:
        """How much of the approach is over, 0 to 1."""
        return min(1.0, self._elapsed / self._duration)

    def advance(self, targets: BodyTargets, dt: float) -> BodyTargets:
        """Go on by a period [s], and return what the robot is to follow."""
        if targets is not self._targets:
            self._targets, self._asked = targets, _Values.of(targets)
        part = dt / (TIME_CONSTANT + dt)
        self._first = self._first.towards(self._asked, part)
        self._second = self._second.towards(self._first, part)
        self._elapsed += dt
        s = self.progress
        values = self._second if s >= 1.0 else self._start.towards(self._second, compute_least_jerk(s))
        return values.fill(targets)


@njit(cache=True)
def blend(start: np.ndarray, end: np.ndarray, part: float, out: np.ndarray) -> None:
    """Fill a vector with what is a part of the way from one to another."""
    for k in range(start.shape[0]):
        out[k] = start[k] + part * (end[k] - start[k])


@njit(cache=True)
def blend_turns(start: np.ndarray, end: np.ndarray, part: float, out: np.ndarray) -> None:
    """Fill unit quaternions, one a row, with what is a part of the way from one to another, by the shorter one."""
    for k in range(start.shape[0]):
        cosine = 0.0
        for i in range(4):
            cosine += start[k, i] * end[k, i]
        sign = -1.0 if cosine < 0.0 else 1.0
        squared = 0.0
        for i in range(4):
            out[k, i] = start[k, i] + part * (sign * end[k, i] - start[k, i])
            squared += out[k, i] ** 2
        length = max(np.sqrt(squared), 1e-9)
        for i in range(4):
            out[k, i] /= length


def _normalise(vectors: np.ndarray) -> np.ndarray:
    """Return vectors, one a row, at unit length."""
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9))


def _compute_time(start: BodyTargets, targets: BodyTargets) -> float:
    """Return in which time everything gets from one to the other at its speed of approach [s]."""
    distances = np.linalg.norm(start.hands[:, :3, 3] - targets.hands[:, :3, 3], axis=1)
    pelvis = abs(float(start.pelvis[2] - targets.pelvis[2]))
    turns = [np.linalg.norm(pin.log3(a @ b.T)) for a, b in zip(start.rotations, targets.rotations, strict=True)]
    turns += [np.linalg.norm(pin.log3(a[:3, :3] @ b[:3, :3].T)) for a, b in zip(start.hands, targets.hands, strict=True)]
    cosines = [np.sum(start.limbs * targets.limbs, axis=1), np.sum(start.hinges * targets.hinges, axis=1)]
    bends = np.arccos(np.clip(np.concatenate(cosines), -1.0, 1.0))
    farthest = max(float(distances.max(initial=0.0)), pelvis)
    return max(farthest / APPROACH_SPEED, max(float(bends.max(initial=0.0)), *map(float, turns)) / APPROACH_RATE)
