r"""Choice of a foothold where the ground under the planned footstep supports too little of the sole.

Of the footholds :math:`p` within reach at which enough of the sole is supported, the one with the least

.. math:: c(p) + \min_{p'} c'(p'), \qquad
    c(p) = d(p)^2 / s + a_b (1 - b) + a_r (1 - r) + a_h |h - h_0| + a_s [\text{astride}]

where d is the weighed distance from where it was planned, or would have been on the line that the robot walks along: a beam is
walked on, not beside, b the supported part of the sole, r the part of what is beside it
that would be, h the height of the surface, :math:`h_0` that of the support foot. The second term is the same of the footstep
after it: a foothold on a beam that leaves the other foot no room is worth nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from handhold.retarget.walking.contact_area import KEPT_FOOTHOLD_RATIO, MIN_FOOTHOLD_RATIO, ContactArea
from handhold.retarget.walking.foothold_costs import DISTANCE_SCALE, HEIGHT_COST, STRADDLE_COST, compute_costs, is_straddling
from handhold.retarget.walking.ground import GroundMap
from handhold.retarget.walking.next_foothold import rate_next_footholds
from handhold.retarget.walking.stride import Stance, Stride, make_axes

MAX_DISTANCE = 0.4
"""Largest weighed distance [m]."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class ChosenFoothold:
    """A foothold.

    Attributes:
        position: Position of the sole's middle seen from above, shape ``(2,)`` [m].
        contact_area: Supported rectangle of the sole there.
        following: Next foothold that it was chosen with a view to, shape ``(2,)`` [m]; None where that is free,
            or finds nothing.
        is_free: Whether the ground asks for nothing: this footstep and the next may be where they like.
    """

    position: np.ndarray
    contact_area: ContactArea
    following: np.ndarray | None = None
    is_free: bool = False

    @property
    def continues(self) -> bool:
        """Whether there is another footstep after it."""
        return self.is_free or self.following is not None


def choose_foothold(
    ground: GroundMap, stance: Stance, strides: tuple[Stride, Stride], kept: ChosenFoothold | None = None
) -> ChosenFoothold | None:
    """Choose where to put a foot: where it is desired if the whole sole is supported there, or else as the module says.

    Args:
        ground: What is known of it.
        stance: Where the robot is.
        strides: What is asked of this footstep, and of the next.
        kept: What was chosen before, which stays while enough of the sole is supported there; None for nothing.

    Returns:
        The foothold; None where none supports enough.
    """
    stride = strides[0]
    planned, angle, height = stance.support + stance.axes @ stride.desired, stride.angle, stance.height
    if _is_easy(ground, stance, strides):
        return ChosenFoothold(position=planned, contact_area=ground.whole, is_free=True)
    if kept is not None and np.linalg.norm(kept.position - planned) < MAX_DISTANCE:
        contact_area = ground.find_contact_area(kept.position, angle, height)
        if contact_area.ratio >= KEPT_FOOTHOLD_RATIO:
            return replace(kept, contact_area=contact_area)
    found = _find_best(ground, stance, strides)
    if found is None:
        return None
    position, following = found
    return ChosenFoothold(
        position=position, contact_area=ground.find_contact_area(position, angle, height), following=following
    )


def _is_easy(ground: GroundMap, stance: Stance, strides: tuple[Stride, Stride]) -> bool:
    """Whether this footstep and the next find even ground where they are desired, neither straddling."""
    for stride in strides:
        position = stance.support + stance.axes @ stride.desired
        if ground.find_even(position[None], stride.angle, stance.height) != 0:
            return False
        level = ground.find_foothold(position, stride.angle, stance.height).height
        if is_straddling(level, stance.height, stance.lift_off_height):
            return False
        stance = Stance(support=position, angle=stride.angle, height=level, lift_off_height=stance.height)
    return True


def _find_best(
    ground: GroundMap, stance: Stance, strides: tuple[Stride, Stride]
) -> tuple[np.ndarray, np.ndarray | None] | None:
    """Return the best foothold within reach and that of the next footstep, shape ``(2,)`` each [m]; None for none."""
    stride = strides[0]
    displacements = stride.list_displacements()
    lateral_offset = stance.axes.T @ stance.lateral_offset
    distances = stride.weigh_distances(displacements, lateral_offset)
    near = distances <= MAX_DISTANCE
    positions = stance.support + displacements[near] @ stance.axes.T
    if not len(positions):
        return None
    costs, levels, ratios = compute_costs(ground, positions, stride.angle, stance.height)
    costs += distances[near] ** 2 / DISTANCE_SCALE + HEIGHT_COST * np.abs(levels - stance.height)
    costs[is_straddling(levels, stance.height, stance.lift_off_height)] += STRADDLE_COST
    supported = np.flatnonzero(ratios >= MIN_FOOTHOLD_RATIO)
    if not len(supported):
        return None
    positions, levels, costs = positions[supported], levels[supported], costs[supported]
    line = stance.support + stance.axes @ (stride.desired - lateral_offset)
    following = rate_next_footholds(ground, positions, levels, (stance.height, line), strides)
    best = int(np.argmin(costs + following[:, 0]))
    return positions[best], (following[best, 1:] if np.isfinite(following[best, 1]) else None)


def find_lateral_offset(offset: np.ndarray, angle: float, direction: np.ndarray) -> np.ndarray:
    """Return the part of a displacement in world that is across where the robot walks to, shape ``(2,)`` [m].

    Args:
        offset: The displacement, shape ``(2,)`` [m].
        angle: Where the robot is turned to [rad].
        direction: Where it walks to in its own axes, unit or zero, shape ``(2,)``: of zero nothing is across.
    """
    left = make_axes(angle) @ [-direction[1], direction[0]]
    return np.asarray((left @ offset) * left)
