r"""Where a foot is put when the ground under the footstep that was planned bears too little of it.

Of the places :math:`p` within reach at which enough of the sole bears, the one with the least

.. math:: c(p) + \min_{p'} c'(p'), \qquad
    c(p) = d(p)^2 / s + a_b (1 - b) + a_r (1 - r) + a_h |h - h_0| + a_s [\text{astride}]

where d is the weighed distance from where it was planned, or would have been on the line that the robot walks along: a beam is
walked on, not beside, b the part of the sole that bears, r the part of what is beside it
that would, h the height of what bears, :math:`h_0` that of the foot that bears. The second term is the same of the footstep
after it: a place on a beam that leaves the other foot no room is worth nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
from numba import njit

from handhold.retarget.walking.bearing import KEPT_RATIO, LEAST_RATIO, Bearing
from handhold.retarget.walking.footsteps import FootstepPlan
from handhold.retarget.walking.ground import GroundMap

BACK = 3.0
"""How much worse a place short of the planned one is than one beyond it [-]: or else it would step in place before an edge."""

ASIDE = 2.0
"""How much worse a place beside it is [-]."""

SCALE = 0.15
"""Weighed distance that costs as much as it is [m]: squared, for rather two footsteps a little elsewhere than one far away."""

PART = 0.4
"""Cost of a place that bears no part of the sole [m]."""

RIM = 0.1
"""Cost of one that nothing beside the sole would bear [m]: it does not come down to the millimetre."""

LEVEL = 2.0
"""Cost of a metre higher or lower than the foot that bears [-]."""

ASTRIDE = 0.4
"""Cost of a place that keeps one foot higher than the other, step for step [m]."""

NOWHERE = 4.0
"""Cost of a place from which no other footstep is to be had, or only one that costs more [m]."""

FAR = 0.4
"""Largest weighed distance [m]."""

MARGIN = 0.003
"""How far within its reach the next footstep must be [m]: a foot does not come down to the millimetre."""

EVEN = 0.01
"""Difference in height up to which ground is level [m]: a map has its noise."""

# Ahead and aside: soles are narrower than they are long.
_APART = np.array([0.025, 0.005])
_NEXT_APART = np.array([0.05, 0.01])
_ASIDE = 0.12


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Chosen:
    """A place for a foot.

    Attributes:
        place: Of the sole's middle seen from above, shape ``(2,)`` [m].
        bearing: What of the sole bears there.
        following: Place for the next footstep that it was chosen with a view to, shape ``(2,)`` [m]; None where that is free,
            or finds nothing.
        is_free: Whether the ground asks for nothing: this footstep and the next may be where they like.
    """

    place: np.ndarray
    bearing: Bearing
    following: np.ndarray | None = None
    is_free: bool = False

    @property
    def goes_on(self) -> bool:
        """Whether there is another footstep after it."""
        return self.is_free or self.following is not None


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Stance:
    """Where the robot is when a foot is lifted.

    Attributes:
        support: Position of the foot that bears in world, shape ``(2,)`` [m].
        angle: Its orientation [rad].
        height: Of the ground under it [m].
        lifted: Height of the ground that the other foot leaves [m].
        aside: How far the robot is beside the line that it walks along, in world, shape ``(2,)`` [m].
    """

    support: np.ndarray
    angle: float
    height: float
    lifted: float
    aside: np.ndarray = field(default_factory=lambda: np.zeros(2))

    @property
    def axes(self) -> np.ndarray:
        """Axes of the foot that bears as columns, shape ``(2, 2)``."""
        return _make_axes(self.angle)


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Stride:
    """What is asked of one footstep, in the axes of the foot that bears.

    Attributes:
        wanted: Displacement that goes on as the robot walks, shape ``(2,)`` [m].
        lower: Least one, shape ``(2,)`` [m].
        upper: Largest one, shape ``(2,)`` [m].
        direction: Where the robot walks to, unit or zero, shape ``(2,)``.
        angle: Orientation of the foot in world [rad].
    """

    wanted: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    direction: np.ndarray
    angle: float

    def list_displacements(self) -> np.ndarray:
        """List displacements around the wanted one, within reach, shape ``(k, 2)`` [m]."""
        grid = [self._list_along(axis) for axis in range(2)]
        return np.stack(np.meshgrid(*grid, indexing="ij"), axis=-1).reshape(-1, 2)

    def _list_along(self, axis: int) -> np.ndarray:
        """Return displacements along an axis around the wanted one, and the least and the largest ones."""
        apart, lower, upper = float(_APART[axis]), float(self.lower[axis]), float(self.upper[axis])
        if axis == 1:
            lower, upper = max(lower, self.wanted[1] - _ASIDE), min(upper, self.wanted[1] + _ASIDE)
        around = np.arange(np.ceil((lower - self.wanted[axis]) / apart), (upper - self.wanted[axis]) / apart)
        return np.array([*(self.wanted[axis] + apart * around), lower, upper])

    def weigh_distances(self, displacements: np.ndarray, aside: np.ndarray) -> np.ndarray:
        """Weigh the distances of displacements, shape ``(k, 2)`` [m], from the wanted one, shape ``(k,)`` [m].

        Args:
            displacements: From the foot that bears.
            aside: How far the robot is beside its line, in the same axes, shape ``(2,)`` [m].
        """
        off = displacements - self.wanted + aside
        along = off @ self.direction
        aside = np.linalg.norm(off - along[:, None] * self.direction, axis=1)
        return np.hypot(np.where(along < 0.0, BACK, 1.0) * along, ASIDE * aside)


def list_strides(plan: FootstepPlan, direction: np.ndarray, first: int = 0) -> tuple[Stride, Stride]:
    """Return what is asked of two of planned footsteps, one after the other.

    Args:
        plan: The footsteps.
        direction: Where the robot walks to in its own axes, unit or zero, shape ``(2,)``.
        first: Index of the first of the two.
    """
    first_stride, second = (
        Stride(
            wanted=plan.wanted[k], lower=plan.lower[k], upper=plan.upper[k], direction=direction, angle=float(plan.angles[k])
        )
        for k in (first, first + 1)
    )
    return first_stride, second


def choose_foothold(
    ground: GroundMap, stance: Stance, strides: tuple[Stride, Stride], kept: Chosen | None = None
) -> Chosen | None:
    """Choose where to put a foot: where it is wanted if the whole sole bears there, or else as the module says.

    Args:
        ground: What is known of it.
        stance: Where the robot is.
        strides: What is asked of this footstep, and of the next.
        kept: What was chosen before, which stays while enough of the sole bears there; None for nothing.

    Returns:
        The place; None where there is none that bears enough.
    """
    stride = strides[0]
    planned, angle, height = stance.support + stance.axes @ stride.wanted, stride.angle, stance.height
    if _is_easy(ground, stance, strides):
        return Chosen(place=planned, bearing=ground.whole, is_free=True)
    if kept is not None and np.linalg.norm(kept.place - planned) < FAR:
        bearing = ground.find_bearing(kept.place, angle, height)
        if bearing.ratio >= KEPT_RATIO:
            return replace(kept, bearing=bearing)
    found = _find_best(ground, stance, strides)
    if found is None:
        return None
    place, following = found
    return Chosen(place=place, bearing=ground.find_bearing(place, angle, height), following=following)


def _is_easy(ground: GroundMap, stance: Stance, strides: tuple[Stride, Stride]) -> bool:
    """Whether this footstep and the next find even ground where they are wanted, neither astride."""
    for stride in strides:
        place = stance.support + stance.axes @ stride.wanted
        if ground.find_even(place[None], stride.angle, stance.height) != 0:
            return False
        level = ground.find_foothold(place, stride.angle, stance.height).height
        if _is_astride(level, stance.height, stance.lifted):
            return False
        stance = Stance(support=place, angle=stride.angle, height=level, lifted=stance.height)
    return True


def _find_best(
    ground: GroundMap, stance: Stance, strides: tuple[Stride, Stride]
) -> tuple[np.ndarray, np.ndarray | None] | None:
    """Return the best place within reach and the best of the next footstep, shape ``(2,)`` each [m]; None for none."""
    stride = strides[0]
    displacements = stride.list_displacements()
    aside = stance.axes.T @ stance.aside
    distances = stride.weigh_distances(displacements, aside)
    near = distances <= FAR
    places = stance.support + displacements[near] @ stance.axes.T
    if not len(places):
        return None
    costs, levels, ratios = _rate(ground, places, stride.angle, stance.height)
    costs += distances[near] ** 2 / SCALE + LEVEL * np.abs(levels - stance.height)
    costs[_is_astride(levels, stance.height, stance.lifted)] += ASTRIDE
    bears = np.flatnonzero(ratios >= LEAST_RATIO)
    if not len(bears):
        return None
    places, levels, costs = places[bears], levels[bears], costs[bears]
    line = stance.support + stance.axes @ (stride.wanted - aside)
    following = _rate_next(ground, places, levels, (stance.height, line), strides)
    best = int(np.argmin(costs + following[:, 0]))
    return places[best], (following[best, 1:] if np.isfinite(following[best, 1]) else None)


def _rate(ground: GroundMap, places: np.ndarray, angle: float, height: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rate what bears at places: what that costs [m], how high it is [m], and the part of a sole that bears [-]."""
    ratios, rims, levels = ground.rate_places(places, angle, height)
    return PART * (1.0 - ratios) + RIM * (1.0 - rims), np.where(np.isnan(levels), height, levels), ratios


def _rate_next(
    ground: GroundMap,
    places: np.ndarray,
    levels: np.ndarray,
    before: tuple[float, np.ndarray],
    strides: tuple[Stride, Stride],
) -> np.ndarray:
    """Rate the best footstep after each of places: its cost and where it is, NaN for nowhere, shape ``(k, 3)`` [m].

    Of the third footstep only this counts: where it is planned it is not to keep this foot higher than the next, or lower.

    Args:
        ground: What is known of it.
        places: Of this footstep, shape ``(k, 2)`` [m].
        levels: How high it stands there, shape ``(k,)`` [m].
        before: How high the foot stands that is lifted next [m], and where this one would be on the robot's line, shape
            ``(2,)`` [m].
        strides: What is asked of this footstep, and of the next.
    """
    stride, (lifted, line) = strides[1], before
    axes = _make_axes(strides[0].angle)
    in_axes, rated = places @ axes, np.empty((len(places), 3))
    asked = np.array([stride.wanted, stride.lower + MARGIN, stride.upper - MARGIN, axes.T @ line + stride.wanted])
    xs, ys = (_list_lattice(in_axes[:, axis], stride, axis) for axis in range(2))
    lattice = np.stack(np.meshgrid(xs, ys, indexing="ij"), axis=-1).reshape(-1, 2) @ axes.T
    third = lattice + _make_axes(stride.angle) @ strides[0].wanted
    rounded = np.round(levels / EVEN)
    for level in np.unique(rounded):
        group = rounded == level
        height = float(levels[group].mean())
        costs, heights, ratios = _rate(ground, lattice, stride.angle, height)
        costs += LEVEL * np.abs(heights - height)
        costs[_is_astride(heights, height, lifted) | _is_astride(ground.find_heights(third, height), heights, height)] += (
            ASTRIDE
        )
        offers = np.array([ratios, costs, heights]).reshape(3, len(xs), len(ys))
        rated[group] = _find_least(in_axes[group], (xs, ys), offers, asked, stride.direction)
    rated[:, 1:] = rated[:, 1:] @ axes.T
    return rated


def _list_lattice(places: np.ndarray, stride: Stride, axis: int) -> np.ndarray:
    """Return coordinates of a lattice along an axis, with all that is within a stride of places on it, shape ``(k,)`` [m]."""
    apart = float(_NEXT_APART[axis])
    lower, upper = float(stride.lower[axis]), float(stride.upper[axis])
    if axis == 1:
        lower, upper = max(lower, stride.wanted[1] - _ASIDE), min(upper, stride.wanted[1] + _ASIDE)
    return np.arange(places.min() + lower, places.max() + upper + apart, apart)


@njit(cache=True)
def _find_least(
    places: np.ndarray,
    lattice: tuple[np.ndarray, np.ndarray],
    offers: np.ndarray,
    asked: np.ndarray,
    direction: np.ndarray,
) -> np.ndarray:
    """Find the least cost of what is within a stride of each place, and where, shape ``(k, 3)`` [m], in the foot's axes.

    What bears may be narrower than the lattice: at the ends of the reach aside it is interpolated.

    Args:
        places: Of this footstep, shape ``(k, 2)`` [m].
        lattice: Coordinates of places for the next, shape ``(x,)`` and ``(y,)`` [m].
        offers: Of each of them the part of a sole that bears, its cost and its height, shape ``(3, x, y)``.
        asked: Displacement wanted, the least, the largest, and the place wanted on the line, shape ``(4, 2)`` [m].
        direction: Where the robot walks to, unit or zero, shape ``(2,)``.
    """
    (xs, ys), (wanted, lower, upper, line) = lattice, asked
    least = np.full((len(places), 3), np.nan)
    least[:, 0] = NOWHERE
    for i in range(len(places)):
        low, high = places[i, 1] + lower[1], places[i, 1] + upper[1]
        first, last = np.searchsorted(ys, low), np.searchsorted(ys, high)
        for j in range(len(xs)):
            if not lower[0] <= xs[j] - places[i, 0] <= upper[0]:
                continue
            for k in range(first - 1, last + 1):
                # Between its ends the lattice's own places; first and last the ends themselves.
                y = low if k < first else (high if k == last else ys[k])
                cost = _interpolate(ys, offers[:, j], y)
                if cost >= least[i, 0]:
                    continue
                ahead, aside = xs[j] - places[i, 0] - wanted[0], y - places[i, 1] - wanted[1]
                along = ahead * direction[0] + aside * direction[1]
                # On from this footstep; but beside the line no further because this one is.
                off = (xs[j] - line[0]) * direction[1] - (y - line[1]) * direction[0]
                if not direction.any():
                    off = math.hypot(xs[j] - line[0], y - line[1])
                cost += (((BACK if along < 0.0 else 1.0) * along) ** 2 + (ASIDE * off) ** 2) / SCALE
                if cost < least[i, 0]:
                    least[i] = cost, xs[j], y
    return least


@njit(cache=True)
def _interpolate(ys: np.ndarray, offers: np.ndarray, y: float) -> float:
    """Return the cost of a place between two of a row, infinite where too little bears, or beside the lattice [m]."""
    k = np.searchsorted(ys, y)
    if k == len(ys) or (k == 0 and ys[0] != y):
        return np.inf
    if ys[k] == y:
        return offers[1, k] if offers[0, k] >= LEAST_RATIO else np.inf
    part = (y - ys[k - 1]) / (ys[k] - ys[k - 1])
    ratio = (1.0 - part) * offers[0, k - 1] + part * offers[0, k]
    if ratio < LEAST_RATIO or abs(offers[2, k] - offers[2, k - 1]) > EVEN:
        return np.inf
    return (1.0 - part) * offers[1, k - 1] + part * offers[1, k]


def find_aside(off: np.ndarray, angle: float, direction: np.ndarray) -> np.ndarray:
    """Return the part of a displacement in world that is across where the robot walks to, shape ``(2,)`` [m].

    Args:
        off: The displacement, shape ``(2,)`` [m].
        angle: Where the robot is turned to [rad].
        direction: Where it walks to in its own axes, unit or zero, shape ``(2,)``: of zero nothing is across.
    """
    left = _make_axes(angle) @ [-direction[1], direction[0]]
    return np.asarray((left @ off) * left)


def _is_astride(level: np.ndarray | float, support: np.ndarray | float, lifted: float) -> np.ndarray:
    """Whether a foot that is put down stays higher, or lower, than the foot that bears, as it was before; NaN does not."""
    before, after = np.subtract(lifted, support), np.subtract(level, support)
    return np.asarray((np.abs(before) > EVEN) & (np.abs(after) > EVEN) & (before * after > 0.0))


def _make_axes(angle: float) -> np.ndarray:
    """Return the axes of a foot of an orientation [rad] as columns, shape ``(2, 2)``."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s], [s, c]])
