r"""The whole-body controller: torques that make a robot track a reference.

Inverse dynamics as a quadratic program over joint accelerations and contact wrenches, weighted tasks inside hard limits:

.. math::

    \min_{\ddot q, \lambda} \sum_k w_k \|J_k \ddot q + \dot J_k \dot q - a_k\|^2 + w_\lambda \|\lambda - \lambda^{ref}\|^2
    \quad \text{s.t.} \quad M \ddot q + h = S \tau + J^T \lambda, \; J \ddot q + \dot J \dot q = -k_d J \dot q, \;
    |\tau| \leq \tau_{max}, \; \lambda \in \text{wrench cones}.

The centre of mass is driven through its divergent component :math:`\xi = c + \dot c / \omega`: the centre of pressure

.. math::

    p = c^{ref} - \ddot c^{ref} / \omega^2 + (1 + k_\xi / \omega) (\xi - \xi^{ref})

is clipped to the reference's support polygon and asks for :math:`\ddot c = \omega^2 (c - p)`. While hands bear, p is no longer
the pressure under the feet but the place over which the centre of mass could rest, and the polygon the stability region.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from handhold.robots.clamp import clamp_norm
from handhold.robots.com_task import fill_com_task
from handhold.robots.contact import Stance
from handhold.robots.controller_rows import (
    fill_contact_accelerations,
    fill_dynamics,
    fill_frame_motion,
    fill_joint_terms,
    fill_pose_tasks,
    fill_wrench_costs,
)
from handhold.robots.drive_targets import DriveTargets, find_arm_joints
from handhold.robots.kinematics import EffectorKinematics, fill_contact_jacobian
from handhold.robots.model import RobotModel
from handhold.robots.pinocchio_views import view_joint_motions
from handhold.robots.qp import INFINITY, QpSolution, QpSolver, QuadraticProgram
from handhold.robots.reference import Reference
from handhold.robots.robot import LONGEST_PERIOD, JointCommand, RobotState
from handhold.robots.whole_body_program import FORCE_UNIT, Dependence, WholeBodyProgram

GRIP = 0.95
"""Part of the friction coefficients that the controller uses [-]: simulated contacts give some hundredths more than asked."""

MOST_PRESSED = 0.05
"""How far ahead of a hand that braces its reference counts at most [m]."""

MAX_DISPLACEMENT = 0.04
"""Largest displacement of the centre of pressure for what the model does not know of [m]."""

FORGETTING = 1.0
"""Time constant with which that is forgotten while the robot walks [s]."""

LEAST_SHARE = 0.1
"""Load, as a part of the contacts' mean one, under which a contact's wrench is held to the reference's no harder [-]."""

# Of contacts that the legs can hardly move [m/s^2], [rad/s^2].
_DEPENDENCE = Dependence(tolerance=1e-3, most=5.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ControllerParameters:
    """Weights and gains of the controller; what each does is on the tuning page.

    Attributes:
        com: Weight of the centre of mass.
        com_stiffness: Gain on the height of the centre of mass [1/s^2].
        dcm_gain: Gain of the divergent component of motion [1/s].
        dcm_integral: Gain of its integral [1/s]; under a quarter of ``dcm_gain`` squared over the pendulum's frequency.
        hand_position: Weight of free effectors' positions.
        hand_orientation: Weight of free effectors' orientations.
        hand_stiffness: Gain of free effectors [1/s^2].
        swing_position: Weight of the positions of feet that swing.
        swing_orientation: Weight of their orientations.
        swing_stiffness: Their gain [1/s^2].
        trunk: Weight of the orientations of base and trunk.
        trunk_stiffness: Their gain [1/s^2].
        posture: Weight of the posture.
        posture_stiffness: Its gain [1/s^2].
        force: Weight of the force, in units of 100 N, of a contact with the mean load; more the less it bears.
        moment: Weight of its moment, in units of 100 Nm, likewise.
        regularisation: Weight of all accelerations.
        contact_damping: Rate at which the velocity of a contact is to die out [1/s].
        limit_horizon: How far ahead a joint must stay inside its limits [s].
        limit_recovery: Largest acceleration with which a joint that is past its limit is brought back [rad/s^2].
    """

    com: float = 1000.0
    com_stiffness: float = 60.0
    dcm_gain: float = 3.0
    dcm_integral: float = 0.5
    hand_position: float = 30.0
    hand_orientation: float = 3.0
    hand_stiffness: float = 150.0
    swing_position: float = 300.0
    swing_orientation: float = 30.0
    swing_stiffness: float = 300.0
    trunk: float = 10.0
    trunk_stiffness: float = 100.0
    posture: float = 0.3
    posture_stiffness: float = 60.0
    force: float = 1e-2
    moment: float = 1e-1
    regularisation: float = 1e-4
    contact_damping: float = 20.0
    limit_horizon: float = 0.03
    limit_recovery: float = 20.0


class WholeBodyController:
    """Tracks references; holds the pinocchio data and the program of the present stance.

    Attributes:
        failures: Programs without a solution so far; the torques of the last good one are held meanwhile.
        relaxed: Programs so far that had one only without the limits of the joints' positions.
        failures_in_a_row: How many of them since the last that had one.
        base_acceleration: Last asked for, of the base's linear velocity in its own axes, shape ``(3,)`` [m/s^2]; zero where no
            torques were found.
    """

    def __init__(self, model: RobotModel, solver: QpSolver, parameters: ControllerParameters | None = None) -> None:
        self._model = model
        self._solver = solver
        self._parameters = parameters or ControllerParameters()
        self.failures = 0
        self.relaxed = 0
        self.failures_in_a_row = 0
        self._kinematics = EffectorKinematics(model, with_trunk=True)
        self._wanted = EffectorKinematics(model, with_trunk=True)
        data = self._kinematics.data
        self._mass_matrix, self._bias = data.M, data.nle
        self._velocity_com, self._drift_com = data.vcom[0], data.acom[0]
        joints = model.pinocchio.njoints
        self._joint_motions = view_joint_motions(data.v, joints), view_joint_motions(data.a, joints)
        count = len(self._kinematics.poses)
        self._velocities, self._drifts = np.zeros((count, 6)), np.zeros((count, 6))
        self._target_poses = np.tile(np.eye(4), (count, 1, 1))
        self._target_velocities = np.zeros((count, 6))
        self._target_accelerations = np.zeros((count, 6))
        self._trunk = np.arange(len(model.effectors), count)
        self._no_acceleration = np.zeros(model.nv)
        self._drives = DriveTargets(model)
        self._arms, self._all_joints = find_arm_joints(model), np.ones(model.n, dtype=bool)
        self.base_acceleration = np.zeros(3)
        self._torques = np.zeros(model.n)
        # Of the centre of pressure, for what the model does not know of, shape (2,) [m]; and when it was learnt last [s].
        self._displacement, self._time = np.zeros(2), -math.inf
        self._reference: Reference | None = None
        self._flags: np.ndarray | None = None
        self._swings = False

    @property
    def program(self) -> WholeBodyProgram:
        """The program of the present stance, as last built."""
        return self._program

    @property
    def stance(self) -> Stance:
        """The present stance, its soles smaller than the real ones by the controller's margin."""
        return self._stance

    @property
    def velocity_com(self) -> np.ndarray:
        """Velocity of the centre of mass of the state last tracked, shape ``(3,)`` [m/s] (view)."""
        return self._velocity_com

    @property
    def position_com_in_world(self) -> np.ndarray:
        """Centre of mass of the state last tracked, shape ``(3,)`` [m]."""
        return np.array(self._kinematics.position_com_in_world)

    @property
    def effector_poses(self) -> np.ndarray:
        """Poses of the effectors' contact frames in world in the state last tracked, shape ``(effectors, 4, 4)`` (view)."""
        return self._kinematics.poses[: len(self._model.effectors)]

    def track(self, reference: Reference, state: RobotState) -> JointCommand:
        """Return the joint torques that track ``reference`` from ``state`` for one control period.

        Where a joint cannot be kept inside its limits, or brought back, as fast as asked (an arm that sags under a load), the
        limits of the arms are left out of account, and those of all joints if need be: a limb is degraded, never the balance.
        """
        solution = self._solver.solve(self.build(reference, state))
        for joints in (self._arms, self._all_joints):
            if solution.solved:
                break
            solution = self._solver.solve(self._leave_limits(joints))
            self.relaxed += solution.solved
        return self.apply(solution, state)

    def rest(self) -> None:
        """Take note that the robot did something else than was asked for: what comes next begins without a difference."""
        self._drives.forget()
        self._displacement = np.zeros(2)
        self.base_acceleration = np.zeros(3)

    def _leave_limits(self, joints: np.ndarray) -> QuadraticProgram:
        """Return the program last built without limits of some joints' positions; the motors' torques keep theirs."""
        self._program.joint_lower[joints] = -INFINITY
        self._program.joint_upper[joints] = INFINITY
        return self._program.condense()

    def apply(self, solution: QpSolution, state: RobotState) -> JointCommand:
        """Return the command that the solution of the program last built asks for; without one the last torques again."""
        self._drives.choose_gains(self._mass_matrix, state.time)
        positions, velocities = state.q[7:], state.v[6:]
        if solution.solved and self._reference is not None:
            x = self._program.expand(solution.x)
            self._torques = self._compute_torques(x)
            positions, velocities = self._drives.update(x[6 : self._model.nv], self._reference, state)
            self.base_acceleration = x[:3].copy()
            self.failures_in_a_row = 0
        else:
            self.rest()
            self.failures += 1
            self.failures_in_a_row += 1
        return JointCommand(
            time=state.time,
            positions=positions,
            velocities=velocities,
            torques=self._torques,
            stiffness=self._drives.stiffness,
            damping=self._drives.damping,
        )

    def build(self, reference: Reference, state: RobotState) -> QuadraticProgram:
        """Return the quadratic program of one control period; nothing is commanded yet."""
        if reference is not self._reference:
            self._take_over(reference)
        self._update_dynamics(state)
        program, kinematics, p = self._program, self._kinematics, self._parameters
        costs = (program.cost_rows, program.cost_targets)
        motion = (kinematics.poses, kinematics.jacobians, self._velocities, self._drifts)
        targets = (self._target_poses, self._target_velocities, self._target_accelerations)
        fill_contact_jacobian(
            kinematics.jacobians,
            kinematics.poses,
            self._contacts,
            self._stance.planes,
            self._stance.arms,
            program.contact_jacobian,
        )
        fill_contact_accelerations(
            self._contacts,
            self._stance.planes,
            self._stance.arms,
            kinematics.poses,
            self._velocities,
            self._drifts,
            p.contact_damping,
            program.contact_targets,
        )
        self._press_hands()
        fill_dynamics(
            self._mass_matrix,
            self._bias,
            program.contact_jacobian,
            self._model.motor_torques,
            (program.base_rows, program.base_offset),
            (program.limit_rows, program.limit_lower, program.limit_upper),
        )
        self._fill_com_task(reference, state.time)
        hands = (p.hand_position, p.hand_orientation)
        fill_pose_tasks(self._free, targets, motion, hands, p.hand_stiffness, 3, costs)
        swing, after_drawn = (p.swing_position, p.swing_orientation), 3 + 6 * self._free.size
        fill_pose_tasks(self._swinging, targets, motion, swing, p.swing_stiffness, after_drawn, costs)
        after_free = after_drawn + 6 * self._swinging.size
        fill_pose_tasks(self._bracing, targets, motion, (0.0, p.hand_orientation), p.hand_stiffness, after_free, costs)
        after_hands = after_free + 3 * self._bracing.size
        fill_pose_tasks(self._trunk, targets, motion, (0.0, p.trunk), p.trunk_stiffness, after_hands, costs)
        self._fill_joint_terms(reference, state)
        return program.condense()

    def _press_hands(self) -> None:
        """Go on pressing hands that brace to where the reference has them, which is ahead of what they touch.

        Until they are loaded nothing else would hold them where they are. No further than a hand is pressed on at first: a
        reference that is far off for another reason is not to be followed through a wall.
        """
        for k, effector in self._pressing:
            ahead = (self._target_poses[effector] - self._kinematics.poses[effector])[:3, 3]
            rows = slice(self._stance.offsets[k], self._stance.offsets[k] + 3)
            self._program.contact_targets[rows] += self._parameters.hand_stiffness * clamp_norm(ahead, MOST_PRESSED)

    def _take_over(self, reference: Reference) -> None:
        """Prepare for a new reference; a change of contacts makes a new program."""
        swings = reference.effector_accelerations is not None
        if self._flags is None or swings != self._swings or not np.array_equal(reference.contacts, self._flags):
            self._set_stance(reference)
        self._reference = reference
        self._wanted.update(reference.q)
        effectors = len(self._model.effectors)
        self._target_poses[:effectors] = reference.effector_poses
        self._target_poses[effectors:] = self._wanted.poses[effectors:]
        self._target_velocities[:effectors] = reference.effector_velocities
        self._target_velocities[effectors:] = self._wanted.jacobians[effectors:] @ reference.v
        self._target_accelerations[:effectors] = 0.0 if not swings else reference.effector_accelerations
        self._aim_at_wrenches(self._stance.stack(reference.contact_wrenches))

    def _aim_at_wrenches(self, wrenches: np.ndarray) -> None:
        """Ask for the reference's wrenches, shape ``(l,)``; what must differ from them is shared as the load is.

        With weights that go with the inverse of the load every contact's force changes by the same part of it. Were they
        alike, all would take the same of the force that moves the centre of mass, and the lightest one slip first.
        """
        nv, stance = self._model.nv, self._stance
        targets, weights = self._program.targets[nv:], self._program.weights[nv:]
        fill_wrench_costs(wrenches, stance.normals, self._wrench_weights, self._owners, LEAST_SHARE, targets, weights)

    def _set_stance(self, reference: Reference) -> None:
        model, p = self._model, self._parameters
        self._flags = reference.contacts.copy()
        self._drives.lift(self._flags)
        contacts = [int(e) for e in np.flatnonzero(reference.contacts)]
        normals = {e: reference.contact_normals[e] for e in contacts}
        inset = model.description.margins.controller
        self._stance = Stance(model, contacts, inset=inset, friction_scale=GRIP, surface_normals=normals)
        stance = self._stance
        self._contacts, self._feet = np.array(stance.effectors), np.array(stance.feet)
        free = np.flatnonzero(~reference.contacts)
        described = model.effectors
        self._swings = reference.effector_accelerations is not None
        swinging = np.array([described[e].is_foot for e in free], dtype=bool)
        self._swinging, self._free = free[swinging], free[~swinging]
        # Hands that brace on a point could still turn, and would roll away.
        bracing = [e for e in contacts if not described[e].is_foot and described[e].contact == "point"]
        self._bracing = np.array(bracing, dtype=np.int64)
        self._pressing = tuple((k, e) for k, e in enumerate(stance.effectors) if e in bracing)
        cones, normal_rows = stance.cone.shape[0], stance.normals.shape[0]
        self._program = WholeBodyProgram(
            stance,
            model.nv,
            _DEPENDENCE,
            costs=3 + 6 * free.size + 3 * self._bracing.size + 3 * self._trunk.size,
            limits=model.n + cones + normal_rows,
        )
        program, nv, n = self._program, model.nv, model.n
        program.limit_rows[n : n + cones, nv:] = stance.cone
        program.limit_upper[n : n + cones] = 0.0
        program.limit_rows[n + cones :, nv:] = stance.normals
        program.limit_lower[n + cones :] = 0.0
        program.limit_upper[n + cones :] = 2.0 * stance.max_normal / FORCE_UNIT
        program.weights[:6] = p.regularisation
        program.weights[6:nv] = p.posture + p.regularisation
        points = len(stance.effectors) - stance.planes
        self._wrench_weights = np.array(([p.force] * 3 + [p.moment] * 3) * stance.planes + [p.force] * 3 * points)
        # The contact every component of the stacked wrenches belongs to.
        self._owners = np.repeat(np.arange(len(stance.effectors)), [6] * stance.planes + [3] * points)

    def _update_dynamics(self, state: RobotState) -> None:
        model, data = self._model.pinocchio, self._kinematics.data
        pin.computeAllTerms(model, data, state.q, state.v)
        pin.centerOfMass(model, data, state.q, state.v, self._no_acceleration)
        self._kinematics.read_data()
        fill_frame_motion(
            self._kinematics.poses,
            self._kinematics.jacobians,
            self._kinematics.placements,
            state.v,
            self._kinematics.joints,
            self._joint_motions,
            self._velocities,
            self._drifts,
        )

    def _fill_com_task(self, reference: Reference, time: float) -> None:
        kinematics, p = self._kinematics, self._parameters
        fill_com_task(
            (kinematics.position_com_in_world, self._velocity_com, self._drift_com, kinematics.jacobian_com),
            (reference.position_com_in_world, reference.velocity_com_in_world, reference.acceleration_com_in_world),
            (time - reference.time, reference.natural_frequency),
            reference.support_polygon,
            kinematics.poses,
            self._feet,
            (p.com, p.com_stiffness, p.dcm_gain),
            (self._program.cost_rows, self._program.cost_targets),
            (self._displacement, self._learn(self._elapse(time)), MAX_DISPLACEMENT),
        )

    def _learn(self, dt: float) -> float:
        """Return how much of an error is learnt in a period.

        Nothing while hands brace, whose forces would change without the reference, and while feet swing, which takes longer
        than learning.
        """
        if self._bracing.size:
            return 0.0
        if not self._swings:
            return self._parameters.dcm_integral * dt
        self._displacement *= max(0.0, 1.0 - dt / FORGETTING)
        return 0.0

    def _elapse(self, time: float) -> float:
        """Return how long it is since the last state [s]; 0 where that says nothing of this one."""
        dt, self._time = time - self._time, time
        return dt if 0.0 < dt <= LONGEST_PERIOD else 0.0

    def _fill_joint_terms(self, reference: Reference, state: RobotState) -> None:
        p, program = self._parameters, self._program
        fill_joint_terms(
            (reference.q, reference.v),
            (state.q, state.v),
            (p.posture_stiffness, p.posture / (p.posture + p.regularisation)),
            (self._model.lower, self._model.upper),
            (p.limit_horizon, p.limit_recovery),
            (program.targets, program.joint_lower, program.joint_upper),
        )

    def _compute_torques(self, x: np.ndarray) -> np.ndarray:
        r"""Compute :math:`\tau = M \ddot q + h - J^T \lambda`, shape ``(n,)`` [Nm], from the limit rows."""
        n = self._model.n
        return FORCE_UNIT * (self._program.limit_rows[:n] @ x) + self._bias[6:]
