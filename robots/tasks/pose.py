r"""Frames that follow poses, whatever the motion is: a step, a velocity or an acceleration.

.. math::

    \left\| J u + \dot J \dot q - Clamp(k_p \, (X^* \ominus X)) - k_d (\dot x^* - \dot x) - a^* \right\|^2_w, \qquad
    X^* \ominus X = (p^* - p, \log(R^* R^T))

in world axes. A step :math:`\Delta q` makes up for the clamped error: :math:`k_p = 1`, all else nothing [Rouxel2022]_
(eq. 4, 7). A velocity :math:`\dot q` does so at the rate :math:`k_p` on top of the target's own, :math:`a^* = \dot x^*`. An
acceleration :math:`\ddot q` takes all of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.rotation import rotation_log
from handhold.robots.tasks.task import Task

POSITION, ORIENTATION, BOTH = (0, 1), (1, 2), (0, 2)
"""Which halves of a pose count: three rows each."""


@dataclass(frozen=True, eq=False, slots=True)
class FrameTargets:
    """Where frames are to be, of all frames of the kinematics; arrays that are refreshed in place.

    Attributes:
        poses: In world, shape ``(frames, 4, 4)``.
        velocities: In world axes, shape ``(frames, 6)``.
        feedforward: :math:`a^*`, what the motion is without any error, shape ``(frames, 6)``.
    """

    poses: np.ndarray
    velocities: np.ndarray
    feedforward: np.ndarray

    @staticmethod
    def at_rest(kinematics: EffectorKinematics) -> FrameTargets:
        """Return targets where the frames are, at rest."""
        count = len(kinematics.poses)
        return FrameTargets(kinematics.poses.copy(), np.zeros((count, 6)), np.zeros((count, 6)))


@dataclass(frozen=True, eq=False, slots=True)
class FrameMotion:
    r"""How frames move, of all frames of the kinematics; arrays that are refreshed in place.

    Attributes:
        velocities: In world axes, shape ``(frames, 6)``.
        drifts: :math:`\dot J \dot q`, accelerations without joint accelerations, likewise.
    """

    velocities: np.ndarray
    drifts: np.ndarray

    @staticmethod
    def none(kinematics: EffectorKinematics) -> FrameMotion:
        """Return no motion, for programs of steps and velocities."""
        count = len(kinematics.poses)
        return FrameMotion(np.zeros((count, 6)), np.zeros((count, 6)))


class PoseTask(Task):
    """Six rows a frame, position before orientation, or three of either.

    Attributes:
        weights: Of each frame's position [1/m^2] and orientation [1/rad^2] along the axes of world, shape ``(k, 6)``; they may
            change in place, and a weight of 0 leaves a row empty.
        clamps: Largest errors of each frame's position and orientation that count, times the gain, shape ``(k, 2)``; they may
            change in place.
    """

    def __init__(
        self,
        kinematics: EffectorKinematics,
        frames: np.ndarray,
        targets: FrameTargets,
        *,
        weights: np.ndarray,
        halves: tuple[int, int] | np.ndarray = BOTH,
        gain: float | np.ndarray = 1.0,
        damping: float | np.ndarray = 0.0,
        motion: FrameMotion | None = None,
    ) -> None:
        """Follow targets.

        Args:
            kinematics: Poses and Jacobians of all frames.
            frames: Indices of those that follow, shape ``(k,)``.
            targets: Of all frames.
            weights: See the attribute; shapes ``(6,)`` and ``(k, 6)`` both do.
            halves: ``POSITION``, ``ORIENTATION`` or ``BOTH``, of all frames or of each, shape ``(k, 2)``.
            gain: :math:`k_p`, likewise [1, 1/s, 1/s^2 for a step, a velocity, an acceleration].
            damping: :math:`k_d`, likewise [1/s].
            motion: Of all frames; None in programs that do not solve for accelerations.
        """
        count = len(frames)
        self._halves = np.array(np.broadcast_to(halves, (count, 2)))
        super().__init__(3 * int((self._halves[:, 1] - self._halves[:, 0]).sum()))
        motion = motion or FrameMotion.none(kinematics)
        self.weights = np.array(np.broadcast_to(weights, (count, 6)))
        self.clamps = np.full((count, 2), np.inf)
        self._frames = frames.astype(np.int64)
        self._gains = np.stack([np.broadcast_to(gain, count), np.broadcast_to(damping, count)], axis=1, dtype=float)
        self._desired = (targets.poses, targets.velocities, targets.feedforward)
        self._present = (kinematics.poses, kinematics.jacobians, motion.velocities, motion.drifts)

    def lay(self, rows: np.ndarray, targets: np.ndarray) -> None:
        """Take the slice of the program."""
        super().lay(rows, targets)
        self._costs = (rows, targets)

    def fill(self) -> None:
        """Fill rows and targets."""
        if self.row_count:
            fill_pose_rows(
                self._frames, self._halves, self._desired, self._present, self.weights, self._gains, self.clamps, self._costs
            )


@njit(cache=True)
def fill_pose_rows(
    frames: np.ndarray,
    halves: np.ndarray,
    desired: tuple[np.ndarray, np.ndarray, np.ndarray],
    present: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    weights: np.ndarray,
    gains: np.ndarray,
    clamps: np.ndarray,
    costs: tuple[np.ndarray, np.ndarray],
) -> None:
    """Fill the rows of frames one after the other (see ``PoseTask`` for all arguments)."""
    desired_poses, desired_velocities, feedforward = desired
    poses, jacobians, velocities, drifts = present
    rows, targets = costs
    nv = jacobians.shape[2]
    error, turn = np.zeros(3), np.zeros((3, 3))
    row = 0
    for k in range(frames.shape[0]):
        e, gain, damping = frames[k], gains[k, 0], gains[k, 1]
        for half in range(halves[k, 0], halves[k, 1]):
            if half == 0:
                for i in range(3):
                    error[i] = desired_poses[e, i, 3] - poses[e, i, 3]
            else:
                for i in range(3):
                    for j in range(3):
                        turn[i, j] = (
                            desired_poses[e, i, 0] * poses[e, j, 0]
                            + desired_poses[e, i, 1] * poses[e, j, 1]
                            + desired_poses[e, i, 2] * poses[e, j, 2]
                        )
                rotation_log(turn, error)
            length = gain * np.sqrt(error[0] ** 2 + error[1] ** 2 + error[2] ** 2)
            for i in range(3):
                c = 3 * half + i
                root = np.sqrt(weights[k, c])
                damped = damping * (desired_velocities[e, c] - velocities[e, c])
                if length <= clamps[k, half]:
                    targets[row] = root * (gain * error[i] + damped + feedforward[e, c] - drifts[e, c])
                else:
                    shortened = root * (clamps[k, half] / length) * (gain * error[i])
                    targets[row] = shortened + root * (damped + feedforward[e, c] - drifts[e, c])
                for j in range(nv):
                    rows[row, j] = root * jacobians[e, c, j]
                row += 1
