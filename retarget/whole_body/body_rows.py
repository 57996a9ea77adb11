r"""Rows of SEIKO's cost that let a robot's body follow a person's: base, chest, head, height, limbs and elbows.

.. math::

    \sum_i w_i \| J_i \Delta q - Clamp(t_i \ominus x_i) \|^2, \qquad
    R^* \ominus R = \log(R^* R^T), \quad d^* \ominus d = d^* - d

A hand's place outweighs where its arm points: of a robot with other proportions only one of them can be as the person's.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from handhold.retarget.bracing.seiko.preferred_posture import Preferences
from handhold.retarget.whole_body.body_mapping import BodyMapping
from handhold.retarget.whole_body.limb_directions import HingeAxes, LimbDirections
from handhold.robots.kinematics import EffectorKinematics, find_moving_columns
from handhold.robots.model import RobotModel
from handhold.robots.rotation import norm, rotation_log

TURN_WEIGHT, HEAD_WEIGHT, HEIGHT_WEIGHT, LIMB_WEIGHT, HINGE_WEIGHT = 200.0, 50.0, 2e3, 30.0, 30.0
"""Weights of the turns of base and chest, of the head's [1/rad^2], of the pelvis' height [1/m^2], of limbs'
directions and of elbows' axes [-]."""

TURN_CLAMP, HEIGHT_CLAMP, LIMB_CLAMP = 0.1, 0.02, 0.2
"""Largest errors that pull [rad], [m], [-]."""


class BodyRows:
    """The rows of one robot."""

    def __init__(self, model: RobotModel, mapping: BodyMapping) -> None:
        """Allocate them once."""
        self._joints, self._chosen = np.unique(mapping.turned, return_index=True)
        self._moved = np.stack([find_moving_columns(model, joint) for joint in self._joints.tolist()])
        self._limbs = LimbDirections(model, [limb for arm in mapping.arms for limb in arm.limbs])
        self._hinges = HingeAxes(model, [arm.elbow for arm in mapping.arms], np.array([arm.hinge for arm in mapping.arms]))
        turns, limbs, hinges = (3 * len(each) for each in (self._joints, self._limbs.directions, self._hinges.directions))
        self._height = turns
        weights = (
            [TURN_WEIGHT] * min(6, turns)
            + [HEAD_WEIGHT] * max(0, turns - 6)
            + [HEIGHT_WEIGHT]
            + [LIMB_WEIGHT] * limbs
            + [HINGE_WEIGHT] * hinges
        )
        self._roots = np.sqrt(weights)
        self._rows = np.zeros((len(weights), model.nv))
        self._errors = np.zeros(len(weights))

    def fill(
        self, kinematics: EffectorKinematics, rotations: np.ndarray, height: float, limbs: np.ndarray, hinges: np.ndarray
    ) -> Preferences:
        """Return the rows at a configuration.

        Args:
            kinematics: Updated to it.
            rotations: Desired ones of base, chest and head in world, shape ``(3, 3, 3)``.
            height: Desired one of the base in world [m].
            limbs: Desired directions in world, shape ``(limbs, 3)``.
            hinges: Desired axes of the elbows in world, shape ``(arms, 3)``.
        """
        angular, poses = kinematics.data.J[3:], kinematics.joint_poses
        self._limbs.update(kinematics)
        self._hinges.update(kinematics)
        fill_turns(angular, poses, self._joints, self._moved, rotations[self._chosen], self._roots, self._rows, self._errors)
        root = self._roots[self._height]
        self._errors[self._height] = root * np.clip(height - poses[1, 3, 2], -HEIGHT_CLAMP, HEIGHT_CLAMP)
        # The base's velocity is in its own axes.
        self._rows[self._height, :3] = root * poses[1, :3, 2]
        first = self._fill_directions(self._limbs, limbs, self._height + 1)
        self._fill_directions(self._hinges, hinges, first)
        return Preferences(rows=self._rows, errors=self._errors)

    def _fill_directions(self, present: LimbDirections | HingeAxes, desired: np.ndarray, first: int) -> int:
        """Fill the rows of directions from a row on, and return the one after them."""
        found = (present.directions, present.jacobians)
        return fill_directions(*found, desired, self._roots, self._rows, self._errors, first)


@njit(cache=True)
def fill_turns(
    angular: np.ndarray,
    poses: np.ndarray,
    joints: np.ndarray,
    moved: np.ndarray,
    rotations: np.ndarray,
    roots: np.ndarray,
    rows: np.ndarray,
    errors: np.ndarray,
) -> None:
    """Fill the rows of turns, three a joint, the first ones of all.

    Args:
        angular: Angular rows of Pinocchio's ``data.J``, shape ``(3, nv)``.
        poses: Poses of all joints, see ``view_joint_poses``.
        joints: Joints that are to turn, shape ``(k,)``.
        moved: Which columns move each, shape ``(k, nv)``, 0 or 1.
        rotations: Desired ones in world, shape ``(k, 3, 3)`` or more.
        roots: Roots of the rows' weights.
        rows: Filled.
        errors: Filled.
    """
    turn, difference = np.zeros(3), np.zeros((3, 3))
    for k in range(joints.shape[0]):
        pose = poses[joints[k]]
        for i in range(3):
            for j in range(3):
                difference[i, j] = (
                    rotations[k, i, 0] * pose[0, j] + rotations[k, i, 1] * pose[1, j] + rotations[k, i, 2] * pose[2, j]
                )
        rotation_log(difference, turn)
        scale = _clamp(turn, TURN_CLAMP)
        for i in range(3):
            row = 3 * k + i
            errors[row] = roots[row] * scale * turn[i]
            for j in range(angular.shape[1]):
                rows[row, j] = roots[row] * moved[k, j] * angular[i, j]


@njit(cache=True)
def fill_directions(
    directions: np.ndarray,
    jacobians: np.ndarray,
    desired: np.ndarray,
    roots: np.ndarray,
    rows: np.ndarray,
    errors: np.ndarray,
    first: int,
) -> int:
    """Fill the rows of directions, three each, from a row on; return the one after them."""
    missing = np.zeros(3)
    for k in range(directions.shape[0]):
        for i in range(3):
            missing[i] = desired[k, i] - directions[k, i]
        scale = _clamp(missing, LIMB_CLAMP)
        for i in range(3):
            row = first + 3 * k + i
            errors[row] = roots[row] * scale * missing[i]
            for j in range(jacobians.shape[2]):
                rows[row, j] = roots[row] * jacobians[k, i, j]
    return first + 3 * directions.shape[0]


@njit(cache=True)
def _clamp(vector: np.ndarray, most: float) -> float:
    """Return by what a vector must be multiplied to be no longer than ``most``."""
    length = norm(vector)
    return 1.0 if length <= most else most / length
