r"""The posture that stability prefers: pelvis, chest, the height of the centre of mass and the joints, as tasks.

Low-priority tasks of [McCrory2024]_ (eq. 11): :math:`J_l \dot q = \dot p_l`. In SEIKO's cost they are rows

.. math::

    \sum_i w_i \|J_i N_h \Delta q - Clamp(t_i \ominus x_i)\|^2

that pull on what contacts, free hands and the centre of mass seen from above leave: by :math:`N_h` not at those.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handhold.robots.control.clamp import clamp_norm
from handhold.robots.kinematics import EffectorKinematics, find_moving_columns
from handhold.robots.model import RobotModel
from handhold.robots.rotation import rotation_log
from handhold.robots.tasks.task import Task

TURN_WEIGHT, HEIGHT_WEIGHT, JOINT_WEIGHT = 50.0, 1e3, 5.0
"""Weights of the orientations [1/rad^2], of the height [1/m^2] and of the joints [1/rad^2].

Times the largest errors that pull a joint's is five times the pull towards the nominal posture (``SeikoParameters``).
"""

TURN_CLAMP, HEIGHT_CLAMP, JOINT_CLAMP = 0.05, 0.01, 0.1
"""Largest errors that pull [rad], [m], [rad]."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Preferences:
    """Weighted rows of a preferred posture; as many as ``count_preferences`` says, or fewer.

    Attributes:
        rows: Shape ``(preferences, nv)``.
        errors: What they are to make up for, shape ``(preferences,)``.
    """

    rows: np.ndarray
    errors: np.ndarray


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class PostureSetpoint:
    """Desired poses of pelvis, chest, centre of mass and joints.

    Attributes:
        rotations: Of the base and of the trunk's frames in world, shape ``(frames, 3, 3)``.
        height: Of the centre of mass [m].
        joints: Actuated joints, shape ``(n,)`` [rad].
    """

    rotations: np.ndarray
    height: float
    joints: np.ndarray


def count_preferences(model: RobotModel) -> int:
    """Return the number of rows: three a frame, one of the height, and one a joint."""
    return 3 * (1 + len(model.trunk_frames)) + 1 + model.n


class PreferenceTask(Task):
    """The rows of a preferred posture in a program; asks for nothing where none is preferred."""

    def __init__(self, model: RobotModel) -> None:
        super().__init__(count_preferences(model))
        self._nv = model.nv
        self._preferences: Preferences | None = None
        self._part = 1.0

    @property
    def active(self) -> bool:
        """Whether a posture is preferred."""
        return self._preferences is not None

    def follow(self, preferences: Preferences | None, part: float) -> None:
        """Prefer a posture from now on, and take back no more than a part of what it is off [-]."""
        self._preferences, self._part = preferences, part

    def fill(self) -> None:
        """Fill rows and targets."""
        if self._preferences is not None:
            count = len(self._preferences.errors)
            self.rows[:count, : self._nv] = self._preferences.rows
            np.multiply(self._part, self._preferences.errors, out=self.targets[:count])
            self.rows[count:], self.targets[count:] = 0.0, 0.0


class PreferredPosture:
    """Pelvis, chest, centre of mass and joints of one configuration after the other.

    Attributes:
        rotations: Of the base and of the trunk's frames in world, shape ``(frames, 3, 3)``.
        height: Of the centre of mass [m].
        joints: Actuated joints, shape ``(n,)`` [rad].
        jacobian: Angular velocities of the frames in world axes, then the vertical one of the centre of mass, then those
            of the joints, with respect to the velocity of the model, shape ``(3 frames + 1 + n, nv)``.
    """

    def __init__(self, model: RobotModel) -> None:
        frames = [model.pinocchio.frames[frame] for frame in model.trunk_frames]
        self._joints = [1, *(frame.parentJoint for frame in frames)]
        self._placements = [np.eye(3), *(frame.placement.rotation.copy() for frame in frames)]
        self._moved = np.stack([find_moving_columns(model, joint) for joint in self._joints])
        self.rotations = np.tile(np.eye(3), (len(self._joints), 1, 1))
        self.height = 0.0
        self.joints = np.zeros(model.n)
        self.jacobian = np.zeros((count_preferences(model), model.nv))
        self.jacobian[-model.n :, -model.n :] = np.eye(model.n)
        self._height = 3 * len(frames) + 3
        self._roots = np.sqrt([TURN_WEIGHT] * self._height + [HEIGHT_WEIGHT] + [JOINT_WEIGHT] * model.n)

    def update(self, kinematics: EffectorKinematics, joints: np.ndarray) -> None:
        """Read a configuration.

        Args:
            kinematics: Updated to it.
            joints: Its actuated joints, shape ``(n,)`` [rad].
        """
        angular = kinematics.data.J[3:]
        for k, (joint, placement) in enumerate(zip(self._joints, self._placements, strict=True)):
            self.rotations[k] = kinematics.data.oMi[joint].rotation @ placement
            np.multiply(angular, self._moved[k], out=self.jacobian[3 * k : 3 * k + 3])
        self.height = float(kinematics.position_com_in_world[2])
        self.jacobian[self._height] = kinematics.jacobian_com[2]
        self.joints[:] = joints

    def take(self) -> PostureSetpoint:
        """Return the present posture as a setpoint."""
        return PostureSetpoint(rotations=self.rotations.copy(), height=self.height, joints=self.joints.copy())

    def prefer(self, desired: PostureSetpoint, insistence: float, projector: np.ndarray) -> Preferences:
        """Return the rows that take the posture nearer to the desired one.

        Args:
            desired: The posture.
            insistence: How much of their weight counts, 0 to 1.
            projector: Onto the motions that disturb no task of high priority, :math:`N_h`, shape ``(nv, nv)``.
        """
        errors = np.zeros(len(self.jacobian))
        for k, (aim, present) in enumerate(zip(desired.rotations, self.rotations, strict=True)):
            turn = np.zeros(3)
            rotation_log(aim @ present.T, turn)
            errors[3 * k : 3 * k + 3] = clamp_norm(turn, TURN_CLAMP)
        errors[self._height] = np.clip(desired.height - self.height, -HEIGHT_CLAMP, HEIGHT_CLAMP)
        errors[self._height + 1 :] = np.clip(desired.joints - self.joints, -JOINT_CLAMP, JOINT_CLAMP)
        roots = np.sqrt(insistence) * self._roots
        return Preferences(rows=(roots[:, None] * self.jacobian) @ projector, errors=roots * errors)
