"""A robot's shapes for a drawing: the convex hull of each, as triangles in world."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin
from scipy.spatial import ConvexHull, QhullError

from handhold.robots.capsules import sample_shape
from handhold.robots.model import RobotModel

# A hull is that of its furthest points along so many directions: finer facets are not seen at a picture's size.
_DIRECTIONS = 400


@dataclass(frozen=True, eq=False, slots=True)
class Facets:
    """Triangles of all hulls.

    Attributes:
        corners: Corners in world, shape ``(k, 3, 3)`` [m].
        normals: Outward unit normals, shape ``(k, 3)``.
        carriers: Pinocchio's ids of the joints that carry them, shape ``(k,)``.
    """

    corners: np.ndarray
    normals: np.ndarray
    carriers: np.ndarray

    def of_joints(self, joints: list[int]) -> Facets:
        """Return those that some joints carry."""
        chosen = np.isin(self.carriers, joints)
        return Facets(self.corners[chosen], self.normals[chosen], self.carriers[chosen])


def build_facets(model: RobotModel, q: np.ndarray) -> Facets:
    """Build the hulls of a robot's shapes at a configuration: those seen, or of a link without any those that touch."""
    data = model.pinocchio.createData()
    pin.forwardKinematics(model.pinocchio, data, q)
    corners, normals, carriers = [np.zeros((0, 3, 3))], [np.zeros((0, 3))], [np.zeros(0, dtype=int)]
    for item in _choose_shapes(model):
        points = _sample(item)
        hull = _enclose(points)
        if hull is not None:
            pose = data.oMi[item.parentJoint] * item.placement
            corners.append(points[hull.simplices] @ pose.rotation.T + pose.translation)
            normals.append(hull.equations[:, :3] @ pose.rotation.T)
            carriers.append(np.full(len(hull.simplices), item.parentJoint))
    return Facets(np.concatenate(corners), np.concatenate(normals), np.concatenate(carriers))


def _choose_shapes(model: RobotModel) -> list[pin.GeometryObject]:
    visible = [item for item in model.visuals.geometryObjects if item.parentJoint > 0]
    links = {item.parentFrame for item in visible}
    touching = model.collisions.geometryObjects
    return visible + [item for item in touching if item.parentJoint > 0 and item.parentFrame not in links]


def _sample(item: pin.GeometryObject) -> np.ndarray:
    try:
        points = sample_shape(item.geometry)
    except TypeError:
        return np.zeros((0, 3))  # a shape without an end, or one of a kind that no link is made of
    k = np.arange(_DIRECTIONS) + 0.5
    turn, z = np.pi * (1.0 + np.sqrt(5.0)) * k, 1.0 - 2.0 * k / _DIRECTIONS
    radius = np.sqrt(1.0 - z * z)
    directions = np.stack([radius * np.cos(turn), radius * np.sin(turn), z])
    return points[np.unique(np.argmax(points @ directions, axis=0))] if len(points) else points


def _enclose(points: np.ndarray) -> ConvexHull | None:
    if len(points) < 4:
        return None
    try:
        return ConvexHull(points)
    except QhullError:
        return None  # all in a plane
