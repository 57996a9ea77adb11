"""Where a robot stands before something that its hand is to reach: a world's wall, whatever the robot's size."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pinocchio as pin

from handhold.app.limbs import choose_hand, find_hands, list_limb
from handhold.robots.model import RobotModel
from handhold.robots.worlds import Solid

REACH_RATIO = 0.5
"""How far the face is from the hand, as a part of how far the hand can go ahead [-]."""

TOE_ROOM = 0.04
"""Minimum distance of the face from the soles [m]."""

BODY_ROOM = 0.05
"""Minimum distance of the face from any shape of a robot that starts there [m]."""


def find_near_face(solid: Solid) -> float:
    """Return where the face of an upright box that looks back along x is [m]."""
    return float(solid.position[0] - solid.half_size[0])


def find_approach_distance(solid: Solid, model: RobotModel, effector_poses: np.ndarray) -> float:
    """Find how far along x a robot goes so that its hand has a part of its reach to go to a solid [m].

    Args:
        solid: Upright box ahead.
        model: Robot; one without hands stands with its feet before it.
        effector_poses: Poses of all effectors in world, shape ``(effectors, 4, 4)``; the robot looks along x.
    """
    face = find_near_face(solid)
    ahead = face - TOE_ROOM - _find_toes(model, effector_poses)
    if not find_hands(model):
        return ahead
    _, effector = choose_hand(model)
    hand = effector_poses[effector, :3, 3]
    gap = REACH_RATIO * compute_reach_ahead(model, effector, hand)
    return min(ahead, face - gap - model.effectors[effector].radius - float(hand[0]))


def find_free_approach_distance(solid: Solid, model: RobotModel, q: np.ndarray) -> float:
    """Find how far along x a robot goes, as ``find_approach_distance``, with no shape, such as fingers, in it [m].

    Args:
        solid: Upright box ahead.
        model: Robot.
        q: Configuration in which it stands, looking along x, shape ``(nq,)``.
    """
    free = find_near_face(solid) - BODY_ROOM - _find_front(model, q)
    return min(free, find_approach_distance(solid, model, model.effector_poses(q)))


def compute_reach_ahead(model: RobotModel, effector: int, hand: np.ndarray) -> float:
    """Compute how far straight ahead (+x) the hand can go until the arm is stretched, trunk at rest [m].

    The arm's length is the sum of the distances between its joints (see ``list_limb``).
    """
    pinocchio = model.pinocchio
    data = pinocchio.createData()
    pin.forwardKinematics(pinocchio, data, model.q_nominal)
    chain = [data.oMi[joint].translation for joint in list_limb(model, effector)] + [hand]
    length = sum(float(np.linalg.norm(b - a)) for a, b in pairwise(chain))
    aside = float(np.linalg.norm((hand - chain[0])[1:]))
    return float(np.sqrt(max(0.0, length**2 - aside**2)) - (hand - chain[0])[0])


def _find_front(model: RobotModel, q: np.ndarray) -> float:
    """Return how far ahead the boxes about the robot's collision shapes reach, along x [m]."""
    data, shapes = model.pinocchio.createData(), model.collisions.createData()
    pin.updateGeometryPlacements(model.pinocchio, data, model.collisions, shapes, q)
    front = -np.inf
    for pose, shape in zip(shapes.oMg, model.collisions.geometryObjects, strict=True):
        shape.geometry.computeLocalAABB()
        box = shape.geometry.aabb_local
        middle, half = 0.5 * (box.max_ + box.min_), 0.5 * (box.max_ - box.min_)
        front = max(front, float((pose.rotation[0] @ middle) + np.abs(pose.rotation[0]) @ half + pose.translation[0]))
    return front


def _find_toes(model: RobotModel, effector_poses: np.ndarray) -> float:
    """Return how far ahead what the robot stands on reaches, along x [m]."""
    standing = [i for i, effector in enumerate(model.effectors) if effector.standing]
    return max(float(effector_poses[i, 0, 3]) + (model.effectors[i].half_lengths or (0.0,))[0] for i in standing)
