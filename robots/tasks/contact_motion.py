r"""Contacts that stay where they are: equalities :math:`J u = e` of a program.

Six rows a plane contact, in its contact frame; three a point contact, in world axes, of the point where its ball touches.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numba import njit

from handhold.robots.contact import Stance
from handhold.robots.kinematics import EffectorKinematics, fill_contact_jacobian
from handhold.robots.rotation import rotation_log
from handhold.robots.tasks.object_rows import ObjectRows


class ContactMotion(ABC):
    """What the motion must be at the contacts of a stance.

    Attributes:
        stance: The contacts.
        effectors: Their indices among the effectors, plane contacts first, shape ``(contacts,)``.
        force_jacobian: Of everything that exerts a force: J, then three rows in world axes for each free effector or touch
            point that others push, shape ``(l + 3 pushed + admissions, nv)``. The last row is one of zeros where an object is
            held and a step is sought: how much of a change of its load is admitted moves nothing by itself.
        jacobian: J, shape ``(l, nv)`` (view).
        targets: e, shape ``(l,)``; what of it is not to be made up for at once may be taken off after ``fill``.
        drift: Minus what the contacts' accelerations are without joint accelerations, shape ``(l,)``; zero for a step.
        held: What is asked of those instead that hold an object; filled with the program.
    """

    accelerations = False
    """Whether the motion is one of accelerations."""

    def __init__(self, stance: Stance, kinematics: EffectorKinematics, pushed: Sequence[int] = ()) -> None:
        self.stance = stance
        self.kinematics = kinematics
        self.effectors = np.array(stance.effectors)
        self._forced = np.array([*stance.effectors, *pushed])
        self._arms = np.vstack([stance.arms, np.zeros((len(pushed), 3))])
        nv, forced = kinematics.jacobians.shape[2], stance.size + 3 * len(pushed)
        admits = stance.grasp is not None and not self.accelerations
        self.force_jacobian = np.zeros((forced + admits, nv))
        self.jacobian, self._pushing = self.force_jacobian[: stance.size], self.force_jacobian[:forced]
        self.targets, self.drift = np.zeros(stance.size), np.zeros(stance.size)
        self.held = ObjectRows(stance, nv, nv + len(self.force_jacobian), accelerations=self.accelerations)

    def fill(self) -> None:
        """Fill Jacobian and targets for the program that comes next."""
        k, planes = self.kinematics, self.stance.planes
        fill_contact_jacobian(k.touched_jacobians, k.touched_poses, self._forced, planes, self._arms, self._pushing)
        self.fill_targets()

    def fill_held(self) -> None:
        """Fill what is asked of contacts that hold an object, once the targets are what they are to be."""
        self.held.fill(self.jacobian, self.targets, self.drift, self.kinematics.poses)

    @abstractmethod
    def fill_targets(self) -> None:
        """Fill what the motion must be."""


class ContactPoses(ContactMotion):
    r"""Contacts that are brought to poses by a step: :math:`J \Delta q = X^{target} \ominus X` [Rouxel2022]_ (eq. 6, 8).

    Attributes:
        poses: Poses the contacts must have, of all effectors, shape ``(effectors, 4, 4)``.
    """

    def __init__(self, stance: Stance, kinematics: EffectorKinematics, poses: np.ndarray, pushed: Sequence[int] = ()) -> None:
        super().__init__(stance, kinematics, pushed)
        self.poses = poses

    def fill_targets(self) -> None:
        """Fill how far the contacts are from their poses."""
        fill_contact_targets(self.effectors, self.stance.planes, self.poses, self.kinematics.poses, self.targets)


class ContactsAtRest(ContactMotion):
    r"""Contacts whose velocity dies out: :math:`J \ddot q = -\dot J \dot q - k_d J \dot q`."""

    accelerations = True

    def __init__(
        self,
        stance: Stance,
        kinematics: EffectorKinematics,
        velocities: np.ndarray,
        drifts: np.ndarray,
        damping: float,
    ) -> None:
        r"""Take the arrays that are refreshed before every program.

        Args:
            stance: The contacts.
            kinematics: Of the frames.
            velocities: Velocities of the frames in world axes, shape ``(frames, 6)``.
            drifts: Their accelerations without joint accelerations, :math:`\\dot J \\dot q`, shape ``(frames, 6)``.
            damping: Rate :math:`k_d` at which the velocity of a contact dies out [1/s].
        """
        super().__init__(stance, kinematics)
        self._motion = (velocities, drifts, damping)

    def fill_targets(self) -> None:
        """Fill what brings the contacts to rest."""
        contacts = (self.effectors, self.stance.planes, self.stance.arms, self.kinematics.poses)
        fill_contact_accelerations(*contacts, *self._motion, self.targets)
        if self.stance.grasp is not None:
            fill_contact_accelerations(*contacts, *self._motion[:2], 0.0, self.drift)

    def press(self, contact: int, acceleration: np.ndarray) -> None:
        """Let a point contact accelerate after ``fill``, in world axes, shape ``(3,)`` [m/s^2].

        Args:
            contact: Its index among the contacts.
            acceleration: Added to what brings it to rest.
        """
        first = self.stance.offsets[contact]
        self.targets[first : first + 3] += acceleration


@njit(cache=True)
def fill_contact_targets(
    effectors: np.ndarray, planes: int, contact_poses: np.ndarray, poses: np.ndarray, out: np.ndarray
) -> None:
    r"""Fill what brings every contact back to where it is: :math:`J \Delta q = X^{target} \ominus X` (eq. 6, 8).

    Args:
        effectors: Indices of the contacts, shape ``(contacts,)``.
        planes: Number of plane contacts, the first ones.
        contact_poses: Poses the contacts must have, shape ``(effectors, 4, 4)``.
        poses: Present poses, shape ``(effectors, 4, 4)``.
        out: Filled, shape ``(l,)``: contact frame for planes (linear, angular), world axes for points.
    """
    turn = np.zeros((3, 3))
    error = np.zeros(3)
    for k in range(effectors.shape[0]):
        e = effectors[k]
        if k < planes:
            for i in range(3):
                out[6 * k + i] = 0.0
                for j in range(3):
                    out[6 * k + i] += poses[e, j, i] * (contact_poses[e, j, 3] - poses[e, j, 3])
                    turn[i, j] = (
                        poses[e, 0, i] * contact_poses[e, 0, j]
                        + poses[e, 1, i] * contact_poses[e, 1, j]
                        + poses[e, 2, i] * contact_poses[e, 2, j]
                    )
            rotation_log(turn, error)
            out[6 * k + 3 : 6 * k + 6] = error
        else:
            o = 6 * planes + 3 * (k - planes)
            for i in range(3):
                out[o + i] = contact_poses[e, i, 3] - poses[e, i, 3]


@njit(cache=True)
def fill_contact_accelerations(
    effectors: np.ndarray,
    planes: int,
    arms: np.ndarray,
    poses: np.ndarray,
    velocities: np.ndarray,
    drifts: np.ndarray,
    damping: float,
    out: np.ndarray,
) -> None:
    r"""Fill what keeps contacts at rest: :math:`J \ddot q = -\dot J \dot q - k_d J \dot q`, in the contacts' axes.

    Args:
        effectors: Indices of the contacts, shape ``(contacts,)``.
        planes: Number of plane contacts, the first ones.
        arms: From each contact frame's origin to where it touches, in world axes, shape ``(contacts, 3)`` [m].
        poses: Frames in world, shape ``(frames, 4, 4)``.
        velocities: Their velocities in world axes, shape ``(frames, 6)``.
        drifts: Their accelerations without joint accelerations, shape ``(frames, 6)``.
        damping: Rate at which the velocity of a contact is to die out [1/s].
        out: Filled, shape ``(l,)``.
    """
    motion = np.zeros(6)
    for k in range(effectors.shape[0]):
        e = effectors[k]
        if k < planes:
            for half in range(2):
                for i in range(3):
                    total = 0.0
                    for j in range(3):
                        row = 3 * half + j
                        total -= poses[e, j, i] * (drifts[e, row] + damping * velocities[e, row])
                    out[6 * k + 3 * half + i] = total
        else:
            first = 6 * planes + 3 * (k - planes)
            x, y, z = arms[k]
            for i in range(6):
                motion[i] = -drifts[e, i] - damping * velocities[e, i]
            out[first] = motion[0] + motion[4] * z - motion[5] * y
            out[first + 1] = motion[1] + motion[5] * x - motion[3] * z
            out[first + 2] = motion[2] + motion[3] * y - motion[4] * x
