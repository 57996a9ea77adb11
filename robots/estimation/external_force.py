r"""External forces from joint torques and motion: a generalised-momentum observer [DeLuca2005]_.

The momentum :math:`p = M v` of a robot that stands on contacts with measured wrenches :math:`\lambda` changes with

.. math::

    \dot p = S \tau + C^T v - g + J_c^T \lambda + \tau_{ext}, \qquad
    r = K \left( p - \int (S \tau + C^T v - g + J_c^T \lambda + r) \, dt \right) \;\Rightarrow\; \dot r = K (\tau_{ext} - r)

so that the residual r follows the generalised force of all that is not measured, with the time constant 1 / K and without an
acceleration. As :math:`\dot M = C + C^T`, one period adds to the bracket

.. math::

    \Delta p - C^T v \, dt + g \, dt = M \Delta v + (C v + g) \, dt,

which is how it is computed: with M and :math:`h = C v + g` of the period's beginning, as the physics engines step.

.. [DeLuca2005] A. De Luca, R. Mattone, Sensorless robot collision detection and hybrid force/motion control, ICRA 2005.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pinocchio as pin
from numba import njit

from handhold.robots.cholesky import factorise, solve_factored
from handhold.robots.contact_kind import ContactKind
from handhold.robots.kinematics import EffectorKinematics, fill_contact_jacobian
from handhold.robots.model import RobotModel
from handhold.robots.robot import RobotState

GAIN = 50.0
"""Gain of the observer [1/s]: a time constant of 20 ms."""

DAMPING = 1e-4
"""What is added to every squared singular value of the unknown contacts' Jacobian [m^2]: a direction in which the effector's
lever arms are under 1 cm is not estimated but taken as free of force. A mount has none: its wrench shows in the base alone,
and were it to be small, stretched arms would be given a part of their own robot's weight, which their joints do not feel."""


class ExternalForceObserver:
    r"""Estimates the forces at the effectors that have no sensor.

    It assumes that the wrenches of the sensed effectors are measured, that all other forces act at the unsensed ones, each as
    a force at the origin of the contact frame (a plane contact: a wrench), and that the model is true: a load in a gripper,
    friction in the joints, a joint pressed onto its stop or a push on an elbow shows as a force on the hand; noise of 4.5 N
    and 0.5 Nm at each foot of Talos as 5.5 N, noise of 0.5 Nm at each joint as 0.5 N.

    Attributes:
        residual: Generalised force of all that is not sensed, shape ``(nv,)`` [N, Nm].
        forces: Forces exerted by the environment on the unsensed effectors, world axes, shape ``(effectors, 3)`` [N]; zero
            for the sensed ones. Those on the body's touch points follow, where it may be pushed.
        moments: Likewise the moments on unsensed effectors that carry a wrench, about their contact frames' origins [Nm].
    """

    def __init__(
        self,
        model: RobotModel,
        *,
        gain: float = GAIN,
        sensed: Sequence[int] | None = None,
        damping: float = DAMPING,
        with_points: bool = False,
    ) -> None:
        """Begin without a force.

        Args:
            model: Robot.
            gain: Gain of the observer [1/s].
            sensed: Effectors whose contact wrench is measured; None for those the robot stands on. Those left out are
                unknown: while the robot moves, the weight they support is smeared by its motion in 1 / gain, and shows in
                part at the other unknown ones (Talos pushed with 30 N: off by 3.5 N at 50 /s, by 2.3 N at 200 /s).
            damping: Damping of the least squares, of all but a mount [m^2].
            with_points: Whether others may push the body's touch points as well. Then the base's velocity counts as it was
                measured: one that is filtered follows the accelerations that the controller asks for, and those follow the
                force that is estimated; Talos swayed by itself at 7 Hz, and the estimate by 16 N.
        """
        count = len(model.touched_joints) if with_points else len(model.effectors)
        measured = [i for i, e in enumerate(model.effectors) if e.standing] if sensed is None else list(sensed)
        unknown = [i for i in range(count) if i not in measured]
        planes = [i for i in unknown if i < len(model.effectors) and model.effectors[i].contact is not ContactKind.POINT]
        points = [i for i in unknown if i not in planes]
        self._model = model
        self._gain = gain
        self._sensed = np.array(measured, dtype=np.int64)
        self._unknown = np.array([*planes, *points], dtype=np.int64)
        self._planes, self._unknown_planes = len(planes), self._unknown[: len(planes)]
        mounts = [model.effectors[i].contact is ContactKind.FIXED for i in planes]
        self._damping = np.array(
            [0.0 if mount else damping for mount in mounts for _ in range(6)] + 3 * len(points) * [damping]
        )
        # A force without its point of contact is taken to act at the contact frame.
        self._arms = np.zeros((self._unknown.size, 3))
        self._jacobian = np.zeros((6 * len(planes) + 3 * len(points), model.nv))
        # Of J J^T + D; until it is first filled nothing is taken for unobserved to speak of.
        self._factor = np.eye(len(self._jacobian))
        self._kinematics = EffectorKinematics(model, with_points=with_points)
        self._mass_matrix, self._bias = self._kinematics.data.M, self._kinematics.data.nle
        self._velocity: np.ndarray | None = None
        self._unfiltered = with_points
        self.residual = np.zeros(model.nv)
        self.forces, self.moments = np.zeros((count, 3)), np.zeros((count, 3))

    @property
    def poses(self) -> np.ndarray:
        """Poses of the effectors' contact frames in world in the state last taken in, shape ``(effectors, 4, 4)`` (view)."""
        return self._kinematics.poses[: len(self._model.effectors)]

    @property
    def jacobians(self) -> np.ndarray:
        """Likewise their Jacobians, world axes, shape ``(effectors, 6, nv)`` (view)."""
        return self._kinematics.jacobians[: len(self._model.effectors)]

    def update(self, state: RobotState, dt: float) -> np.ndarray:
        """Take in a state and return the residual.

        Args:
            state: Present state, with the torques and contact wrenches of the period that has just ended.
            dt: Time since the state before [s].

        Returns:
            Residual, shape ``(nv,)``: exerted by the environment on the robot; force on the base [N] in its axes, moment
            [Nm], joints [Nm].
        """
        kinematics, velocity = self._kinematics, state.v
        if self._unfiltered and state.unfiltered_velocity_base is not None:
            velocity = np.concatenate([state.unfiltered_velocity_base, state.v[3:]])
        if self._velocity is not None:
            advance_residual(
                self._mass_matrix,
                self._bias,
                (self._velocity, velocity, state.joint_torques),
                (self._sensed, state.contact_wrenches, kinematics.poses, kinematics.jacobians),
                (self._gain, dt),
                self.residual,
            )
        self._velocity = velocity
        pin.computeAllTerms(self._model.pinocchio, kinematics.data, state.q, velocity)
        kinematics.read_data()
        self._distribute_residual()
        return self.residual

    def _distribute_residual(self) -> None:
        if self._unknown.size == 0:
            return
        poses, jacobians = self._kinematics.touched_poses, self._kinematics.touched_jacobians
        fill_contact_jacobian(jacobians, poses, self._unknown, self._planes, self._arms, self._jacobian)
        unknown = (self._unknown, self._planes, poses)
        fill_forces(self._jacobian, self.residual, self._damping, unknown, self._factor, self.forces, self.moments)

    def find_unobserved(self, wrenches: np.ndarray) -> np.ndarray:
        r"""Find what the damping D takes from wrenches :math:`f_0` on the unknown effectors: :math:`(J J^T + D)^{-1} D f_0`.

        The joints of a stretched arm hardly show what acts along it. Where such wrenches are expected, this is what to add to
        the estimate :math:`\hat f`:

        .. math:: \hat f + (J J^T + D)^{-1} D f_0 = \arg\min_f \| J^T f - r \|^2 + \| f - f_0 \|^2_D

        Args:
            wrenches: Expected on them, in their contact frames, shape ``(effectors, 6)`` [N, Nm]; of points none.

        Returns:
            Shape ``(effectors, 6)`` [N, Nm].
        """
        unobserved = np.zeros(wrenches.shape)
        fill_unobserved(self._factor, self._damping, self._unknown_planes, wrenches, unobserved)
        return unobserved


@njit(cache=True)
def advance_residual(
    mass_matrix: np.ndarray,
    bias: np.ndarray,
    motion: tuple[np.ndarray, np.ndarray, np.ndarray],
    contacts: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    step: tuple[float, float],
    residual: np.ndarray,
) -> None:
    r"""Advance the residual by one period: :math:`r \mathrel{+}= K (M \Delta v + (h - S \tau - J_c^T \lambda - r) dt)`.

    The step is implicit in r, so that no gain makes it unstable.

    Args:
        mass_matrix: Mass matrix at the beginning of the period, upper triangle, shape ``(nv, nv)``.
        bias: Coriolis, centrifugal and gravity terms h then, shape ``(nv,)``.
        motion: Velocities before and after, shape ``(nv,)`` each, and joint torques in between, shape ``(n,)``.
        contacts: Sensed effectors; wrenches of all effectors in their contact frames, shape ``(effectors, 6)``; poses and
            Jacobians (world axes) of all effectors at the beginning.
        step: Gain [1/s] and length of the period [s].
        residual: Advanced in place, shape ``(nv,)``.
    """
    before, after, torques = motion
    effectors, wrenches, poses, jacobians = contacts
    gain, dt = step
    nv = residual.shape[0]
    change = np.zeros(nv)
    for i in range(nv):
        total = dt * (bias[i] - (torques[i - 6] if i >= 6 else 0.0))
        for j in range(nv):
            element = mass_matrix[i, j] if j >= i else mass_matrix[j, i]
            total += element * (after[j] - before[j])
        change[i] = total
    for e in effectors:
        for half in range(2):
            for i in range(3):
                in_world = 0.0
                for j in range(3):
                    in_world += poses[e, i, j] * wrenches[e, 3 * half + j]
                if in_world != 0.0:
                    for j in range(nv):
                        change[j] -= dt * jacobians[e, 3 * half + i, j] * in_world
    for i in range(nv):
        residual[i] = (residual[i] + gain * change[i]) / (1.0 + gain * dt)


@njit(cache=True)
def fill_unobserved(
    factor: np.ndarray, damping: np.ndarray, planes: np.ndarray, wrenches: np.ndarray, unobserved: np.ndarray
) -> None:
    r"""Fill :math:`(J J^T + D)^{-1} D f_0` in the rows of plane contacts.

    Args:
        factor: As in ``fill_forces``.
        damping: Likewise.
        planes: The unknown plane contacts, which come first.
        wrenches: Expected wrenches :math:`f_0`, shape ``(effectors, 6)``.
        unobserved: Filled, shape ``(effectors, 6)``.
    """
    hidden = np.zeros(damping.size)
    for k in range(planes.size):
        for i in range(6):
            hidden[6 * k + i] = damping[6 * k + i] * wrenches[planes[k], i]
    solve_factored(factor, hidden)
    for k in range(planes.size):
        for i in range(6):
            unobserved[planes[k], i] = hidden[6 * k + i]


@njit(cache=True)
def fill_forces(
    jacobian: np.ndarray,
    residual: np.ndarray,
    damping: np.ndarray,
    unknown: tuple[np.ndarray, int, np.ndarray],
    factor: np.ndarray,
    forces: np.ndarray,
    moments: np.ndarray,
) -> None:
    r"""Fill the forces that explain the residual best: :math:`\min_f \| J^T f - r \|^2 + \| f \|^2_d`.

    Args:
        jacobian: Stacked Jacobian of the unknown contacts (see ``fill_contact_jacobian``), shape ``(l, nv)``.
        residual: Residual r, shape ``(nv,)``.
        damping: Damping d of each row, shape ``(l,)`` [m^2].
        unknown: The unknown contacts, plane contacts first; number of plane contacts; poses of all effectors.
        factor: Filled: Cholesky factor of :math:`J J^T + D`, shape ``(l, l)``.
        forces: Filled in the rows of the unknown contacts: forces in world axes, shape ``(effectors, 3)`` [N].
        moments: Filled in those of plane contacts: moments in world axes, shape ``(effectors, 3)`` [Nm].
    """
    effectors, planes, poses = unknown
    factor[:] = jacobian @ jacobian.T
    for i in range(factor.shape[0]):
        factor[i, i] += damping[i]
    factorise(factor)
    stacked = jacobian @ residual
    solve_factored(factor, stacked)
    for k in range(effectors.shape[0]):
        e = effectors[k]
        if k < planes:
            rotation = np.ascontiguousarray(poses[e, :3, :3])
            forces[e] = rotation @ stacked[6 * k : 6 * k + 3]
            moments[e] = rotation @ stacked[6 * k + 3 : 6 * k + 6]
        else:
            o = 6 * planes + 3 * (k - planes)
            forces[e] = stacked[o : o + 3]
