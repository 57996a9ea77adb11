r"""SEIKO: sequential equilibrium and inverse kinematics optimisation [Rouxel2022]_.

Every step linearises the robot's static equilibrium at its desired configuration and takes the one step
:math:`(\Delta q, \Delta\lambda)` that best follows the operator among those that stay feasible:

.. math::

    \min \; & \|\dot\theta\|^2_{w_{velocity}} + \|\tau\|^2_{w_{torque}}
    + \sum_i \|\lambda^{target}_i - \lambda_i\|^2_{w_{contact,i}} + \|Clamp(\theta^{target} - \theta)\|^2_{w_{posture}} \\
    & + \sum_i \|ClampNorm(X^{target}_i \ominus X_i)\|^2 \quad (4) \\
    \text{s.t. } & [(\partial G/\partial q_B - H_B), -J_B^T] \Delta x + G_B - J_B^T \lambda = 0 \quad (15) \qquad
    X^{target}_i \ominus X_i + J_i \Delta q = 0 \quad (6, 8) \\
    & |\tau + \Delta\tau| \leq \tau_{max}, \quad \tau + \Delta\tau = T \Delta x + t \quad (16) \\
    & \theta_{min} \leq \theta + \Delta\theta \leq \theta_{max}, \quad |\Delta\theta| \leq \dot\theta_{max} dt, \quad
    \text{contacts neither slip, tilt, twist nor pull.}
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pinocchio as pin

from handhold.retarget.bracing.balance import Balance
from handhold.retarget.bracing.contact_following import follow_contacts, measure_contact_error
from handhold.retarget.bracing.contact_switch import BALANCE
from handhold.retarget.bracing.contact_terms import ContactTerms
from handhold.retarget.bracing.ground_rows import fill_ground_rows, find_lowest, list_corners
from handhold.retarget.bracing.lip_rows import fill_lip_rows, fill_zmp_costs
from handhold.retarget.bracing.parameters import SeikoParameters
from handhold.retarget.bracing.preferred_posture import count_preferences
from handhold.retarget.bracing.seiko_rows import (
    add_point_force_terms,
    compute_rolling,
    fill_balance,
    fill_commanded_motion,
    fill_contact_limits,
    fill_contact_targets,
    fill_effector_costs,
    fill_force_costs,
    fill_joint_terms,
    fill_upright_rows,
    place_wrenches_in_joints,
    scale_down,
)
from handhold.retarget.bracing.seiko_step import SeikoStep, SeikoTargets, Shortcomings
from handhold.retarget.bracing.settling import settle
from handhold.robots.contact import Stance
from handhold.robots.kinematics import EffectorKinematics, fill_contact_jacobian
from handhold.robots.model import GRAVITY, LEAST_PENDULUM, RobotModel
from handhold.robots.qp import INFINITY, QpSolution, QpSolver, QuadraticProgram
from handhold.robots.self_collision import SelfCollision
from handhold.robots.whole_body_program import FORCE_UNIT, Dependence, WholeBodyProgram

# Weights of the unknowns that nothing else would hold when no foot stands flat.
_BASE_WEIGHT = 1e-3

# In a step no more than this is taken back of the contacts' errors [m], [rad] and of the balance's [N], [Nm]: after a push
# they are large, and taking them back at once would be infeasible.
_MOST_CORRECTED, _MOST_BALANCED = 2e-4, 1.0

# Of contacts that the legs can hardly move, in a step [m], [rad].
# A motion along such a row turns it: with five times as much the next one overshot, step after step (H1's hips).
_DEPENDENCE = Dependence(tolerance=1e-7, most=1e-4)

# Contacts are taken over no faster than half of that: a foot that was loaded 6 cm from the reference's would outrun it.
_MOST_TAKEN_OVER = 0.5 * _MOST_CORRECTED

# Joints that were pushed further than this many clamps from the reference take it with them.
_PUSHED = 2.0

# How much more a joint velocity costs when the robot is to come to rest as soon as it can.
_BRAKE = 1e3


class Seiko:
    r"""The desired configuration of the robot, moved step by step.

    Attributes:
        stance: Contacts in force.
        balance: What holds the reference's DCM on them.
        q: Desired configuration, shape ``(nq,)``.
        v: Velocity of the last step, shape ``(nv,)``.
        wrenches: Desired contact wrenches, stacked as the stance says, shape ``(l,)``.
        residual: :math:`G - J^T \lambda` at the desired configuration, shape ``(nv,)``: the base's disequilibrium, then the
            joint torques [N, Nm].
        terms: What is asked of each effector's contact.
        velocity_com: Velocity of the centre of mass over the last step, shape ``(3,)`` [m/s].
        acceleration_com: Change of that velocity over the last step, shape ``(3,)`` [m/s^2].
        kinematics: Poses and Jacobians at the desired configuration.
        self_collision: Distances between the robot's own bodies, as of the program last built.
    """

    def __init__(
        self,
        model: RobotModel,
        stance: Stance,
        q: np.ndarray,
        solver: QpSolver,
        parameters: SeikoParameters | None = None,
        *,
        terms: ContactTerms | None = None,
    ) -> None:
        """Start at a configuration whose contacts are where they are to stay; ``settle`` makes it an equilibrium.

        Args:
            model: Robot.
            stance: Contacts in force.
            q: Configuration, shape ``(nq,)``.
            solver: Solves the quadratic programs.
            parameters: Weights, clamps and rates; None for the defaults.
            terms: What is asked of each effector's contact; None for contacts on level ground where they are.
        """
        self._model = model
        self._solver = solver
        self.parameters = parameters or SeikoParameters()
        self.kinematics = EffectorKinematics(model)
        self.q = q.copy()
        self.v = np.zeros(model.nv)
        self.velocity_com = np.zeros(3)
        self.acceleration_com = np.zeros(3)
        self._posture = model.q_nominal[7:].copy()
        self._speeds = _limit_body(model, self.parameters.body_speed)
        self._load_speeds = _limit_body(model, self.parameters.load_speed)
        self._unload_speeds = np.minimum(self._speeds, self.parameters.unload_speed)
        # Where the joints were measured last; none before anything was measured, and in a look ahead.
        self._measured_joints: np.ndarray | None = None
        # A contact that bears nothing any more, and what will hold the DCM without it; None before there is one.
        self._without: tuple[int, Balance] | None = None
        # Whether a contact has gone since the last step.
        self._fresh = False
        self.self_collision = SelfCollision(model)
        self._external = pin.StdVec_Force([pin.Force.Zero() for _ in range(model.pinocchio.njoints)])
        self._derivative = np.zeros((model.nv, model.nv))
        self._corners = list_corners(model)
        self._radii = np.array([effector.radius for effector in model.effectors])
        self.kinematics.update(self.q)
        self.residual = self.kinematics.data.tau
        base = self.kinematics.data.oMi[1]
        self._base_rotation, self._base_position = base.rotation, base.translation
        self.terms = terms or ContactTerms.begin(model, self.kinematics.poses)
        self.set_stance(stance, np.zeros(stance.size))
        self.wrenches = self._share_weight()
        self.refresh()

    @property
    def program(self) -> WholeBodyProgram:
        """The program of the present stance, as last built."""
        return self._program

    @property
    def bracing_hands(self) -> tuple[int, ...]:
        """Hands that bear on a point, and may turn there."""
        return tuple(self._bracing.tolist())

    @property
    def joint_torques(self) -> np.ndarray:
        """Joint torques of the static equilibrium, shape ``(n,)`` [Nm]."""
        return self.residual[6:].copy()

    @property
    def equilibrium_error(self) -> float:
        """Largest force or moment missing to the base's equilibrium [N, Nm]."""
        return float(np.abs(self.residual[:6]).max())

    @property
    def torque_overshoot(self) -> float:
        """Largest excess of a joint torque over its limit [Nm]."""
        return float(max(0.0, (np.abs(self.residual[6:]) - self._model.torque_limits).max()))

    @property
    def contact_excess(self) -> float:
        """Largest excess of the contact wrenches over friction, tilting, torsion and normal force bounds [N]."""
        stance = self.stance
        normal = stance.normals @ self.wrenches
        least = self.terms.least_forces[self._contacts]
        excess = (stance.cone @ self.wrenches, least - normal, normal - stance.max_normal)
        return float(max(0.0, *(part.max(initial=0.0) for part in excess)))

    @property
    def contact_error(self) -> float:
        """Largest distance of a contact from where it must be [m]."""
        return float(measure_contact_error(self._contacts, self.terms.poses, self.kinematics.poses))

    @property
    def shortcomings(self) -> Shortcomings:
        """What is missing to a feasible equilibrium."""
        torques = np.abs(self.residual[6:]) - self._model.torque_limits
        joints = np.maximum(self._model.lower - self.q[7:], self.q[7:] - self._model.upper)
        return Shortcomings(
            contact=self.contact_error,
            equilibrium=self.equilibrium_error,
            force=self.contact_excess,
            torques=torques,
            joints=joints,
            joint_names=self._model.joint_names,
        )

    def compute_force(self, effector: int) -> float:
        """Compute the norm of the force at a contact [N]; 0 where the effector does not bear."""
        if effector not in self.stance.effectors:
            return 0.0
        first = self.stance.offsets[self.stance.effectors.index(effector)]
        return float(np.linalg.norm(self.wrenches[first : first + 3]))

    def compute_normal_force(self, effector: int) -> float:
        """Compute the normal force at a contact [N]; 0 where the effector does not bear."""
        if effector not in self.stance.effectors:
            return 0.0
        return float(self.stance.normals[self.stance.effectors.index(effector)] @ self.wrenches)

    def compute_share(self, effector: int) -> float:
        """Compute the normal force that a foot would bear if all feet bore alike [N]; 0 for a hand, which need not bear."""
        if not self._model.effectors[effector].is_foot:
            return 0.0
        return self._model.weight / len(self.stance.feet)

    def compute_least_force(self, effector: int) -> float:
        """Compute the least normal force of a contact that bears [N]."""
        return self._model.effectors[effector].min_normal_force

    def let_others_hold(self, effector: int) -> bool:
        """Hold the DCM where the other contacts will hold it, from the next step on while this one leaves.

        Without the contact the region may end within millimetres of the centre of mass though the contact bears nothing any
        more. Where feet alone stay nothing is asked: over them its place is what takes the last force off a hand.

        Args:
            effector: Place of the effector whose contact is being removed, and bears nothing any more.

        Returns:
            Whether the DCM is there, or could still be brought there without this contact.
        """
        others = tuple(e for e in self.stance.effectors if e != effector)
        if all(e in self.stance.feet for e in others):
            return True
        if self._without is None or self._without[0] != effector:
            self._without = effector, self._find_balance(others)
            self._without[1].update(self.terms)
        balance = self._without[1]
        dcm = self.kinematics.position_com_in_world[:2] + self.velocity_com[:2] / self.pendulum_frequency
        return balance.edge is not None and balance.compute_slack(dcm) >= -balance.zmp_room

    def _choose_holding(self) -> Balance:
        """Choose what is to hold the DCM: that of the others once a contact that is being removed bears nothing any more.

        Where nothing would hold the robot without it, what holds it with it counts still.
        """
        if self._without is None or not self.terms.leaving[self._without[0]]:
            self._without = None
            return self.balance
        balance = self._without[1]
        balance.update(self.terms)
        return self.balance if balance.edge is None else balance

    def _find_balance(self, effectors: tuple[int, ...]) -> Balance:
        normals = {e: self.terms.normals[e] for e in effectors}
        stance = Stance.of_reference(self._model, effectors, normals)
        return Balance(self._model, stance, self.kinematics, self.terms, self.parameters)

    def fork(self) -> Seiko:
        """Return a SEIKO of its own that goes on from here, to look ahead with."""
        fork = Seiko(self._model, self.stance, self.q, self._solver, self.parameters, terms=self.terms.copy())
        if not self.balance.braced:
            # The polygon is as old as the stance, though contacts are taken over where they are measured since.
            fork.set_stance(self.stance, fork.wrenches, self.balance)
        fork.wrenches = self.wrenches.copy()
        fork.v, fork.velocity_com = self.v.copy(), self.velocity_com.copy()
        fork.acceleration_com = self.acceleration_com.copy()
        fork._fresh = self._fresh
        fork.refresh()
        return fork

    def take_over(self, other: Seiko) -> None:
        """Go on from where another one is that stands on the same contacts; cheaper than a fork of it."""
        self.terms = other.terms.copy()
        self.q, self.v, self.wrenches = other.q.copy(), other.v.copy(), other.wrenches.copy()
        self.velocity_com, self.acceleration_com = other.velocity_com.copy(), other.acceleration_com.copy()
        self._fresh = other._fresh
        self.kinematics.update(self.q)
        self.refresh()

    def add_contact(self, effector: int, normal: np.ndarray) -> None:
        """Let an effector bear where it is, with no force yet.

        Args:
            effector: Place of the effector.
            normal: Outward normal in world of the surface under a point contact, unit, shape ``(3,)``.
        """
        self.terms.begin_contact(effector, self.kinematics.poses[effector], normal)
        self._change_contacts((*self.stance.effectors, effector))

    def remove_contact(self, effector: int) -> None:
        """Take a contact out of the stance; what little it still bore falls to the others in the next step."""
        self.terms.leave(effector, leaving=False)
        self.terms.weights[effector] = 1.0
        if self._model.effectors[effector].is_foot:
            self.terms.floors[effector] = min(self._compute_lowest(foot) for foot in self._feet_places)
        self._change_contacts(tuple(e for e in self.stance.effectors if e != effector))
        self._fresh = True

    def _compute_lowest(self, effector: int) -> float:
        """Compute the height in world of the lowest point of a contact [m]."""
        pose = self.terms.poses[effector]
        return float(pose[2, 3] + find_lowest(pose, self._corners[effector], self._radii[effector])[2])

    def _change_contacts(self, effectors: tuple[int, ...]) -> None:
        model = self._model
        rows = self.stance.unstack(self.wrenches, len(model.effectors))
        normals = {e: self.terms.normals[e] for e in effectors}
        stance = Stance.of_reference(model, effectors, normals)
        self.set_stance(stance, stance.stack(rows))
        self.refresh()

    def set_stance(self, stance: Stance, wrenches: np.ndarray, balance: Balance | None = None) -> None:
        """Stand on other contacts, with the wrenches they carry at first, shape ``(l,)``.

        Args:
            stance: Contacts in force.
            wrenches: Their wrenches, stacked.
            balance: What holds the DCM on them; None to find it.
        """
        model = self._model
        self.stance = stance
        self.wrenches = wrenches
        self._contacts = np.array(stance.effectors)
        # The contact every row of the cone belongs to.
        self._owners = np.searchsorted(stance.offsets, np.argmax(stance.cone != 0.0, axis=1), side="right") - 1
        self._feet_places = np.array(stance.feet)
        self._are_planes = np.arange(len(stance.effectors)) < stance.planes
        self._are_feet = np.array([model.effectors[e].is_foot for e in stance.effectors], dtype=bool)
        self._wrench_weights = self._weigh_contacts()
        sizes = [6] * stance.planes + [3] * (len(stance.effectors) - stance.planes)
        self._wrench_owners = np.repeat(self._contacts, sizes)
        self._choose_guided()
        self._without = None
        self.balance = balance or Balance(model, stance, self.kinematics, self.terms, self.parameters)
        planes, cones = len(self.balance.distances), stance.cone.shape[0]
        self._program = WholeBodyProgram(
            stance,
            model.nv,
            _DEPENDENCE,
            costs=model.n + 6 * self._guided.size + len(stance.effectors) + 7 + count_preferences(model),
            limits=model.n + cones + len(stance.effectors) + 2 + self._lifted.size + planes + self.self_collision.row_count,
            soft=planes + self.self_collision.row_count,
        )
        self._first_upright = model.n + cones + len(stance.effectors)
        self._first_ground = self._first_upright + 2
        self._first_lip = self._first_ground + self._lifted.size
        rows = self._program.limit_rows
        rows[model.n : model.n + cones, model.nv :] = stance.cone
        rows[model.n + cones : self._first_upright, model.nv :] = stance.normals
        self._program.weights[:6] = _BASE_WEIGHT
        self._load_joints()
        self._names = self._program.name_multipliers(
            tuple(f"{name} motion" for name in model.joint_names),
            (
                *(f"{name} torque" for name in model.joint_names),
                *stance.cone_names,
                *(f"{model.effectors[e].name} normal force" for e in stance.effectors),
                "base tilt",
                "base height",
                *(f"{model.effectors[e].name} over the ground" for e in self._lifted),
                *(BALANCE,) * planes,
                *("",) * self.self_collision.row_count,
            ),
        )

    def _choose_guided(self) -> None:
        """Choose the effectors whose poses have a cost: free ones, and hands that brace on a point, which may still turn."""
        effectors, bearing = self._model.effectors, self.stance.effectors
        free = [e for e in range(len(effectors)) if e not in bearing]
        hands = [e for e in bearing if not effectors[e].is_foot and effectors[e].contact == "point"]
        self._guided = np.array(free + hands, dtype=np.int64)
        self._lifted = np.array([e for e in free if effectors[e].is_foot], dtype=np.int64)
        position, orientation = self.parameters.position, self.parameters.orientation
        sole, sole_position = self.parameters.sole_orientation, self.parameters.sole_position
        turns = [sole if effectors[e].contact == "plane" else orientation for e in free]
        pulls = [sole_position if effectors[e].is_foot else position for e in free]
        poses = [[pull, turn] for pull, turn in zip(pulls, turns, strict=True)]
        self._guided_weights = np.array(poses + [[0.0, orientation]] * len(hands))
        self._bracing = np.array(hands, dtype=np.int64)

    def follow_contacts(self, measured_poses: np.ndarray, measured_joints: np.ndarray, dt: float) -> None:
        r"""Take over where the robot's contacts and joints really are (Section III-G).

        :math:`X^{target}_i` follows the measured contact through a low pass, but for the orientation of a point contact, which
        is the reference's to choose: a hand that turned with what is measured would roll away. A hand's stays as far ahead of
        what is measured as it was when the contact began: drives that lag behind would draw it off the surface.

        The desired joints go no further than a clamp from the measured ones; a push that takes those further away takes them
        with it: :math:`\theta = \theta_{measured} + Clamp(\theta - \theta_{measured})`.

        Args:
            measured_poses: Poses of all effectors in world, shape ``(effectors, 4, 4)``.
            measured_joints: Joint positions, shape ``(n,)`` [rad].
            dt: Length of the step [s].
        """
        terms = self.terms
        follow_contacts(
            (self._contacts, self._are_planes, self._are_feet),
            terms.poses,
            measured_poses,
            terms.leads,
            terms.normals,
            terms.leaving,
            (dt / (self.parameters.contact_filter + dt), _MOST_TAKEN_OVER, dt),
        )
        self._measured_joints = measured_joints
        most = _PUSHED * self.parameters.measured_clamp
        joints = np.clip(self.q[7:], measured_joints - most, measured_joints + most)
        if not np.array_equal(joints, self.q[7:]):
            # A reference that was already issued keeps its own.
            self.q = np.concatenate([self.q[:7], joints])
            self.kinematics.update(self.q)
            self.refresh()

    def settle(self) -> None:
        """Walk to the nearest feasible equilibrium with the effectors left where they are, as far as limits allow.

        Raises:
            NoEquilibrium: There is none within reach.
        """
        settle(self, self._solver)

    def step(self, targets: SeikoTargets, dt: float) -> SeikoStep:
        """Move the desired configuration by one step: build, solve, integrate.

        Where limits that are violated cannot all be taken back at once (contacts that were measured elsewhere, a push), the
        step takes none of them back.
        """
        solution = self._solver.solve(self.build(targets, dt))
        if not solution.solved:
            self._program.let_be()
            step = self.apply(self._solver.solve(self._program.condense()), dt)
            return replace(step, relaxed=True)
        return self.apply(solution, dt)

    def apply(self, solution: QpSolution, dt: float) -> SeikoStep:
        """Take the step that solves the program last built; without a solution stay where we are."""
        if not solution.solved:
            self.stand_still()
            return SeikoStep(solved=False, active=(), iterations=solution.iterations)
        self._integrate(self._program.expand(solution.x), dt)
        return SeikoStep(solved=True, active=self._name_active(solution.multipliers), iterations=solution.iterations)

    def stand_still(self) -> None:
        """Stop where the desired configuration is."""
        self.v = np.zeros(self._model.nv)
        self.velocity_com = np.zeros(3)
        self.acceleration_com = np.zeros(3)

    def build(
        self, targets: SeikoTargets, dt: float, *, barrier: float | None = None, posture: float = 1.0
    ) -> QuadraticProgram:
        """Return the quadratic program of one step; nothing moves yet.

        Args:
            targets: What the step is to follow.
            dt: Length of the step [s].
            barrier: Fastest rate at which the distance to a limit may shrink, the parameters' where it is None [1/s].
            posture: How much harder the nominal posture pulls than the parameters say [-].
        """
        program, model, parameters = self._program, self._model, self.parameters
        kinematics, stance, terms = self.kinematics, self.stance, self.terms
        # The step after a contact has gone may use all there is, so that the others can take over the little it still bore.
        share = 1.0 if self._fresh else dt * (parameters.barrier if barrier is None else barrier)
        np.multiply(self._wrench_weights, terms.weights[self._wrench_owners], out=program.weights[model.nv :])
        # A force that is to vanish outweighs all else: for it the hand would turn by radians, and roll away.
        turning = self._guided_weights[len(self._guided) - len(self._bracing) :, 1]
        np.multiply(parameters.orientation, terms.weights[self._bracing], out=turning)
        costs = (program.cost_rows, program.cost_targets)
        limits = (program.limit_rows, program.limit_lower, program.limit_upper)
        fill_contact_jacobian(
            kinematics.jacobians, kinematics.poses, self._contacts, stance.planes, stance.arms, program.contact_jacobian
        )
        fill_contact_targets(self._contacts, stance.planes, terms.poses, kinematics.poses, program.contact_targets)
        fill_balance(
            self._derivative,
            self.residual,
            program.contact_jacobian,
            model.torque_limits,
            parameters.torque**0.5,
            share,
            (program.base_rows, program.base_offset),
            costs,
            limits,
        )
        fill_effector_costs(
            self._guided,
            targets.effector_poses,
            kinematics.poses,
            kinematics.jacobians,
            self._guided_weights,
            ((1.0 - targets.rest) * parameters.position_clamp, (1.0 - targets.rest) * parameters.orientation_clamp),
            model.n,
            costs,
        )
        self._correct_gently()
        velocity = parameters.velocity * 1e-3 / dt * _BRAKE**targets.rest * 10.0**targets.stillness
        fill_joint_terms(
            (self.q, self._posture, self.wrenches),
            (model.lower, model.upper, self._choose_speeds()),
            (velocity, posture * parameters.posture, parameters.posture_clamp),
            (dt, share),
            (program.weights, program.targets, program.joint_lower, program.joint_upper),
        )
        self._stay_near_measured()
        # What a contact bore that has just gone is taken over by the others at once.
        most_changed = math.inf if self._fresh else dt * parameters.force_rate * model.weight
        fill_contact_limits(
            stance.cone,
            stance.normals,
            stance.max_normal,
            self.wrenches,
            (self._contacts, terms.leaving, terms.least_forces),
            (share, max(share, min(1.0, dt * parameters.release))),
            (dt * parameters.unload_rate * model.weight, most_changed),
            self._owners,
            model.n,
            limits[1:],
        )
        after_effectors = model.n + 6 * self._guided.size
        fill_force_costs(
            stance.normals,
            self.wrenches,
            (self._contacts, terms.wanted_forces, terms.insistence),
            parameters.push,
            parameters.push_rate * model.weight * dt,
            after_effectors,
            costs,
        )
        com = (kinematics.position_com_in_world, self.velocity_com, kinematics.jacobian_com)
        omega = self.pendulum_frequency
        after_forces = after_effectors + len(stance.effectors)
        fill_zmp_costs(com, omega, dt, parameters.zmp * (dt / 1e-3) ** 2, after_forces, costs)
        self._fill_commanded_motion(targets, dt, after_forces + 3)
        self._fill_preferences(targets, after_forces + 7)
        self.balance.update(terms)
        balance = self._choose_holding()
        fill_lip_rows((balance.normals, balance.distances), com, omega, balance.zmp_room, dt, self._first_lip, limits)
        height = self._base_position[2] - self.ground_height
        bounds = (math.cos(parameters.most_tilt), parameters.least_height * model.q_nominal[2])
        fill_upright_rows(self._base_rotation, height, bounds, dt * parameters.barrier, self._first_upright, limits[:2])
        fill_ground_rows(
            self._lifted,
            kinematics.poses,
            kinematics.jacobians,
            self._corners,
            self._radii,
            np.where(terms.approaching, -np.inf, terms.floors),
            dt * parameters.barrier,
            self._first_ground,
            limits[:2],
        )
        self._fill_self_collision(dt * (parameters.barrier if barrier is None else barrier), dt)
        if not parameters.force_limits:
            # Torques, cones and normal forces stand before all other rows.
            program.limit_lower[: self._first_upright] = -INFINITY
            program.limit_upper[: self._first_upright] = INFINITY
        return program.condense()

    def _stay_near_measured(self) -> None:
        """Let no joint go further than a clamp from where it was measured; one that is further already goes no further."""
        if self._measured_joints is None:
            return
        program, clamp = self._program, self.parameters.measured_clamp
        off = self.q[7:] - self._measured_joints
        np.maximum(program.joint_lower, np.minimum(-clamp - off, 0.0), out=program.joint_lower)
        np.minimum(program.joint_upper, np.maximum(clamp - off, 0.0), out=program.joint_upper)

    def _correct_gently(self) -> None:
        """Take back no more of the contacts' and the balance's errors in a step than its limits leave room for."""
        program = self._program
        # What a contact still bore that has just gone is taken over by the others at once: nothing has to move for that.
        most_balanced = math.inf if self._fresh else _MOST_BALANCED
        scale_down(program.contact_targets, _MOST_CORRECTED)
        scale_down(program.base_offset, most_balanced)

    def _fill_self_collision(self, share: float, dt: float) -> None:
        """Fill the rows that keep the robot's bodies apart, the last ones: soft, so that dq = 0 need not be feasible."""
        program, collision = self._program, self.self_collision
        if not collision.row_count:
            return
        collision.update(self.kinematics.joint_poses)
        first = len(program.limit_lower) - collision.row_count
        limits = (program.limit_rows, program.limit_lower, program.limit_upper)
        collision.fill_limits(self.kinematics.data.J, share, dt, first, limits)

    @property
    def pendulum_frequency(self) -> float:
        """Natural frequency of the linear inverted pendulum over the contacts [rad/s]."""
        height = self.kinematics.position_com_in_world.item(2) - self.ground_height
        return math.sqrt(GRAVITY / max(height, LEAST_PENDULUM))

    @property
    def ground_height(self) -> float:
        """Mean height in world of what the feet stand on [m]."""
        poses, feet = self.terms.poses, self.stance.feet
        return sum(poses.item(foot, 2, 3) for foot in feet) / len(feet)

    def _fill_commanded_motion(self, targets: SeikoTargets, dt: float, first: int) -> None:
        """Fill the cost of the centre of mass's commanded motion, three rows, and of the base's commanded turn, one row."""
        fill_commanded_motion(
            (targets.velocity_com_in_world, targets.yaw_rate),
            self.kinematics.jacobian_com,
            self._base_rotation,
            (self.parameters.com, self.parameters.turn),
            dt,
            (self._program.cost_rows[first : first + 4], self._program.cost_targets[first : first + 4]),
        )

    def _fill_preferences(self, targets: SeikoTargets, first: int) -> None:
        """Fill the cost of a preferred posture, the last rows; without one they do not count."""
        program, preferences = self._program, targets.preferences
        program.cost_count = first if preferences is None else len(program.cost_targets)
        if preferences is not None:
            program.cost_rows[first:, : self._model.nv] = preferences.rows
            np.multiply(1.0 - targets.rest, preferences.errors, out=program.cost_targets[first:])

    def _choose_speeds(self) -> np.ndarray:
        """Choose how fast the joints may be now, shape ``(n,)`` [rad/s]."""
        if self.terms.leaving.any():
            return self._unload_speeds
        return self._load_speeds if (self.terms.weights > 1.0).any() else self._speeds

    def _weigh_contacts(self) -> np.ndarray:
        parameters = self.parameters
        plane = [parameters.force] * 3 + [parameters.moment] * 2 + [parameters.twist]
        points = len(self.stance.effectors) - self.stance.planes
        return FORCE_UNIT**2 * np.array(plane * self.stance.planes + [parameters.force] * 3 * points)

    def _integrate(self, x: np.ndarray, dt: float) -> None:
        r"""Take the step: :math:`q \oplus \Delta q` and :math:`\lambda + \Delta\lambda` (eq. 3)."""
        nv = self._model.nv
        self._roll(x[:nv])
        self.q = pin.integrate(self._model.pinocchio, self.q, x[:nv])
        self.v = x[:nv] / dt
        self.wrenches = self.wrenches + FORCE_UNIT * x[nv:]
        self._fresh = False
        self.terms.keep_gains(self._contacts, self.stance.normals @ self.wrenches, self.stance.min_normal)
        velocity = self.kinematics.jacobian_com @ self.v
        self.acceleration_com = (velocity - self.velocity_com) / dt
        self.velocity_com = velocity
        self.kinematics.update(self.q)
        self.refresh()

    def _roll(self, step: np.ndarray) -> None:
        r"""Let the balls of point contacts roll: their centres move by :math:`r \times J_\omega \Delta q`."""
        stance = self.stance
        for k in range(stance.planes, len(stance.effectors)):
            effector = stance.effectors[k]
            way = compute_rolling(stance.arms[k], self.kinematics.jacobians[effector], step)
            self.terms.poses[effector, :3, 3] += way
            self.terms.rolled[effector] += way

    def refresh(self) -> None:
        r"""Compute :math:`G - J^T \lambda` and its derivative (eq. 13, 17) at the desired configuration."""
        kinematics, stance = self.kinematics, self.stance
        place_wrenches_in_joints(
            self.wrenches,
            self._contacts,
            stance.planes,
            stance.arms,
            kinematics.poses,
            self._model.effector_placements,
            self._joint_wrenches,
        )
        for (force, moment), wrench in zip(self._external_views, self._joint_wrenches, strict=True):
            force[:] = wrench[:3]
            moment[:] = wrench[3:]
        self._derivative[:] = pin.computeStaticTorqueDerivatives(
            self._model.pinocchio, kinematics.data, self.q, self._external
        )
        add_point_force_terms(
            self._derivative, self.wrenches, self._contacts, stance.planes, stance.arms, kinematics.jacobians
        )

    def _load_joints(self) -> None:
        """Take the views through which the contacts' wrenches reach pinocchio; one foot or hand a joint."""
        for force in self._external:
            force.setZero()
        loaded = [self._external[self._model.effector_joints[effector]] for effector in self.stance.effectors]
        self._external_views = [(force.linear, force.angular) for force in loaded]
        self._joint_wrenches = np.zeros((len(loaded), 6))

    def _share_weight(self) -> np.ndarray:
        """Return the smallest wrenches (in their weighted norm) that balance the base."""
        data = self.kinematics.data
        gravity = pin.computeGeneralizedGravity(self._model.pinocchio, data, self.q)[:6]
        jacobian = np.zeros((self.stance.size, self._model.nv))
        kinematics, stance = self.kinematics, self.stance
        fill_contact_jacobian(kinematics.jacobians, kinematics.poses, self._contacts, stance.planes, stance.arms, jacobian)
        spread = 1.0 / np.sqrt(self._wrench_weights)
        return spread * (np.linalg.pinv(jacobian[:, :6].T * spread) @ gravity)

    def _name_active(self, multipliers: np.ndarray) -> tuple[str, ...]:
        names = self._names
        first = len(names) - self.self_collision.row_count
        active = multipliers.nonzero()[0].tolist()
        # Which pairs of bodies have the last rows changes from step to step.
        found = (self.self_collision.name_row(i - first) if i >= first else names[i] for i in active)
        return tuple(dict.fromkeys(name for name in found if name))


def _limit_body(model: RobotModel, body_speed: float) -> np.ndarray:
    """Return the joints' velocity limits, shape ``(n,)`` [rad/s], those lower that carry a foot or the trunk."""
    limits = model.velocity_limits.copy()
    feet = [model.effector_joints[e] for e, about in enumerate(model.effectors) if about.is_foot]
    trunk = [model.pinocchio.frames[frame].parentJoint for frame in model.trunk_frames]
    for end in (*feet, *trunk):
        for joint in model.pinocchio.supports[end].tolist():
            if joint > 1:
                place = model.pinocchio.joints[joint].idx_v - 6
                limits[place] = min(limits[place], body_speed)
    return limits
