"""Solids that come between the operator's eye and the robot or its hands are seen through."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from handhold.render.elements.element import Element
from handhold.render.interface.placement import compute_base_pose
from handhold.render.interface.settings import Viewpoint
from handhold.render.obstacles import Obstacles
from handhold.render.scene import Lines, Solids
from handhold.render.snapshot import Snapshot
from handhold.robots.model import RobotModel

MIN_OPACITY = 0.2
"""Opacity of a solid that occludes [-]: one sees that it is there, and what is behind it."""
FADE_TIME = 0.25
"""How long a solid takes to fade, or to come back [s]."""
STAYS = 0.6
"""How long a solid stays faded after it last occluded [s]: at its edge a head that sways does not make it flicker."""
CHECK_PERIOD = 0.1
"""Minimum time between two checks for occlusion [s]."""
SHORT = 0.08
"""How far before a hand a line of sight ends [m]: what it touches does not hide it."""
STEPS = 8
"""Opacities from solid to faded: so many different elements are made of a solid, once each."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Fading:
    """How far each solid has faded.

    Attributes:
        fractions: 0 solid to 1 faded, shape ``(solids,)``.
        occluded_at: When each occluded last, shape ``(solids,)`` [s].
        checked_at: When that was last checked [s].
        time: When this was [s].
    """

    fractions: np.ndarray
    occluded_at: np.ndarray
    checked_at: float = -np.inf
    time: float = -np.inf


def begin_fading(count: int) -> Fading:
    """Return how far so many solids have faded before anything is seen."""
    return Fading(fractions=np.zeros(count), occluded_at=np.full(count, -np.inf))


def step_fading(fading: Fading, obstacles: Obstacles, eye: np.ndarray, points: np.ndarray, now: float) -> Fading:
    """Follow the eye by one frame.

    Args:
        fading: How far solids have faded so far.
        obstacles: The same solids.
        eye: Where the operator's eyes are in world, shape ``(3,)`` [m].
        points: What they are to see, shape ``(k, 3)`` [m] (see ``find_watched_points``).
        now: The time [s].
    """
    if now - fading.checked_at >= CHECK_PERIOD:
        between = obstacles.find_between(eye[None], points, SHORT)[0].any(axis=0)
        fading = replace(fading, occluded_at=np.where(between, now, fading.occluded_at), checked_at=now)
    # what occludes when the first picture is drawn is never seen solid
    max_change = np.inf if fading.time == -np.inf else (now - fading.time) / FADE_TIME
    aims = (now - fading.occluded_at <= STAYS).astype(float)
    fractions = fading.fractions + np.clip(aims - fading.fractions, -max_change, max_change)
    return replace(fading, fractions=fractions, time=now)


def find_watched_points(
    snapshot: Snapshot, model: RobotModel, view: Viewpoint, position_eye_in_base: np.ndarray
) -> np.ndarray:
    """Return what the operator is to see, in world, shape ``(k, 3)`` [m].

    The robot's hands, and where they are asked to be; from outside its pelvis and its head as well.
    """
    hands = [index for index in (model.effector_of_hand("left"), model.effector_of_hand("right")) if index is not None]
    points = [*snapshot.reference.effector_poses[hands, :3, 3], snapshot.left.target[:3, 3], snapshot.right.target[:3, 3]]
    if view is not Viewpoint.FIRST_PERSON:
        base = compute_base_pose(snapshot.q)
        points += [base[:3, 3], base[:3, :3] @ position_eye_in_base + base[:3, 3]]
    watched = np.array(points)
    return np.asarray(watched[np.isfinite(watched).all(axis=1)])


def fade_solids(fading: Fading, elements: Sequence[tuple[Element, ...]]) -> Mapping[Element, Element]:
    """Return what is drawn in place of the elements of solids that have faded; the same objects for the same opacity.

    Args:
        fading: How far the solids have faded.
        elements: The elements of each solid, as long as it is solid.
    """
    steps = np.rint(STEPS * fading.fractions).astype(int)
    return {
        element: _fade(element, step)
        for of_solid, step in zip(elements, steps.tolist(), strict=True)
        if step
        for element in of_solid
    }


@lru_cache(512)
def _fade(element: Element, step: int) -> Element:
    if not isinstance(element, Solids | Lines):
        return element
    colors = element.colors.copy()
    colors[:, 3] *= 1.0 - (1.0 - MIN_OPACITY) * step / STEPS
    return replace(element, colors=colors)
