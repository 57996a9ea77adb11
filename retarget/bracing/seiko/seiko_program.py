"""SEIKO's program of one stance: which tasks and limits it has, and what they are given of each step."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from handhold.retarget.bracing.seiko.balance import Balance
from handhold.retarget.bracing.seiko.contact_switch import BALANCE
from handhold.retarget.bracing.seiko.contact_terms import ContactTerms, fill_contact_terms
from handhold.retarget.bracing.seiko.equilibrium_rows import scale_down
from handhold.retarget.bracing.seiko.external_forces import ExternalForces
from handhold.retarget.bracing.seiko.parameters import SeikoParameters
from handhold.retarget.bracing.seiko.preferred_posture import PreferenceTask
from handhold.retarget.bracing.seiko.seiko_step import SeikoTargets
from handhold.retarget.bracing.seiko.static_equilibrium import StaticEquilibrium
from handhold.robots.contact import Stance
from handhold.robots.contact_kind import ContactKind
from handhold.robots.grasp import NO_PUSH, Load
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel
from handhold.robots.programs.whole_body_program import Dependence, WholeBodyProgram
from handhold.robots.qp import QuadraticProgram
from handhold.robots.self_collision import SelfCollision
from handhold.robots.tasks.center_of_mass import CenterOfMassTask
from handhold.robots.tasks.contact_motion import ContactPoses
from handhold.robots.tasks.dcm_limit import DcmLimit
from handhold.robots.tasks.equation_of_motion import EquationOfMotion
from handhold.robots.tasks.external_force import ExternalForceLimits, ExternalForceTask
from handhold.robots.tasks.ground_clearance import GroundClearance
from handhold.robots.tasks.joint_limits import JointLimits
from handhold.robots.tasks.load_admission import LoadAdmissionLimits, LoadAdmissionTask
from handhold.robots.tasks.normal_force import NormalForceTask
from handhold.robots.tasks.normal_force_limits import NormalForceLimits
from handhold.robots.tasks.pose import FrameTargets, PoseTask
from handhold.robots.tasks.posture import BaseDamping, PostureTask
from handhold.robots.tasks.self_collision import SelfCollisionLimit
from handhold.robots.tasks.task import FORCE_UNIT, DiagonalTask, Limit
from handhold.robots.tasks.torque_limits import TorqueLimits
from handhold.robots.tasks.torques import TorqueTask
from handhold.robots.tasks.turning import TurningTask
from handhold.robots.tasks.upright import UprightLimits
from handhold.robots.tasks.wrench import WrenchTask
from handhold.robots.tasks.wrench_cone import WrenchCone
from handhold.robots.tasks.zmp import ZmpTask

# Weights of the unknowns that nothing else would hold when no foot stands flat.
_BASE_WEIGHT = 1e-3

# In a step no more than this is taken back of the contacts' errors [m], [rad] and of the balance's [N], [Nm]: after a push
# they are large, and taking them back at once would be infeasible.
MAX_CORRECTION, MAX_BALANCE_CORRECTION = 2e-4, 1.0

# Of contacts that the legs can hardly move, in a step [m], [rad].
# A motion along such a row turns it: with five times as much the next one overshot, step after step (H1's hips).
_DEPENDENCE = Dependence(tolerance=1e-7, max_change=1e-4)

# How much more a joint velocity costs when the robot is to come to rest as soon as it can.
_BRAKE = 1e3


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class StepStart:
    """Where a step begins.

    Attributes:
        q: Desired configuration, shape ``(nq,)``.
        wrenches: Desired wrenches, stacked, shape ``(l,)``.
        external: Forces of others on the effectors that the program was made with.
        load: What the object weighs that is held, and who pushes it.
        next_load: What that is to be after the step.
        velocity_com: Of the last step, shape ``(3,)`` [m/s].
        omega: Natural frequency of the pendulum [rad/s].
        base_height: Height of the base over the feet [m].
        speeds: Largest speeds of the joints, shape ``(n,)`` [rad/s].
        measured_joints: Where the joints were measured last, shape ``(n,)``; None before anything was.
        balance: What is to hold the DCM.
        contact_removed: Whether a contact has gone since the last step.
    """

    q: np.ndarray
    wrenches: np.ndarray
    external: ExternalForces
    load: Load
    next_load: Load
    velocity_com: np.ndarray
    omega: float
    base_height: float
    speeds: np.ndarray
    measured_joints: np.ndarray | None
    balance: Balance
    contact_removed: bool


class SeikoProgram:
    """The program of a stance.

    Attributes:
        program: Its arrays, as last built.
        bracing: Indices of the hands that brace on a point, which may still turn.
        wrench_weights: Weights of the stacked wrenches of enabled contacts, shape ``(l,)``.
    """

    def __init__(
        self,
        model: RobotModel,
        stance: Stance,
        kinematics: EffectorKinematics,
        equilibrium: StaticEquilibrium,
        parameters: SeikoParameters,
        balance_rows: int,
        collision: SelfCollision,
        pushed: Sequence[int] = (),
    ) -> None:
        """Lay out the tasks and limits of a stance.

        Args:
            model: Robot.
            stance: Contacts.
            kinematics: Of the desired configuration; updated before every step.
            equilibrium: Likewise.
            parameters: Weights, clamps and rates.
            balance_rows: Largest number of half-planes that hold the DCM.
            collision: Distances of the robot's bodies.
            pushed: Indices of free effectors and touch points whose external forces are balanced.
        """
        self._model, self._stance, self._parameters = model, stance, parameters
        self._contacts = ContactPoses(stance, kinematics, kinematics.poses, pushed)
        self._equation = EquationOfMotion(self._contacts, equilibrium.derivative, equilibrium.residual)
        self._make_tasks(kinematics)
        self._make_limits(kinematics, balance_rows, collision)
        torques = TorqueTask(self._equation, parameters.torque)
        # What is bolted down needs no balance, and its base goes nowhere.
        base_tasks = () if stance.fixed else (self._zmp, self._com, self._turning)
        tasks = (torques, self._poses, self._forces, *base_tasks, self._preferences, self._posture, self._wrenches)
        self._external = ExternalForceTask(model.nv + stance.size, self._weigh_pushes(pushed))
        forces = self._choose_force_limits()
        base_limits = () if stance.fixed else (self._upright, self._clearance, self._dcm)
        motion_limits = (*base_limits, self._collision)
        last = model.nv + len(self._contacts.force_jacobian) - 1
        self._admission = LoadAdmissionTask(last, parameters.external_force)
        others_tasks: tuple[DiagonalTask, ...] = (self._external,) if pushed else ()
        others_limits: tuple[Limit, ...] = (ExternalForceLimits(self._external),) if pushed else ()
        if stance.grasp is not None:
            others_tasks += (self._admission,)
            others_limits += (LoadAdmissionLimits(last),)
        self.program = WholeBodyProgram(
            self._contacts,
            self._equation,
            _DEPENDENCE,
            tasks=(*tasks, *others_tasks, BaseDamping(_BASE_WEIGHT)),
            limits=(*forces, *motion_limits, *others_limits, self._joint_limits),
        )

    def _weigh_pushes(self, pushed: Sequence[int]) -> list[float]:
        """Return the weight of each force of others: those on touch points follow those on effectors."""
        effectors, p = len(self._model.effectors), self._parameters
        return [p.external_force if e < effectors else p.body_force for e in pushed]

    def _make_tasks(self, kinematics: EffectorKinematics) -> None:
        model, stance, p = self._model, self._stance, self._parameters
        frames, weights = self._choose_posed_effectors()
        self._targets = FrameTargets.at_rest(kinematics)
        self._poses = PoseTask(kinematics, frames, self._targets, weights=weights)
        count = len(model.effectors)
        self._forces = NormalForceTask(stance, model.nv, p.push, np.full(count, np.nan), np.zeros(count))
        self._zmp, self._com = ZmpTask(kinematics), CenterOfMassTask(kinematics, math.sqrt(p.com))
        self._turning = TurningTask(kinematics.data.oMi[1].rotation, p.turn)
        self._preferences = PreferenceTask(model)
        self._posture = PostureTask(model, model.q_nominal[7:].copy())
        self._posture.clamp = p.posture_clamp
        plane = FORCE_UNIT**2 * np.array([p.force] * 3 + [p.moment] * 2 + [p.twist])
        self._wrenches = WrenchTask(stance, model.nv, plane, FORCE_UNIT**2 * np.full(3, p.force))
        self.wrench_weights = self._wrenches.base_weights

    def _choose_posed_effectors(self) -> tuple[np.ndarray, np.ndarray]:
        """Choose the effectors whose poses have a cost: free ones, and hands that brace on a point, which may still turn.

        Of two that hold an object the first one's: the other one follows.
        """
        effectors, supporting, p = self._model.effectors, self._stance.effectors, self._parameters
        free = [e for e in range(len(effectors)) if e not in supporting or e in self._stance.carrying]
        hands = [e for e in supporting if not effectors[e].is_foot and effectors[e].contact is ContactKind.POINT]
        turns = [p.sole_orientation if effectors[e].contact is ContactKind.PLANE else p.orientation for e in free]
        pulls = [p.sole_position if effectors[e].is_foot else p.position for e in free]
        poses = [[pull] * 3 + [turn] * 3 for pull, turn in zip(pulls, turns, strict=True)]
        self.bracing = np.array(hands, dtype=np.int64)
        self._free_feet = np.array([k for k, e in enumerate(free) if effectors[e].is_foot], dtype=np.int64)
        self._swing_feet = np.array([e for e in free if effectors[e].is_foot], dtype=np.int64)
        weights = np.array(poses + [[0.0] * 3 + [p.orientation] * 3] * len(hands)).reshape(-1, 6)
        return np.array(free + hands, dtype=np.int64), weights

    def _make_limits(self, kinematics: EffectorKinematics, balance_rows: int, collision: SelfCollision) -> None:
        model, stance, p = self._model, self._stance, self._parameters
        names = tuple(effector.name for effector in model.effectors)
        self._torque_limits = TorqueLimits(self._equation, model.torque_limits, model.joint_names)
        self._cone = WrenchCone(stance, model.nv)
        self._normal_forces = NormalForceLimits(stance, model.nv, names, stance.min_normal, stance.max_normal)
        self._cone.barriers = self._normal_forces.barriers
        base = kinematics.data.oMi[1]
        self._upright = UprightLimits(base.rotation, math.cos(p.max_tilt), p.min_height * model.q_nominal[2])
        self._clearance = GroundClearance(model, kinematics, self._swing_feet)
        self._dcm = DcmLimit(kinematics, balance_rows, BALANCE)
        self._collision = SelfCollisionLimit(model, kinematics, collision)
        self._joint_limits = JointLimits(model, model.lower, model.upper)
        self._joint_limits.clamp = p.measured_clamp

    def _choose_force_limits(self) -> tuple[Limit, ...]:
        if self._parameters.force_limits:
            return self._torque_limits, self._cone, self._normal_forces
        # Palms press with their grip even so: an object that is not gripped cannot be compared.
        return (self._normal_forces,) if self._stance.grasp is not None else ()

    def build(
        self, start: StepStart, terms: ContactTerms, targets: SeikoTargets, dt: float, barrier: float, posture: float
    ) -> QuadraticProgram:
        """Return the quadratic program of one step.

        Args:
            start: Where the step begins.
            terms: What is asked of each effector's contact.
            targets: What the step is to follow.
            dt: Length of the step [s].
            barrier: Fastest rate at which the distance to a limit may shrink [1/s].
            posture: How much harder the nominal posture pulls than the parameters say [-].
        """
        # The step after a contact has gone may use all there is, so that the others can take over the little it still bore.
        part = 1.0 if start.contact_removed else dt * barrier
        self._set_targets(start, targets, dt, posture)
        self._set_contact_targets(start, terms, dt, part)
        self._set_limits(start, terms, dt, part, dt * barrier)
        self.program.fill()
        scale_down(self._contacts.targets, MAX_CORRECTION)
        # What a contact still bore that has just gone is taken over by the others at once: nothing has to move for that.
        scale_down(self._equation.base_offset, math.inf if start.contact_removed else MAX_BALANCE_CORRECTION)
        return self.program.condense()

    def _set_targets(self, start: StepStart, targets: SeikoTargets, dt: float, posture: float) -> None:
        """Set the targets of the tasks of poses, posture and centre of mass."""
        p, eagerness = self._parameters, 1.0 - targets.rest
        self._targets.poses[: len(targets.effector_poses)] = targets.effector_poses
        self._poses.clamps[:] = eagerness * p.position_clamp, eagerness * p.orientation_clamp
        self._poses.clamps[self._free_feet, 0] = eagerness * min(p.position_clamp, p.foot_speed * dt)
        self._posture.q = start.q
        self._posture.damping = p.velocity * 1e-3 / dt * _BRAKE**targets.rest * 10.0**targets.rest_damping
        self._posture.stiffness.fill(posture * p.posture)
        self._zmp.update(start.velocity_com, start.omega, dt, p.zmp * (dt / 1e-3) ** 2)
        self._com.desired, self._com.duration = targets.velocity_com_in_world, dt
        self._turning.rate, self._turning.duration = targets.yaw_rate, dt
        self._preferences.follow(targets.preferences, eagerness)

    def _set_contact_targets(self, start: StepStart, terms: ContactTerms, dt: float, part: float) -> None:
        """Set the targets of contacts and forces."""
        p, weight = self._parameters, self._model.weight
        self._contacts.poses, held = terms.poses, self._contacts.held
        held.load, held.next_load, held.wrenches = start.load, start.next_load, start.wrenches
        self._admission.change = start.load.measure_change(start.next_load)
        self._wrenches.aim(-start.wrenches)
        for k, hand in enumerate(self.bracing.tolist(), start=-len(self.bracing)):
            # A force that is to vanish outweighs all else: for it the hand would turn by radians, and roll away.
            self._poses.weights[k, 3:] = p.orientation * terms.weights[hand]
        self._forces.wrenches, self._forces.max_change = start.wrenches, p.push_rate * weight * dt
        self._forces.desired, self._forces.insistence = terms.desired_forces, terms.insistence
        # What a contact bore that has just gone is taken over by the others at once.
        max_change = math.inf if start.contact_removed else dt * p.force_rate * weight
        limits = self._normal_forces
        fill_contact_terms(
            self._contacts.effectors,
            (terms.weights, terms.unloading, terms.min_forces),
            (part, max(part, min(1.0, dt * p.release))),
            (max_change, dt * p.unload_rate * weight),
            (self._wrenches.multipliers, limits.barriers, limits.min_forces, limits.max_decrease),
        )
        self._admission.eagerness = 1.0 if start.next_load.push is NO_PUSH else p.push_eagerness
        if start.next_load.push is not NO_PUSH:
            # The grip has to grow as fast as the push that it is to hold, and torques with it.
            grips, part = list(self._stance.held), max(part, min(1.0, dt * p.grip_barrier))
            limits.barriers[grips] = np.maximum(limits.barriers[grips], part)
        limits.wrenches, limits.max_increase = start.wrenches, max_change
        self._cone.wrenches, self._torque_limits.barrier = start.wrenches, part
        if start.external.pushed:
            # Torques have to grow as fast as the push that they are to bear.
            self._torque_limits.barrier = max(part, min(1.0, dt * p.push_barrier))
            self._external.missing, self._external.max_change = start.external.missing.ravel(), p.external_force_rate * dt

    def _set_limits(self, start: StepStart, terms: ContactTerms, dt: float, part: float, approach: float) -> None:
        """Set the limits of joints, base, feet and balance for this step."""
        p, joints, dcm, balance = self._parameters, self._joint_limits, self._dcm, start.balance
        joints.q, joints.barrier, joints.measured = start.q, part, start.measured_joints
        np.multiply(dt, start.speeds, out=joints.max_change)
        self._upright.height, self._upright.barrier = start.base_height, dt * p.barrier
        self._clearance.barrier = dt * p.barrier
        if self._clearance.row_count:
            self._clearance.floors = np.where(terms.approaching, -np.inf, terms.floors)
        dcm.normals, dcm.distances, dcm.room = balance.normals, balance.distances, balance.zmp_room
        dcm.velocity, dcm.omega, dcm.duration = start.velocity_com, start.omega, dt
        self._collision.barrier, self._collision.duration = approach, dt
