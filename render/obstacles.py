"""Solids as obstacles: how near they are to a point, and which of them occlude a target."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from handhold.robots.worlds import Solid

NEVER, ALWAYS = np.inf, -np.inf


class Obstacles:
    """The solids of a world, all evaluated together.

    Attributes:
        count: How many there are.
    """

    def __init__(self, solids: Sequence[Solid] = ()) -> None:
        """Take them where they stand; what may be moved is known where it began."""
        self.count = len(solids)
        poses = np.array([solid.to_se3().homogeneous for solid in solids]).reshape(-1, 4, 4)
        self._rotations, self._positions = poses[:, :3, :3], poses[:, :3, 3]
        # half lengths along the solid's own axes; a radius for each axis around which it is round
        self._halves = np.array([_find_halves(solid) for solid in solids]).reshape(-1, 3)
        self._flat = np.array([_FLAT_AXES[solid.shape] for solid in solids], dtype=bool).reshape(-1, 3)

    def find_nearest(self, point: np.ndarray) -> np.ndarray:
        """Return the point of each solid that is nearest to a point, shape ``(3,)``, in world, shape ``(count, 3)`` [m]."""
        own = self._to_own(point[None])[:, 0]
        nearest = np.where(self._flat, np.clip(own, -self._halves, self._halves), own)
        round_part = np.where(self._flat, 0.0, own)
        radii = np.where(self._flat, 0.0, self._halves).max(axis=1, initial=0.0)
        lengths = np.sqrt((round_part * round_part).sum(axis=1))
        shrink = np.where(lengths > radii, radii / np.maximum(lengths, 1e-9), 1.0)
        nearest = np.where(self._flat, nearest, nearest * shrink[:, None])
        return np.asarray(np.einsum("sij,sj->si", self._rotations, nearest) + self._positions)

    def measure_clearance(self, points: np.ndarray) -> np.ndarray:
        """Return how far points, shape ``(k, 3)``, are from the nearest solid, 0 within one, shape ``(k,)`` [m]."""
        if not self.count:
            return np.full(len(points), np.inf)
        own = self._to_own(points)
        flat, halves = self._flat[:, None], self._halves[:, None]
        beyond = np.where(flat, np.maximum(np.abs(own) - halves, 0.0), 0.0)
        around = np.where(flat, 0.0, own)
        radii = np.where(flat, 0.0, halves).max(axis=2)
        off_axis = np.maximum(np.sqrt((around * around).sum(axis=2)) - radii, 0.0)
        return np.asarray(np.sqrt((beyond * beyond).sum(axis=2) + off_axis * off_axis).min(axis=0))

    def find_between(self, eyes: np.ndarray, targets: np.ndarray, short: float = 0.0) -> np.ndarray:
        """Say which solids come between eyes and targets.

        A straight line from ``a`` to ``b`` meets a solid where the intervals of its parameter overlap within 0 to 1: in each
        pair of parallel faces, and in the cylinder or sphere that the solid is round by.

        Args:
            eyes: Shape ``(e, 3)`` [m].
            targets: Shape ``(t, 3)`` [m].
            short: How far before the target the line ends [m]: what is touched does not hide the hand that touches it.

        Returns:
            Shape ``(e, t, count)``, bool.
        """
        shape = (len(eyes), len(targets), self.count)
        if not all(shape):
            return np.zeros(shape, dtype=bool)
        scaled = self._halves[:, None]
        a, b = self._to_own(eyes) / scaled, self._to_own(targets) / scaled
        start, direction = a[:, :, None], b[:, None] - a[:, :, None]
        lengths = np.linalg.norm(targets[None] - eyes[:, None], axis=2)
        end = 1.0 - short / np.maximum(lengths, 1e-9)
        flat = self._flat[:, None, None]
        t_enter, t_exit = _cross_faces(start, direction, flat)
        t_enter_round, t_exit_round = _cross_round(np.where(flat, 0.0, start), np.where(flat, 0.0, direction))
        first = np.maximum(np.maximum(t_enter, t_enter_round), 0.0)
        last = np.minimum(np.minimum(t_exit, t_exit_round), end[None])
        return np.asarray((first < last).transpose(1, 2, 0))

    def _to_own(self, points: np.ndarray) -> np.ndarray:
        """Return points, shape ``(k, 3)``, in the frame of each solid, shape ``(count, k, 3)``."""
        return np.einsum("sji,skj->ski", self._rotations, points[None] - self._positions[:, None])


NO_OBSTACLES = Obstacles()


def _cross_faces(start: np.ndarray, direction: np.ndarray, flat: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return where lines are between the faces at -1 and 1 of all flat axes: the first and the last parameter."""
    with np.errstate(divide="ignore", invalid="ignore"):
        one, other = (-1.0 - start) / direction, (1.0 - start) / direction
    parallel = direction == 0.0
    within = np.abs(start) < 1.0
    t_enter = np.where(parallel, np.where(within, ALWAYS, NEVER), np.minimum(one, other))
    t_exit = np.where(parallel, np.where(within, NEVER, ALWAYS), np.maximum(one, other))
    return np.where(flat, t_enter, ALWAYS).max(axis=3), np.where(flat, t_exit, NEVER).min(axis=3)


def _cross_round(start: np.ndarray, direction: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return where lines are within the unit circle or sphere of the round axes: ``|start + s direction|^2 <= 1``."""
    a = (direction * direction).sum(axis=3)
    half_b = (start * direction).sum(axis=3)
    c = (start * start).sum(axis=3) - 1.0
    discriminant = half_b * half_b - a * c
    root = np.sqrt(np.maximum(discriminant, 0.0))
    parallel = a <= 1e-12
    safe = np.where(parallel, 1.0, a)
    t_enter, t_exit = (-half_b - root) / safe, (-half_b + root) / safe
    outside = np.where(parallel, c > 0.0, discriminant <= 0.0)
    t_enter, t_exit = np.where(parallel, ALWAYS, t_enter), np.where(parallel, NEVER, t_exit)
    return np.where(outside, NEVER, t_enter), np.where(outside, ALWAYS, t_exit)


def _find_halves(solid: Solid) -> np.ndarray:
    half = solid.half_size
    if solid.shape == "box":
        return np.array(half)
    return np.full(3, half[0]) if solid.shape == "sphere" else np.array([half[0], half[0], half[1]])


_FLAT_AXES = {"box": (True, True, True), "cylinder": (False, False, True), "sphere": (False, False, False)}
"""Along which of its own axes a solid ends in a pair of faces; it is round by the others."""
