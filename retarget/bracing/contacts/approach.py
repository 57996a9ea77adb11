"""The surface that a hand approaches, as reported to the operator: its distance, what would touch it, and whether it may."""

from __future__ import annotations

import math

import numpy as np

from handhold.perception.surface import Surface
from handhold.retarget.bracing.contacts.contact_making import AT_EDGE, describe_tilt, find_axis
from handhold.retarget.bracing.contacts.contact_making_parameters import ContactMakingParameters
from handhold.retarget.bracing.contacts.surfaces import BEYOND, MAX_FACING_ANGLE, find_surface_ahead, is_at_edge
from handhold.retarget.mode_report import Approach
from handhold.robots.description import Effector

NEAR_A_SURFACE = 0.3
"""Distance from a surface within which it is reported to the operator [m]: twice what an approach goes by itself."""

_MIN_FACING_COSINE = math.cos(MAX_FACING_ANGLE)


class KnownSurfaces:
    """Surfaces, ready to be asked which of them a hand may be in front of: there may be dozens, and one or two are.

    Attributes:
        surfaces: All of them.
    """

    def __init__(self, surfaces: tuple[Surface, ...]) -> None:
        self.surfaces = surfaces
        self._normals = np.array([surface.pose[:3, 2] for surface in surfaces]).reshape(-1, 3)
        self._offsets = np.array([surface.pose[:3, 2] @ surface.pose[:3, 3] for surface in surfaces])

    def select(self, effector: Effector, pose: np.ndarray, axis: np.ndarray) -> tuple[Surface, ...]:
        """Return all surfaces that ``find_surface_ahead`` could find for an effector, and few others.

        Args:
            effector: Its description.
            pose: Pose of its contact frame in world, shape ``(4, 4)``.
            axis: Where its back points to, in world, unit, shape ``(3,)``.
        """
        heights = self._normals @ pose[:3, 3] - self._offsets
        reach = effector.radius + math.hypot(*(effector.half_lengths or (0.0, 0.0)))
        near = (heights > -BEYOND) & (heights < NEAR_A_SURFACE + reach) & (self._normals @ axis > _MIN_FACING_COSINE)
        return tuple(self.surfaces[k] for k in np.flatnonzero(near))


def find_approach(
    effector: Effector, pose: np.ndarray, known: KnownSurfaces, parameters: ContactMakingParameters
) -> Approach | None:
    """Find the known surface in front of an effector, as an approach would; None where it faces none that is near.

    Args:
        effector: Its description.
        pose: Measured pose of its contact frame in world, shape ``(4, 4)``.
        known: What is known of the surroundings.
        parameters: How its contacts are made.
    """
    axis = find_axis(pose, parameters)
    surfaces = known.select(effector, pose, axis)
    if not surfaces:
        return None
    ahead = find_surface_ahead(effector, pose, axis, surfaces, within=NEAR_A_SURFACE, max_tilt=parameters.max_tilt)
    if ahead is None:
        return None
    edge = AT_EDGE if is_at_edge(effector, pose, (ahead.surface,)) else ""
    return Approach(
        pose=_project(pose, ahead.surface),
        half_lengths=effector.half_lengths or (effector.radius, effector.radius),
        is_round=effector.half_lengths is None,
        distance=ahead.gap,
        axis=np.array(axis),
        tilt=ahead.tilt,
        max_tilt=parameters.max_tilt,
        obstacle=describe_tilt(ahead, parameters) or edge,
    )


def _project(pose: np.ndarray, surface: Surface) -> np.ndarray:
    """Return a pose laid on a surface's plane along the normal: z the normal, x as near to its own as it gets."""
    normal = surface.pose[:3, 2]
    # The y axis takes over where x points at the plane.
    along = pose[:3, 0] if abs(float(normal @ pose[:3, 0])) < 0.9 else pose[:3, 1]
    along = along - (along @ normal) * normal
    along /= np.linalg.norm(along)
    laid = np.eye(4)
    laid[:3, 0], laid[:3, 1], laid[:3, 2] = along, np.cross(normal, along), normal
    laid[:3, 3] = pose[:3, 3] - float(normal @ (pose[:3, 3] - surface.pose[:3, 3])) * normal
    return laid
