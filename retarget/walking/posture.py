r"""The whole body's posture that goes with a centre of mass, feet and trunk: differential inverse kinematics, a step a period.

.. math:: \min_{v} \sum_k w_k \|J_k v - \dot x_k - \kappa (x_k^* - x_k)\|^2 + w_v \|v\|^2 \quad \text{s.t.} \quad
    \text{joint positions and velocities within limits, bodies apart, arms and trunk within their torques.}
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel
from handhold.robots.programs.inverse_kinematics import InverseKinematics
from handhold.robots.qp import QpSolver
from handhold.robots.tasks.center_of_mass import CenterOfMassTask
from handhold.robots.tasks.gravity_torque_limits import GravityTorqueLimits
from handhold.robots.tasks.joint_limits import JointLimits
from handhold.robots.tasks.pose import ORIENTATION, FrameTargets, PoseTask
from handhold.robots.tasks.posture import BaseDamping, PostureTask
from handhold.robots.tasks.self_collision import SelfCollisionLimit

_MAX_BASE_VELOCITY = 10.0
"""Largest velocity of the base, never reached [m/s], [rad/s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PostureParameters:
    r"""Weights and gains of the inverse kinematics.

    Attributes:
        foot: Weight of the feet's velocities.
        com: Weight of the centre of mass.
        trunk: Weight of the orientations of base and trunk.
        hand: Weight of the position of a hand that the operator moves; a tenth of it that of its orientation.
        posture: Weight of the pull to the posture that it began in, or stayed in since.
        damping: Weight :math:`w_v` of all velocities.
        gain: Rate :math:`\kappa` at which errors die out [1/s].
        posture_gain: Rate at which the posture goes back to the one that it began in [1/s].
        trunk_speed: Largest rate at which base and trunk are brought upright [rad/s].
        hand_speed: Largest speed with which a hand is drawn to its target, beside the body's [m/s]; as much in rad/s.
        speed: Part of the joints' velocity limits in use [-].
    """

    foot: float = 1e4
    com: float = 1e4
    trunk: float = 100.0
    hand: float = 100.0
    posture: float = 1.0
    damping: float = 0.1
    gain: float = 20.0
    posture_gain: float = 2.0
    trunk_speed: float = 0.5
    hand_speed: float = 0.5
    speed: float = 1.0


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class PostureTargets:
    """What the posture follows.

    Attributes:
        com: Centre of mass in world, shape ``(3,)`` [m].
        com_velocity: Its velocity, shape ``(3,)`` [m/s].
        effectors: Indices of the effectors that follow a pose.
        poses: Their poses in world, shape ``(k, 4, 4)``.
        velocities: Their velocities in world axes, shape ``(k, 6)``.
        yaw: Where base and trunk look [rad]; both are held upright.
        yaw_rate: Its rate [rad/s].
        hands: Poses that the operator commands of hands, by the indices of the effectors.
    """

    com: np.ndarray
    com_velocity: np.ndarray
    effectors: tuple[int, ...]
    poses: np.ndarray
    velocities: np.ndarray
    yaw: float
    yaw_rate: float
    hands: dict[int, np.ndarray]


class PostureFollower:
    """Integrates the posture.

    Attributes:
        q: Configuration, shape ``(nq,)``.
        v: Velocity, shape ``(nv,)``.
        gravity: Generalised gravity at ``q``, shape ``(nv,)`` [N, Nm].
        kinematics: Of ``q``; base and trunk follow the effectors in its arrays.
        failures: Programs without a solution so far; the posture stands still for one period then.
        failures_in_a_row: How many of them since the last that had one.
    """

    def __init__(
        self, model: RobotModel, q: np.ndarray, solver: QpSolver, parameters: PostureParameters | None = None
    ) -> None:
        """Begin at rest in configuration ``q``: base and trunk keep the tilt that they have in the nominal posture."""
        self._model, self._solver = model, solver
        self._parameters = parameters or PostureParameters()
        self.q, self.v = q.copy(), np.zeros(model.nv)
        self.kinematics = EffectorKinematics(model, with_trunk=True)
        nominal = EffectorKinematics(model, with_trunk=True)
        nominal.update(model.q_nominal)
        self._trunk = range(len(model.effectors), len(nominal.poses))
        self._upright = [nominal.poses[k, :3, :3].copy() for k in self._trunk]
        self._make_parts(q[7:].copy())
        self._effectors: tuple[int, ...] = ()
        self._inverse = self._lay_out(self._effectors)
        self.failures = self.failures_in_a_row = 0
        self._update_kinematics()

    def _make_parts(self, joints: np.ndarray) -> None:
        """Make the tasks and limits that are always there; the joints are those that the posture is pulled to."""
        p, model, kinematics = self._parameters, self._model, self.kinematics
        self._targets = FrameTargets.at_rest(kinematics)
        self._com = CenterOfMassTask(kinematics, math.sqrt(p.com), partial=False)
        self._com.gain = p.gain
        trunk = np.array(self._trunk)
        self._upright_task = PoseTask(
            kinematics, trunk, self._targets, weights=np.full(6, p.trunk), halves=ORIENTATION, gain=p.gain
        )
        self._upright_task.clamps[:, 1] = p.trunk_speed
        self._posture = PostureTask(model, joints)
        self._posture.damping, self._posture.gain = p.damping, p.posture_gain
        self._posture.stiffness[:] = p.posture
        self._joint_limits = JointLimits(model, model.lower, model.upper, returning=False)
        self._joint_limits.max_change = p.speed * model.velocity_limits
        self._torques = GravityTorqueLimits(model)
        self._torques.rate = p.gain
        self._apart = SelfCollisionLimit(model, kinematics, velocity=True)

    def _lay_out(self, effectors: tuple[int, ...]) -> InverseKinematics:
        """Lay out a program for some effectors that follow a pose; the others may be moved by the operator."""
        p, model = self._parameters, self._model
        others = np.array([e for e in range(len(model.effectors)) if e not in effectors], dtype=np.int64)
        followed = np.array(effectors, dtype=np.int64)
        feet = PoseTask(self.kinematics, followed, self._targets, weights=np.full(6, p.foot), gain=p.gain)
        self._hands = PoseTask(self.kinematics, others, self._targets, weights=np.zeros(6), gain=p.gain)
        self._hands.clamps[:] = p.hand_speed
        self._others = others.tolist()
        tasks = (feet, self._com, self._upright_task, self._hands, self._posture, BaseDamping(p.damping))
        limits = (self._joint_limits, self._torques, self._apart)
        return InverseKinematics(model, self.kinematics, self._solver, tasks, limits, max_base_motion=_MAX_BASE_VELOCITY)

    def _update_kinematics(self) -> None:
        self.kinematics.update(self.q)
        self.gravity = pin.computeGeneralizedGravity(self._model.pinocchio, self.kinematics.data, self.q).copy()

    @property
    def gain(self) -> float:
        """Rate at which errors die out [1/s]."""
        return self._parameters.gain

    def freeze(self) -> None:
        """Take the present joint positions for those that the posture is pulled to: nothing but the targets moves it."""
        self._posture.desired = self.q[7:].copy()

    def step(self, targets: PostureTargets, dt: float) -> None:
        """Go on by ``dt`` towards the targets."""
        self._aim(targets, dt)
        solution = self._inverse.find_motion(self.q)
        self.failures += not solution.solved
        self.failures_in_a_row = 0 if solution.solved else self.failures_in_a_row + 1
        self.v = solution.x.copy() if solution.solved else np.zeros(self._model.nv)
        self.q = pin.integrate(self._model.pinocchio, self.q, dt * self.v)
        self._update_kinematics()

    def _aim(self, targets: PostureTargets, dt: float) -> None:
        """Pass the targets to tasks and limits."""
        if targets.effectors != self._effectors:
            self._inverse, self._effectors = self._lay_out(targets.effectors), targets.effectors
        p, poses, velocities = self._parameters, self._targets.poses, self._targets.feedforward
        effectors = list(targets.effectors)
        poses[effectors], velocities[effectors] = targets.poses, targets.velocities
        self._com.desired, self._com.target = targets.com_velocity, targets.com
        turn = pin.rpy.rpyToMatrix(0.0, 0.0, targets.yaw)
        for upright, frame in zip(self._upright, self._trunk, strict=True):
            poses[frame, :3, :3] = turn @ upright
            velocities[frame, 5] = targets.yaw_rate
        self._hands.weights[:] = 0.0
        for hand, pose in targets.hands.items():
            poses[hand], velocities[hand] = pose, _compute_hand_velocity(targets, self.kinematics.poses[hand])
            self._hands.weights[self._others.index(hand)] = p.hand * np.array([1.0, 1.0, 1.0, 0.1, 0.1, 0.1])
        # Limits are approached at the rate at which errors die out.
        self._joint_limits.barrier = min(p.gain, 1.0 / dt)
        self._torques.q, self._torques.gravity = self.q, self.gravity
        self._apart.barrier, self._apart.duration = p.gain * dt, dt


def _compute_hand_velocity(targets: PostureTargets, pose: np.ndarray) -> np.ndarray:
    """Return the velocity of a hand that is fixed to a body that moves and turns, shape ``(6,)``."""
    arm, rate = pose[:3, 3] - targets.com, targets.yaw_rate
    x, y = targets.com_velocity[:2] + rate * np.array([-arm[1], arm[0]])
    return np.array([x, y, 0.0, 0.0, 0.0, rate])
