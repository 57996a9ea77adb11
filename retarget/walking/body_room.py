"""Free path of a walking robot before its hands or its body meet what stands upright: walls, boards, the edges of tables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handhold.perception.surface import Surface
from handhold.retarget.walking.entry import mean_yaw
from handhold.retarget.walking.footsteps import WalkingVelocity
from handhold.retarget.walking.path_ahead import round_down
from handhold.retarget.walking.stride import make_axes

UPRIGHT = 0.7
"""Largest vertical part of a face's normal with which it bars the way [-]: what is flatter is ground."""

BESIDE = 0.10
"""How far beside a face's edges it still bars the way [m]."""

HAND_CLEARANCE = 0.06
"""Distance that the ball of a hand keeps from an upright face [m]: fingers and forearm reach a little further."""

TRUNK_CLEARANCE = 0.25
"""The same of the centre of mass [m]: half a trunk, and what it sways."""

_APPROACH = 1e-9


class UprightFaces:
    """The faces that are known to stand upright, and how far a body may go before them."""

    def __init__(self, surfaces: tuple[Surface, ...]) -> None:
        """Choose them of what is known of the surroundings."""
        faces = [surface for surface in surfaces if abs(float(surface.pose[2, 2])) < UPRIGHT]
        self._poses = np.array([face.pose for face in faces]).reshape(-1, 4, 4)
        self._lower = np.array([face.boundary.min(axis=0) for face in faces]).reshape(-1, 2) - BESIDE
        self._upper = np.array([face.boundary.max(axis=0) for face in faces]).reshape(-1, 2) + BESIDE

    def find_free_ratio(self, points: np.ndarray, paths: np.ndarray, clearances: np.ndarray) -> float:
        r"""Find the ratio of their displacements that points of a body may go before one meets a face.

        A point p on its path w meets the plane of a face with origin o and outward normal n, at its clearance r, at the
        ratio :math:`s = (n^T (p - o) - r) / (-n^T w)`; it counts where that lies within the face's bounds. A point that is
        nearer than its clearance already may not come nearer; one behind the face is not held up by it.

        Args:
            points: In world, shape ``(k, 3)`` [m].
            paths: Displacement of each, shape ``(k, 3)`` [m].
            clearances: Distance that each keeps, shape ``(k,)`` [m].

        Returns:
            0 to 1: 1 where all of the path is free.
        """
        if not len(self._poses) or not len(points):
            return 1.0
        normals, origins = self._poses[:, :3, 2], self._poses[:, :3, 3]
        distances = points @ normals.T - np.einsum("fi,fi->f", origins, normals)
        approach = -(paths @ normals.T)
        approaching = (approach > _APPROACH) & (distances > 0.0)
        ratios = np.maximum(0.0, distances - clearances[:, None]) / np.where(approaching, approach, 1.0)
        meeting = points[:, None] + np.minimum(ratios, 1.0)[..., None] * paths[:, None] - origins
        local = np.einsum("kfi,fij->kfj", meeting, self._poses[:, :3, :2])
        within = ((local > self._lower) & (local < self._upper)).all(axis=2)
        return float(min(1.0, ratios[approaching & within].min(initial=1.0)))


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class BodyClearance:
    """What of a body must not meet what stands upright.

    Attributes:
        faces: What stands upright.
        points: Of the hands and the trunk in world, shape ``(k, 3)`` [m].
        clearances: Distance that each of them keeps, shape ``(k,)`` [m].
    """

    faces: UprightFaces
    points: np.ndarray
    clearances: np.ndarray

    def find_free_ratios(self, feet: np.ndarray, velocity: WalkingVelocity, time: float) -> tuple[float, float]:
        """Find the ratios of a velocity that are free along the ground and turning, as ``way_ahead.find_free_ratios``.

        Args:
            feet: Poses of the soles in world, shape ``(feet, 4, 4)``.
            velocity: Asked for.
            time: How far ahead of where the robot is it must be free [s].
        """
        along, turned = np.zeros_like(self.points), np.zeros_like(self.points)
        along[:, :2] = time * (make_axes(mean_yaw(feet)) @ [velocity.forward, velocity.sideways])
        arms = self.points[:, :2] - feet[:, :2, 3].mean(axis=0)
        turned[:, :2] = arms @ make_axes(time * velocity.turning).T - arms
        straight, turning = (self.faces.find_free_ratio(self.points, path, self.clearances) for path in (along, turned))
        return round_down(straight), round_down(turning)
