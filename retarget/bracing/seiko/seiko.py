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

Where others push free effectors, their forces are unknowns after those of the contacts (``external_force``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pinocchio as pin

from handhold.retarget.bracing.seiko.balance import Balance
from handhold.retarget.bracing.seiko.contact_following import begin_grasp, roll_balls, update_contact_targets
from handhold.retarget.bracing.seiko.contact_terms import ContactTerms
from handhold.retarget.bracing.seiko.equilibrium_state import EquilibriumState
from handhold.retarget.bracing.seiko.external_forces import ExternalForces
from handhold.retarget.bracing.seiko.holding import BalanceTransfer
from handhold.retarget.bracing.seiko.joint_speeds import JointSpeeds
from handhold.retarget.bracing.seiko.parameters import SeikoParameters
from handhold.retarget.bracing.seiko.seiko_program import MAX_CORRECTION, SeikoProgram, StepStart
from handhold.retarget.bracing.seiko.seiko_step import SeikoStep, SeikoTargets
from handhold.retarget.bracing.seiko.settling import project_to_equilibrium
from handhold.robots.contact import Stance
from handhold.robots.grasp import NO_LOAD, Grasp
from handhold.robots.model import RobotModel
from handhold.robots.programs.whole_body_program import WholeBodyProgram
from handhold.robots.qp import QpSolution, QpSolver, QuadraticProgram
from handhold.robots.self_collision import SelfCollision
from handhold.robots.tasks.ground_clearance import compute_lowest
from handhold.robots.tasks.task import FORCE_UNIT

# Contacts are taken over no faster than half of that: a foot that was loaded 6 cm from the reference's would outrun it.
_MAX_CONTACT_STEP = 0.5 * MAX_CORRECTION

# Joints that were pushed further than this many clamps from the reference take it with them.
_PUSHED_CLAMPS = 2.0

SLOWER = 0.1
"""Part of what contacts are off by that is made up for where all of it would be infeasible [-]: a G1 that crouched, its ankles
near their limits, could not move a foot by 0.15 mm in a step from rest, and stayed where it was for 10 s."""


class Seiko(EquilibriumState):
    r"""The desired configuration of the robot, moved step by step.

    Attributes:
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
        """Start at a configuration whose contacts are where they stay; ``project_to_equilibrium`` makes it an equilibrium.

        Args:
            model: Robot.
            stance: Contacts in force.
            q: Configuration, shape ``(nq,)``.
            solver: Solves the quadratic programs.
            parameters: Weights, clamps and rates; None for the defaults.
            terms: What is asked of each effector's contact; None for contacts on level ground where they are.
        """
        super().__init__(model, stance, q, terms)
        self._solver = solver
        self.parameters = parameters or SeikoParameters()
        self._speeds = JointSpeeds(model, self.parameters)
        # Where the joints were measured last; none before anything was measured, and in a preview.
        self._measured_joints: np.ndarray | None = None
        # Whether a contact has gone since the last step.
        self._contact_removed = False
        self.self_collision = SelfCollision(model)
        self.set_stance(stance, np.zeros(stance.size))
        self.wrenches = self._equilibrium.distribute_weight(self.q, self._rows.wrench_weights)
        self.refresh()

    @property
    def program(self) -> WholeBodyProgram:
        """The program of the present stance, as last built."""
        return self._rows.program

    @property
    def balance(self) -> Balance:
        """What holds the reference's DCM on the contacts."""
        return self._balance_transfer.balance

    @property
    def bracing_hands(self) -> tuple[int, ...]:
        """Hands in contact at a point, which may turn there."""
        return tuple(self._rows.bracing.tolist())

    def transfer_support(self, effector: int) -> bool:
        """Transfer the DCM to the balance of the other contacts, from the next step on while this one is unloaded.

        Without the contact the region may end within millimetres of the centre of mass though the contact is unloaded.
        Where feet alone stay nothing is asked: over them its position is what takes the last force off a hand.

        Args:
            effector: Index of the effector whose contact is being removed, and is unloaded.

        Returns:
            Whether the DCM is there, or could still be brought there without this contact.
        """
        others = tuple(e for e in self.stance.effectors if e != effector)
        if all(e in self.stance.feet for e in others):
            return True
        dcm = self.kinematics.position_com_in_world[:2] + self.velocity_com[:2] / self.pendulum_frequency
        return self._balance_transfer.transfer(effector, others, self.terms, dcm)

    def _find_balance(self, effectors: tuple[int, ...]) -> Balance:
        stance = Stance.of_reference(self._model, effectors, {e: self.terms.normals[e] for e in effectors})
        return Balance(self._model, stance, self.kinematics, self.terms, self.parameters)

    def fork(self) -> Seiko:
        """Return a SEIKO of its own that goes on from here, for a preview."""
        fork = Seiko(self._model, self.stance, self.q, self._solver, self.parameters, terms=self.terms.copy())
        if not self.balance.braced:
            # The polygon is as old as the stance, though contacts are taken over where they are measured since.
            fork.set_stance(self.stance, fork.wrenches, self.balance)
        fork.copy_state(self)
        return fork

    def copy_state(self, other: Seiko) -> None:
        """Copy the state of another one that stands on the same contacts; cheaper than a fork of it."""
        self.terms = other.terms.copy()
        self.q, self.v, self.wrenches = other.q.copy(), other.v.copy(), other.wrenches.copy()
        self.velocity_com, self.acceleration_com = other.velocity_com.copy(), other.acceleration_com.copy()
        self._contact_removed, self.load, self.measured_load = other._contact_removed, other.load, other.measured_load
        self.kinematics.update(self.q)
        self._take_external(other.external)
        self.refresh()

    def add_contact(self, effector: int, normal: np.ndarray) -> None:
        """Put an effector in contact where it is, with no force yet.

        Args:
            effector: Index of the effector.
            normal: Outward normal in world of the surface under a point contact, unit, shape ``(3,)``.
        """
        self.terms.begin_contact(effector, self.kinematics.poses[effector], normal)
        self._change_contacts((*self.stance.effectors, effector), self.stance.grasp)

    def remove_contact(self, effector: int) -> None:
        """Take a contact out of the stance; its remaining load falls to the others in the next step."""
        self.terms.end_contact(effector, 0.0)
        if self._model.effectors[effector].is_foot:
            self.terms.floors[effector] = min(compute_lowest(self._model, f, self.terms.poses[f]) for f in self.stance.feet)
        self._change_contacts(tuple(e for e in self.stance.effectors if e != effector), self.stance.grasp)
        self._contact_removed = True

    def hold(self, effectors: tuple[int, int], min_force: float) -> None:
        """Hold an object between two free hands with plane contacts, with no force yet (see ``begin_grasp``)."""
        grasp = begin_grasp(effectors, self.kinematics.poses, min_force, self.terms)
        self._change_contacts((*self.stance.effectors, *effectors), grasp)

    def release(self) -> None:
        """Let go of the object that is held; both hands are free from now on."""
        self.load = self.measured_load = NO_LOAD
        for effector in set(self.stance.effectors).difference(self.stance.supporting):
            self.terms.end_contact(effector, self.compute_min_force(effector))
        self._change_contacts(self.stance.supporting)
        self._contact_removed = True

    def _change_contacts(self, effectors: tuple[int, ...], grasp: Grasp | None = None) -> None:
        rows = self.stance.unstack(self.wrenches, len(self._model.effectors))
        normals = {e: self.terms.normals[e] for e in effectors}
        stance = Stance.of_reference(self._model, effectors, normals, grasp)
        # What of a force was balanced that is the contact's now is taken over by the others at once.
        before, self.external = self.external, self.external.drop(effectors)
        self._contact_removed = self._contact_removed or before is not self.external
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
        are_feet = np.array([model.effectors[e].is_foot for e in stance.effectors], dtype=bool)
        # What is measured of contacts with what is fixed is taken over.
        stays = np.isin(self._contacts, stance.supporting)
        are_planes = np.arange(len(stance.effectors)) < stance.planes
        self._followed = (self._contacts[stays], are_planes[stays], are_feet[stays])
        balance = balance or Balance(model, stance, self.kinematics, self.terms, self.parameters)
        self._balance_transfer = BalanceTransfer(balance, self._find_balance)
        self._make_program()

    def _make_program(self) -> None:
        """Make the program of the present stance and of what others push."""
        pushed, about = self.external.pushed, (self.parameters, len(self.balance.distances), self.self_collision)
        self._equilibrium.stand_on(self.stance, pushed)
        self._rows = SeikoProgram(self._model, self.stance, self.kinematics, self._equilibrium, *about, pushed)

    def measure_external(self, forces: Mapping[int, np.ndarray]) -> None:
        """Take over what others exert on free effectors and on the body, which the next steps balance as far as they can.

        Args:
            forces: In world, by index, shape ``(3,)`` each [N]; those on effectors in contact are the contacts'.
        """
        if forces or self.external.pushed:
            self._take_external(self.external.measure({e: f for e, f in forces.items() if e not in self.stance.effectors}))

    def _take_external(self, external: ExternalForces) -> None:
        """Take external forces over; those on others than before make a new program."""
        before, self.external = self.external, external
        if before.pushed != external.pushed:
            self._make_program()
            self.refresh()

    def update_contact_targets(self, measured_poses: np.ndarray, measured_joints: np.ndarray, dt: float) -> None:
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
        update_contact_targets(
            self._followed,
            terms.poses,
            measured_poses,
            terms.leads,
            terms.normals,
            terms.unloading,
            (dt / (self.parameters.contact_filter + dt), _MAX_CONTACT_STEP, dt),
        )
        self._measured_joints = measured_joints
        max_deviation = _PUSHED_CLAMPS * self.parameters.measured_clamp
        joints = np.clip(self.q[7:], measured_joints - max_deviation, measured_joints + max_deviation)
        if not np.array_equal(joints, self.q[7:]):
            # A reference that was already issued keeps its own.
            self.q = np.concatenate([self.q[:7], joints])
            self.kinematics.update(self.q)
            self.refresh()

    def project_to_equilibrium(self) -> None:
        """Project to the nearest feasible equilibrium, with the effectors left where they are, as far as limits allow.

        Raises:
            NoEquilibrium: There is none within reach.
        """
        project_to_equilibrium(self, self._solver)

    def step(self, targets: SeikoTargets, dt: float) -> SeikoStep:
        """Move the desired configuration by one step: build, solve, integrate.

        Where joints are too slow for what contacts are off by, a part of that is made up for. Where limits that are violated
        cannot all be taken back at once (a push), the step takes none of them back.
        """
        solution = self._solver.solve(self.build(targets, dt))
        if not solution.solved and self.program.contacts.targets.any():
            self.program.contacts.targets *= SLOWER
            solution = self._solver.solve(self.program.condense())
        if not solution.solved:
            self.program.make_rest_feasible()
            step = self.apply(self._solver.solve(self.program.condense()), dt)
            return replace(step, relaxed=True)
        return self.apply(solution, dt)

    def apply(self, solution: QpSolution, dt: float) -> SeikoStep:
        """Take the step that solves the program last built; without a solution stay where we are."""
        if not solution.solved:
            self.set_at_rest()
            return SeikoStep(solved=False, active=(), iterations=solution.iterations)
        self._integrate(self.program.expand(solution.x), dt)
        active = self.program.name_active(solution.multipliers)
        return SeikoStep(solved=True, active=active, iterations=solution.iterations)

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
        ground_height = self.ground_height
        start = StepStart(
            q=self.q,
            wrenches=self.wrenches,
            external=self.external,
            load=self.load,
            next_load=self.load.approach(self.measured_load, self.parameters.choose_load_rate(self.measured_load) * dt),
            velocity_com=self.velocity_com,
            omega=self._compute_frequency(ground_height),
            base_height=self._base_position[2] - ground_height,
            speeds=self._speeds.choose(self.terms, self.v[6:], dt),
            measured_joints=self._measured_joints,
            balance=self._balance_transfer.update(self.terms),
            contact_removed=self._contact_removed,
        )
        self._place_held()
        rate = self.parameters.barrier if barrier is None else barrier
        return self._rows.build(start, self.terms, targets, dt, rate, posture)

    def _integrate(self, x: np.ndarray, dt: float) -> None:
        r"""Take the step: :math:`q \oplus \Delta q` and :math:`\lambda + \Delta\lambda` (eq. 3)."""
        nv = self._model.nv
        roll_balls(self.stance, self.kinematics.jacobians, x[:nv], self.terms)
        self.q = pin.integrate(self._model.pinocchio, self.q, x[:nv])
        self.v = x[:nv] / dt
        contacts = nv + self.stance.size
        self.wrenches = self.wrenches + FORCE_UNIT * x[nv:contacts]
        if self.external.pushed:
            self.external = self.external.admit(FORCE_UNIT * x[contacts : contacts + 3 * len(self.external.pushed)])
        if self.stance.grasp is not None:
            rate = self.parameters.choose_load_rate(self.measured_load)
            self.load = self.load.approach(self.measured_load, rate * dt, float(x[-1]))
        self._contact_removed = False
        self.terms.raise_min_forces(self._contacts, self.stance.normals @ self.wrenches, self.stance.min_normal)
        velocity = self.kinematics.jacobian_com @ self.v
        self.acceleration_com = (velocity - self.velocity_com) / dt
        self.velocity_com = velocity
        self.kinematics.update(self.q)
        self._place_held()
        self.refresh()
