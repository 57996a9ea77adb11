r"""The whole-body controller: torques that make a robot track a reference.

Inverse dynamics as a quadratic program over joint accelerations and contact wrenches, weighted tasks inside hard limits:

.. math::

    \min_{\ddot q, \lambda} \sum_k w_k \|J_k \ddot q + \dot J_k \dot q - a_k\|^2 + w_\lambda \|\lambda - \lambda^{ref}\|^2
    \quad \text{s.t.} \quad M \ddot q + h = S \tau + J^T \lambda, \; J \ddot q + \dot J \dot q = -k_d J \dot q, \;
    |\tau| \leq \tau_{max}, \; \lambda \in \text{wrench cones}.

The centre of mass is driven through its divergent component :math:`\xi = c + \dot c / \omega`: the centre of pressure

.. math::

    p = c^{ref} - \ddot c^{ref} / \omega^2 + (1 + k_\xi / \omega) (\xi - \xi^{ref})

is clipped to the reference's support polygon and asks for :math:`\ddot c = \omega^2 (c - p)`. With hands in contact p is not
the ZMP of the feet but a point over which the centre of mass could rest, and the polygon the stability region.
"""

from __future__ import annotations

import math

import numpy as np
import pinocchio as pin

from handhold.robots.contact import Stance
from handhold.robots.control.controller_parameters import ControllerParameters
from handhold.robots.control.controller_program import ControllerProgram
from handhold.robots.control.drive_targets import DriveTargets
from handhold.robots.control.friction_compensation import FrictionCompensation
from handhold.robots.frame_motion import fill_frame_motion
from handhold.robots.grasp import Grasp
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.limb_joints import find_arm_joints
from handhold.robots.model import RobotModel
from handhold.robots.pinocchio_views import view_joint_motions
from handhold.robots.programs.whole_body_program import WholeBodyProgram
from handhold.robots.qp import QpSolution, QpSolver, QuadraticProgram
from handhold.robots.reference import Reference
from handhold.robots.robot import MAX_PERIOD, JointCommand, RobotState
from handhold.robots.tasks.pose import FrameMotion, FrameTargets

__all__ = ["FORGETTING", "ControllerParameters", "WholeBodyController"]

FORGETTING = 1.0
"""Time constant with which the displacement of the centre of pressure is forgotten while the robot walks [s]."""


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
        self._kinematics = EffectorKinematics(model, with_trunk=True, with_points=True)
        self._reference_kinematics = EffectorKinematics(model, with_trunk=True)
        data = self._kinematics.data
        self._mass_matrix, self._velocity_com = data.M, data.vcom[0]
        joints = model.pinocchio.njoints
        self._joint_motions = view_joint_motions(data.v, joints), view_joint_motions(data.a, joints)
        self._targets = FrameTargets.at_rest(self._kinematics)
        self._motion = FrameMotion.none(self._kinematics)
        self._no_acceleration = np.zeros(model.nv)
        self._drives, self._friction = DriveTargets(model), FrictionCompensation(model)
        self._arms, self._all_joints = find_arm_joints(model), np.ones(model.n, dtype=bool)
        self.base_acceleration = np.zeros(3)
        self._torques = np.zeros(model.n)
        # Of the centre of pressure, for what the model does not know of, shape (2,) [m]; and when it was learnt last [s].
        self._displacement, self._time = np.zeros(2), -math.inf
        self._reference: Reference | None = None
        self._flags: np.ndarray | None = None
        self._grasp: Grasp | None = None
        self._swings = False

    @property
    def program(self) -> WholeBodyProgram:
        """The program of the present stance, as last built."""
        return self._rows.program

    @property
    def stance(self) -> Stance:
        """The present stance, its soles smaller than the real ones by the controller's margin."""
        return self._rows.stance

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
            solution = self._solver.solve(self._relax_limits(joints))
            self.relaxed += solution.solved
        return self.apply(solution, state)

    def reset(self) -> None:
        """Take note that the robot did something else than was asked for: what comes next begins without a difference."""
        self._drives.forget()
        self._displacement[:] = 0.0
        self.base_acceleration = np.zeros(3)

    def _relax_limits(self, joints: np.ndarray) -> QuadraticProgram:
        """Return the program last built without limits of some joints' positions; the motors' torques keep theirs."""
        self._rows.joint_limits.release(joints)
        return self._rows.program.condense()

    def apply(self, solution: QpSolution, state: RobotState) -> JointCommand:
        """Return the command that the solution of the program last built asks for; without one the last torques again."""
        self._drives.choose_gains(self._mass_matrix, state.time)
        positions, velocities = state.q[7:], state.v[6:]
        if solution.solved and self._reference is not None:
            x = self._rows.program.expand(solution.x)
            self._torques = self._friction.add(self._rows.compute_torques(x), self._reference.v[6:])
            positions, velocities = self._drives.update(x[6 : self._model.nv], self._reference, state)
            self.base_acceleration = x[:3].copy()
            self.failures_in_a_row = 0
        else:
            self.reset()
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
        return self._rows.build(reference, state, self._learn(self._elapse(state.time)))

    def _take_over(self, reference: Reference) -> None:
        """Prepare for a new reference; a change of contacts makes a new program."""
        swings = reference.effector_accelerations is not None
        if not self._is_laid_out_for(reference):
            self._set_stance(reference)
        self._reference = reference
        self._reference_kinematics.update(reference.q)
        effectors = len(self._model.effectors)
        targets = self._targets
        targets.poses[:effectors] = reference.effector_poses
        targets.poses[effectors:] = self._reference_kinematics.poses[effectors:]
        targets.velocities[:effectors] = reference.effector_velocities
        targets.velocities[effectors:] = self._reference_kinematics.jacobians[effectors:] @ reference.v
        targets.feedforward[:effectors] = 0.0 if not swings else reference.effector_accelerations
        self._rows.aim_at_wrenches(self.stance.stack(reference.contact_wrenches))

    def _is_laid_out_for(self, reference: Reference) -> bool:
        """Whether the present program has the contacts and margins of a reference."""
        before, flags = self._reference, self._flags
        if before is None or flags is None or reference.grasp is not self._grasp or reference.is_walk != before.is_walk:
            return False
        swings = reference.effector_accelerations is not None
        return swings == self._swings and np.array_equal(reference.contacts, flags)

    def _set_stance(self, reference: Reference) -> None:
        self._flags, self._grasp = reference.contacts.copy(), reference.grasp
        self._drives.update_contacts(self._flags, swung=self._swings)
        self._swings = reference.effector_accelerations is not None
        frames = (self._targets, self._motion)
        self._rows = ControllerProgram(self._model, self._parameters, reference, self._kinematics, frames, self._displacement)

    def _update_dynamics(self, state: RobotState) -> None:
        model, data = self._model.pinocchio, self._kinematics.data
        pin.computeAllTerms(model, data, state.q, state.v)
        pin.centerOfMass(model, data, state.q, state.v, self._no_acceleration)
        self._kinematics.read_data()
        self._subtract_external(data.nle)
        fill_frame_motion(
            self._kinematics.poses,
            self._kinematics.jacobians,
            self._kinematics.placements,
            state.v,
            self._kinematics.joints,
            self._joint_motions,
            self._motion.velocities,
            self._motion.drifts,
        )

    def _subtract_external(self, bias: np.ndarray) -> None:
        """Subtract the joint forces of what others exert on hands and body from the bias of the dynamics, in place."""
        forces = None if self._reference is None else self._reference.external_forces
        if forces is not None:
            kinematics, effectors = self._kinematics, len(self._model.effectors)
            for pushed in np.flatnonzero(forces.any(axis=1)).tolist():
                # Base and trunk come between effectors and touch points.
                frame = pushed if pushed < effectors else pushed - effectors + len(kinematics.poses)
                bias -= kinematics.touched_jacobians[frame, :3].T @ forces[pushed]

    def _learn(self, dt: float) -> float:
        """Return how much of an error is learnt in a period.

        Nothing while hands brace, whose forces would change without the reference, and while feet swing, which takes longer
        than learning.
        """
        if self._rows.braced:
            return 0.0
        if not self._swings:
            return self._parameters.dcm_integral * dt
        self._displacement *= max(0.0, 1.0 - dt / FORGETTING)
        return 0.0

    def _elapse(self, time: float) -> float:
        """Return how long it is since the last state [s]; 0 where that says nothing of this one."""
        dt, self._time = time - self._time, time
        return dt if 0.0 < dt <= MAX_PERIOD else 0.0
