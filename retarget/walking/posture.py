r"""The whole body's posture that goes with a centre of mass, feet and trunk: differential inverse kinematics, a step a period.

.. math:: \min_{v} \sum_k w_k \|J_k v - \dot x_k - \kappa (x_k^* - x_k)\|^2 + w_v \|v\|^2 \quad \text{s.t.} \quad
    \text{joint positions and velocities within limits, bodies apart, arms and trunk within their torques.}
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from handhold.retarget.walking.torque_rows import TorqueRows
from handhold.robots.kinematics import EffectorKinematics, rotation_log
from handhold.robots.model import RobotModel
from handhold.robots.qp import INFINITY, QpSolver, QuadraticProgram
from handhold.robots.self_collision import SelfCollision


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
        effectors: Places of the effectors that follow a pose.
        poses: Their poses in world, shape ``(k, 4, 4)``.
        velocities: Their velocities in world axes, shape ``(k, 6)``.
        yaw: Where base and trunk look [rad]; both are held upright.
        yaw_rate: Its rate [rad/s].
        hands: Poses that the operator wants of hands, by their places among the effectors.
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
        self._begun = q[7:].copy()
        self._collision = SelfCollision(model)
        count = self._collision.row_count
        self._torques = TorqueRows(model)
        self._apart = (np.zeros((count, model.nv)), np.zeros(count), np.full(count, INFINITY))
        self.failures = self.failures_in_a_row = 0
        self._place()

    def _place(self) -> None:
        self.kinematics.update(self.q)
        self.gravity = pin.computeGeneralizedGravity(self._model.pinocchio, self.kinematics.data, self.q).copy()

    @property
    def gain(self) -> float:
        """Rate at which errors die out [1/s]."""
        return self._parameters.gain

    def stay(self) -> None:
        """Take the present joint positions for those that the posture is pulled to: nothing but the targets moves it."""
        self._begun = self.q[7:].copy()

    def step(self, targets: PostureTargets, dt: float) -> None:
        """Go on by ``dt`` towards the targets."""
        solution = self._solver.solve(self._build(targets, dt))
        self.failures += not solution.solved
        self.failures_in_a_row = 0 if solution.solved else self.failures_in_a_row + 1
        self.v = solution.x.copy() if solution.solved else np.zeros(self._model.nv)
        self.q = pin.integrate(self._model.pinocchio, self.q, dt * self.v)
        self._place()

    def _build(self, targets: PostureTargets, dt: float) -> QuadraticProgram:
        p, model, kinematics = self._parameters, self._model, self.kinematics
        rows, wanted, weights = [], [], []
        for k, effector in enumerate(targets.effectors):
            rows.append(kinematics.jacobians[effector])
            wanted.append(targets.velocities[k] + p.gain * _pose_error(kinematics.poses[effector], targets.poses[k]))
            weights.append(np.full(6, p.foot))
        rows.append(kinematics.jacobian_com)
        wanted.append(targets.com_velocity + p.gain * (targets.com - kinematics.position_com_in_world))
        weights.append(np.full(3, p.com))
        turn = pin.rpy.rpyToMatrix(0.0, 0.0, targets.yaw)
        for upright, frame in zip(self._upright, self._trunk, strict=True):
            rows.append(kinematics.jacobians[frame, 3:])
            error = p.gain * _turn_error(kinematics.poses[frame, :3, :3], turn @ upright)
            wanted.append(_clip(error, p.trunk_speed) + np.array([0.0, 0.0, targets.yaw_rate]))
            weights.append(np.full(3, p.trunk))
        for hand, pose in targets.hands.items():
            error = _clip(p.gain * _pose_error(kinematics.poses[hand], pose), p.hand_speed)
            rows.append(kinematics.jacobians[hand])
            wanted.append(error + _carry(targets, kinematics.poses[hand]))
            weights.append(p.hand * np.array([1.0, 1.0, 1.0, 0.1, 0.1, 0.1]))
        J, w = np.vstack(rows), np.concatenate(weights)
        H = (J.T * w) @ J
        f = -(J.T * w) @ np.concatenate(wanted)
        diagonal = np.full(model.nv, p.damping)
        diagonal[6:] += p.posture
        H[np.diag_indices(model.nv)] += diagonal
        f[6:] -= p.posture * p.posture_gain * (self._begun - self.q[7:])
        lower, upper = self._bound(dt)
        rows_apart, least, most = self._keep_apart(dt)
        torques, weakest, strongest = self._torques.build(self.q, self.gravity, p.gain)
        # Soft like those that keep bodies apart, so that rest is feasible wherever the posture began.
        return QuadraticProgram(
            H=H,
            f=f,
            A=np.concatenate([torques, rows_apart]),
            lower=np.concatenate([lower, weakest, least]),
            upper=np.concatenate([upper, strongest, most]),
            equalities=0,
            soft=len(weakest) + len(least),
        )

    def _keep_apart(self, dt: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return rows of the velocity that keep the robot's bodies apart, and their bounds: soft, so that rest is feasible."""
        rows, least, most = self._apart
        if self._collision.row_count:
            self._collision.update(self.kinematics.joint_poses)
            self._collision.fill_limits(self.kinematics.data.J, self._parameters.gain * dt, dt, 0, self._apart)
        return dt * rows, least, most

    def _bound(self, dt: float) -> tuple[np.ndarray, np.ndarray]:
        """Bound the velocities: of the base by what is never reached, of the joints by their limits."""
        model, p = self._model, self._parameters
        most = np.concatenate([np.full(6, 10.0), p.speed * model.velocity_limits])
        lower, upper = -most, most.copy()
        # Limits are approached at the rate at which errors die out.
        rate = min(p.gain, 1.0 / dt)
        lower[6:] = np.clip(rate * (model.lower - self.q[7:]), -most[6:], 0.0)
        upper[6:] = np.clip(rate * (model.upper - self.q[7:]), 0.0, most[6:])
        return lower, upper


def _carry(targets: PostureTargets, pose: np.ndarray) -> np.ndarray:
    """Return the velocity of a hand that keeps its place on a body that moves and turns, shape ``(6,)``."""
    arm, rate = pose[:3, 3] - targets.com, targets.yaw_rate
    x, y = targets.com_velocity[:2] + rate * np.array([-arm[1], arm[0]])
    return np.array([x, y, 0.0, 0.0, 0.0, rate])


def _pose_error(pose: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return the way from a pose to another, in world axes, shape ``(6,)`` [m, rad]."""
    return np.concatenate([wanted[:3, 3] - pose[:3, 3], _turn_error(pose[:3, :3], wanted[:3, :3])])


def _turn_error(rotation: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    error = np.zeros(3)
    rotation_log(wanted @ rotation.T, error)
    return error


def _clip(motion: np.ndarray, most: float) -> np.ndarray:
    """Return a motion whose parts of three, linear and angular, are no longer than ``most`` each."""
    clipped = motion.copy()
    for part in (slice(first, first + 3) for first in range(0, len(motion), 3)):
        length = float(np.linalg.norm(clipped[part]))
        if length > most:
            clipped[part] *= most / length
    return clipped
