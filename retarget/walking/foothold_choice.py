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

from dataclasses import dataclass, replace

import numpy as np

from handhold.retarget.walking.bearing import KEPT_RATIO, LEAST_RATIO, Bearing
from handhold.retarget.walking.foothold_costs import ASTRIDE, LEVEL, SCALE, is_astride, rate
from handhold.retarget.walking.ground import GroundMap
from handhold.retarget.walking.next_foothold import rate_next
from handhold.retarget.walking.stride import Stance, Stride, make_axes

FAR = 0.4
"""Largest weighed distance [m]."""


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
        if is_astride(level, stance.height, stance.lifted):
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
    costs, levels, ratios = rate(ground, places, stride.angle, stance.height)
    costs += distances[near] ** 2 / SCALE + LEVEL * np.abs(levels - stance.height)
    costs[is_astride(levels, stance.height, stance.lifted)] += ASTRIDE
    bears = np.flatnonzero(ratios >= LEAST_RATIO)
    if not len(bears):
        return None
    places, levels, costs = places[bears], levels[bears], costs[bears]
    line = stance.support + stance.axes @ (stride.wanted - aside)
    following = rate_next(ground, places, levels, (stance.height, line), strides)
    best = int(np.argmin(costs + following[:, 0]))
    return places[best], (following[best, 1:] if np.isfinite(following[best, 1]) else None)


def find_aside(off: np.ndarray, angle: float, direction: np.ndarray) -> np.ndarray:
    """Return the part of a displacement in world that is across where the robot walks to, shape ``(2,)`` [m].

    Args:
        off: The displacement, shape ``(2,)`` [m].
        angle: Where the robot is turned to [rad].
        direction: Where it walks to in its own axes, unit or zero, shape ``(2,)``: of zero nothing is across.
    """
    left = make_axes(angle) @ [-direction[1], direction[0]]
    return np.asarray((left @ off) * left)
