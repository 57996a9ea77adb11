r"""Contact points and the forces they can transmit: linearised friction cones as generators.

A force of point k is :math:`f_k = \sum_j \rho_{kj} v_{kj}, \; \rho_{kj} \geq 0`, each generator :math:`v_{kj}` with a normal
component of 1, so that :math:`\sum_j \rho_{kj}` is the normal force.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numba import njit

from handhold.robots.contact import compute_sole_corners, compute_tangents
from handhold.robots.model import RobotModel


class ConeModel(Enum):
    """How the friction cone is made of flat sides; the figure is the area of its section as a part of the cone's.

    An inner pyramid has its edges on the cone and promises nothing that is not there; the one of four sides is that of
    ``robots.contact.INSIDE_CONE``. The outer one is for comparison.
    """

    INNER_4 = "4 sides, inside"  # 0.64
    OUTER_4 = "4 sides, outside"  # 1.27
    INNER_8 = "8 sides, inside"  # 0.90

    @property
    def sides(self) -> int:
        """Number of generators of a point."""
        return 8 if self is ConeModel.INNER_8 else 4

    @property
    def reach(self) -> float:
        """Length of a generator's tangential part as a multiple of the friction coefficient."""
        return math.sqrt(2.0) if self is ConeModel.OUTER_4 else 1.0


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class ContactPoints:
    """Points at which a robot touches its surroundings.

    Attributes:
        positions: In world, shape ``(k, 3)`` [m].
        frames: Tangents and outward normal of the surface at each point as columns, in world, shape ``(k, 3, 3)``.
        friction: Friction coefficients, shape ``(k,)`` [-].
        owners: Which contact each point belongs to, from 0 on, shape ``(k,)``: four corners make a sole.
        max_forces: Maximum normal force of each contact, of all its points, shape ``(contacts,)`` [N]; infinite for none.
        min_forces: Minimum normal force of each contact, shape ``(contacts,)`` [N].
        names: Name of each contact, for people.
    """

    positions: np.ndarray
    frames: np.ndarray
    friction: np.ndarray
    owners: np.ndarray
    max_forces: np.ndarray
    min_forces: np.ndarray
    names: tuple[str, ...]


def compute_generators(points: ContactPoints, cone: ConeModel, out: np.ndarray | None = None) -> np.ndarray:
    """Compute the generators of all points' cones in world, shape ``(k, sides, 3)``, in ``out`` if there is one."""
    if out is None:
        out = np.empty((len(points.friction), cone.sides, 3))
    _fill_generators(points.frames, points.friction, _TANGENTS[cone], out)
    return out


def _compute_tangents(cone: ConeModel) -> np.ndarray:
    """Return the tangential parts of generators for a friction coefficient of 1, shape ``(sides, 2)``."""
    # The corners of four sides lie between the tangents, as those of the square |f_x|, |f_y| <= mu f_z do.
    angles = 2.0 * math.pi * (np.arange(cone.sides) + (0.5 if cone.sides == 4 else 0.0)) / cone.sides
    return cone.reach * np.stack([np.cos(angles), np.sin(angles)], axis=1)


_TANGENTS = {cone: _compute_tangents(cone) for cone in ConeModel}


@njit(cache=True)
def _fill_generators(frames: np.ndarray, friction: np.ndarray, tangents: np.ndarray, out: np.ndarray) -> None:
    for k in range(len(frames)):
        for s in range(len(tangents)):
            x, y = friction[k] * tangents[s, 0], friction[k] * tangents[s, 1]
            for i in range(3):
                out[k, s, i] = frames[k, i, 0] * x + frames[k, i, 1] * y + frames[k, i, 2]


def find_contact_points(
    model: RobotModel,
    poses: np.ndarray,
    in_contact: np.ndarray,
    normals: np.ndarray,
    *,
    inset: float,
    friction_scale: float,
) -> ContactPoints:
    """Find the contact points of a robot that stands on some effectors.

    Args:
        model: Robot.
        poses: Poses of all effectors in world, shape ``(effectors, 4, 4)``.
        in_contact: Which effectors are in contact, shape ``(effectors,)``, bool.
        normals: Outward normals of the surfaces under point contacts in world, shape ``(effectors, 3)``.
        inset: How far inside the real edges of a sole its points are [m].
        friction_scale: Part of the friction coefficients that counts [-].
    """
    chosen = [int(effector) for effector in np.flatnonzero(in_contact)]
    positions, frames, friction, owners = [], [], [], []
    for owner, effector in enumerate(chosen):
        about, pose = model.effectors[effector], poses[effector]
        if about.half_lengths is not None:
            frame = pose[:3, :3]
            corners = list(compute_sole_corners(about.half_lengths, inset) @ frame.T + pose[:3, 3])
        else:
            frame = frame_about(normals[effector])
            corners = [pose[:3, 3] - about.radius * normals[effector]]
        positions += corners
        frames += [frame] * len(corners)
        friction += [friction_scale * about.friction] * len(corners)
        owners += [owner] * len(corners)
    return ContactPoints(
        positions=np.array(positions).reshape(-1, 3),
        frames=np.array(frames).reshape(-1, 3, 3),
        friction=np.array(friction),
        owners=np.array(owners, dtype=np.int64),
        max_forces=np.array([model.effectors[e].max_normal_force for e in chosen]),
        min_forces=np.array([model.effectors[e].min_normal_force for e in chosen]),
        names=tuple(model.effectors[e].name for e in chosen),
    )


def frame_about(normal: np.ndarray) -> np.ndarray:
    """Return tangents and outward normal of a surface as columns, shape ``(3, 3)``, for its normal, shape ``(3,)``."""
    return np.stack([*compute_tangents(normal), normal], axis=1)
