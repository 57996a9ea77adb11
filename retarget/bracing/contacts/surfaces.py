"""Which surface an effector touches."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from handhold.perception.surface import Surface
from handhold.robots.contact_kind import ContactKind
from handhold.robots.description import Effector
from handhold.robots.polygon import compute_distance_inside

NEAR = 0.10
"""Distance from a surface within which an effector that touches something touches it [m]."""

BEYOND = 0.03
"""Distance beyond a surface's boundary within which it still is what is touched [m].

About the radius of a hand, whose middle lies beyond the edge that it touches.
"""

FACING = 0.7
"""Minimum cosine of the angle between a surface's normal and the effector's own [-]: 45 degrees."""

MAX_FACING_ANGLE = math.radians(75.0)
"""Largest angle between an effector's own axis and the normal of a surface that it still faces [rad].

A hand that goes to a wall of which nothing is known looks along the table under it, 90 degrees off, and not at it.
"""

ROLL = 1.5
"""How far a hand's ball may roll while it is in contact, in its radii [-].

It may turn by as much, in radians, before more of the hand touches. A Talos fell whose ball rolled off an edge.
"""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class SurfaceAhead:
    """A known surface that an effector would come to if it went on against the surface's normal.

    Attributes:
        surface: The surface.
        gap: Distance of the effector's nearest point from the surface's plane, along the normal, negative beyond it [m].
        tilt: Angle between the effector's own axis and the normal [rad].
    """

    surface: Surface
    gap: float
    tilt: float

    @property
    def normal(self) -> np.ndarray:
        """Outward normal of the surface in world, unit, shape ``(3,)``."""
        return self.surface.pose[:3, 2]


def find_surface_ahead(
    effector: Effector,
    pose: np.ndarray,
    axis: np.ndarray,
    surfaces: tuple[Surface, ...],
    *,
    within: float,
    max_tilt: float,
) -> SurfaceAhead | None:
    """Return the nearest surface in front of an effector, one that it faces before any other; None where it faces none.

    Args:
        effector: Its description.
        pose: Pose of its contact frame in world, shape ``(4, 4)``.
        axis: Where its back points to, away from what it faces, in world, unit, shape ``(3,)``.
        surfaces: What is known of the surroundings.
        within: Largest gap [m].
        max_tilt: Largest angle between the axis and the normal of a surface that it faces [rad].
    """
    best, found = (True, within), None
    for surface in surfaces:
        ahead = _measure_ahead(effector, pose, axis, surface)
        rank = (ahead.tilt > max_tilt, ahead.gap)
        # What lies further behind than a surface is ever misplaced is not in front.
        if ahead.tilt < MAX_FACING_ANGLE and -BEYOND < ahead.gap <= within and rank <= best and _is_over(pose, surface):
            best, found = rank, ahead
    return found


def _measure_ahead(effector: Effector, pose: np.ndarray, axis: np.ndarray, surface: Surface) -> SurfaceAhead:
    normal = surface.pose[:3, 2]
    reach = effector.radius
    if effector.half_lengths is not None:
        # The corner of a sole that is tilted is the first to touch.
        reach += float(np.abs(normal @ pose[:3, :2]) @ np.array(effector.half_lengths))
    gap = float(_locate(pose, surface)[2]) - reach
    return SurfaceAhead(surface=surface, gap=gap, tilt=math.acos(min(1.0, max(-1.0, float(axis @ normal)))))


def find_surface(pose: np.ndarray, surfaces: tuple[Surface, ...]) -> Surface | None:
    """Return the surface under an effector; None where none is near and faces the effector.

    Args:
        pose: Pose of the effector's contact frame in world, z away from the surface, shape ``(4, 4)``.
        surfaces: What is known of the surroundings.
    """
    best, found = NEAR, None
    for surface in surfaces:
        if surface.pose[:3, 2] @ pose[:3, 2] <= FACING:
            continue
        local = _locate(pose, surface)
        if abs(local[2]) < best and _covers(surface.boundary, local[:2]):
            best, found = abs(float(local[2])), surface
    return found


def find_normal(pose: np.ndarray, surfaces: tuple[Surface, ...]) -> np.ndarray:
    """Return the outward normal of the surface under an effector (see ``find_surface``) in world, unit, shape ``(3,)``.

    Where there is none it is the effector's own z axis.
    """
    surface = find_surface(pose, surfaces)
    return np.array((pose if surface is None else surface.pose)[:3, 2])


def is_at_edge(effector: Effector, pose: np.ndarray, surfaces: tuple[Surface, ...]) -> bool:
    """Whether what lies under a hand's ball ends so near that the ball would roll off.

    Of what is not known nothing is said, nor of soles, and feet that are balls stand where they are put.

    Args:
        effector: Its description.
        pose: Pose of its contact frame in world, z away from the surface, shape ``(4, 4)``.
        surfaces: What is known of the surroundings.
    """
    if effector.is_foot or effector.contact is not ContactKind.POINT:
        return False
    surface = find_surface(pose, surfaces)
    if surface is None:
        return False
    x, y, _ = _locate(pose, surface).tolist()
    return bool(compute_distance_inside(x, y, surface.boundary) < ROLL * effector.radius)


def _locate(pose: np.ndarray, surface: Surface) -> np.ndarray:
    """Return the origin of a pose in the axes of a surface, shape ``(3,)`` [m]."""
    return np.asarray((pose[:3, 3] - surface.pose[:3, 3]) @ surface.pose[:3, :3])


def _is_over(pose: np.ndarray, surface: Surface) -> bool:
    return _covers(surface.boundary, _locate(pose, surface)[:2])


def _covers(boundary: np.ndarray, point: np.ndarray) -> bool:
    return bool(compute_distance_inside(float(point[0]), float(point[1]), boundary) > -BEYOND)
