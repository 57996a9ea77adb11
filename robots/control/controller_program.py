"""The whole-body controller's program of one stance: which tasks and limits it has."""

from __future__ import annotations

import numpy as np

from handhold.robots.contact import Stance
from handhold.robots.contact_kind import ContactKind
from handhold.robots.control.clamp import clamp_norm
from handhold.robots.control.controller_parameters import ControllerParameters
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel
from handhold.robots.programs.whole_body_program import Dependence, WholeBodyProgram
from handhold.robots.qp import QuadraticProgram
from handhold.robots.reference import Reference
from handhold.robots.robot import RobotState
from handhold.robots.tasks.contact_motion import ContactsAtRest
from handhold.robots.tasks.dcm import DcmTask
from handhold.robots.tasks.equation_of_motion import EquationOfMotion
from handhold.robots.tasks.joint_acceleration_limits import JointAccelerationLimits
from handhold.robots.tasks.normal_force_limits import NormalForceLimits
from handhold.robots.tasks.pose import BOTH, ORIENTATION, FrameMotion, FrameTargets, PoseTask
from handhold.robots.tasks.posture import BaseDamping
from handhold.robots.tasks.posture_acceleration import PostureAccelerationTask
from handhold.robots.tasks.torque_limits import TorqueLimits
from handhold.robots.tasks.wrench import WrenchTask, weigh_by_load
from handhold.robots.tasks.wrench_cone import WrenchCone

FRICTION_SCALE = 0.95
"""Scale of the friction coefficients in the controller [-]: simulated contacts give some hundredths more than asked."""

MAX_PRESS_DISTANCE = 0.05
"""How far ahead of a hand that braces its reference counts at most [m]."""

MIN_LOAD_RATIO = 0.1
"""Load, as a part of the contacts' mean one, under which a contact's wrench is held to the reference's no harder [-]."""

# Of contacts that the legs can hardly move [m/s^2], [rad/s^2].
_DEPENDENCE = Dependence(tolerance=1e-3, max_change=5.0)


class ControllerProgram:
    """The program of a stance.

    Attributes:
        program: Its arrays, as last built.
        stance: The contacts, their soles smaller than the real ones by the controller's margin.
        braced: Whether hands brace.
        joint_limits: Bounds of the joints' accelerations.
    """

    def __init__(
        self,
        model: RobotModel,
        parameters: ControllerParameters,
        reference: Reference,
        kinematics: EffectorKinematics,
        frames: tuple[FrameTargets, FrameMotion],
        displacement: np.ndarray,
    ) -> None:
        """Lay out the tasks and limits of a reference's contacts.

        Args:
            model: Robot.
            parameters: Weights and gains.
            reference: Its contacts and their normals count.
            kinematics: Of the robot's state, with pinocchio's data; base and trunk follow the effectors in its arrays.
            frames: Targets and motion of the frames.
            displacement: See ``DcmTask``.
        """
        self._model, self._parameters, self._kinematics = model, parameters, kinematics
        self._targets, self._motion = frames
        self.stance = _make_stance(model, reference)
        motion, p, data = self._motion, parameters, kinematics.data
        self._contacts = ContactsAtRest(self.stance, kinematics, motion.velocities, motion.drifts, p.contact_damping)
        self._equation = EquationOfMotion(self._contacts, data.M, data.nle, symmetric=True)
        self._dcm = DcmTask(
            kinematics,
            (data.vcom[0], data.acom[0]),
            np.array(self.stance.feet),
            displacement,
            weight=p.com,
            stiffness=p.com_stiffness,
            gain=p.dcm_gain,
        )
        self._posture = PostureAccelerationTask(model, p.posture, p.regularisation, p.posture_stiffness)
        plane, point = np.array([p.force] * 3 + [p.moment] * 3), np.full(3, p.force)
        self._wrenches = WrenchTask(self.stance, model.nv, plane, point)
        diagonal = (BaseDamping(p.regularisation), self._posture, self._wrenches)
        self.program = WholeBodyProgram(
            self._contacts,
            self._equation,
            _DEPENDENCE,
            # What is bolted down needs no balance.
            tasks=(*(() if self.stance.fixed else (self._dcm,)), self._make_pose_task(reference), *diagonal),
            limits=self._make_limits(),
        )

    def _make_pose_task(self, reference: Reference) -> PoseTask:
        """Make the task of free hands, feet that swing, hands that brace on a point, and the trunk, in this order."""
        p, described = self._parameters, self._model.effectors
        # Of two hands that hold an object the first one takes it to where it is to be.
        free = [e for e in range(len(described)) if not reference.contacts[e] or e in self.stance.carrying]
        hands, feet = ([e for e in free if described[e].is_foot is swings] for swings in (False, True))
        # Hands that brace on a point could still turn, and would roll away.
        in_contact = self.stance.effectors
        self.braced = tuple(e for e in in_contact if not described[e].is_foot and described[e].contact is ContactKind.POINT)
        trunk = range(len(described), len(self._kinematics.poses))
        groups = (
            (hands, BOTH, (p.hand_position, p.hand_orientation), p.hand_stiffness),
            (feet, BOTH, (p.swing_position, p.swing_orientation), p.swing_stiffness),
            (self.braced, ORIENTATION, (0.0, p.hand_orientation), p.hand_stiffness),
            (trunk, ORIENTATION, (0.0, p.trunk), p.trunk_stiffness),
        )
        frames, halves, weights, stiffnesses = zip(
            *((frame, half, weight, k) for group, half, weight, k in groups for frame in group), strict=True
        )
        return PoseTask(
            self._kinematics,
            np.array(frames),
            self._targets,
            weights=np.repeat(weights, 3, axis=1),
            halves=np.array(halves),
            gain=np.array(stiffnesses),
            damping=2.0 * np.sqrt(stiffnesses),
            motion=self._motion,
        )

    def _make_limits(self) -> tuple[TorqueLimits, WrenchCone, NormalForceLimits, JointAccelerationLimits]:
        model, stance, p = self._model, self.stance, self._parameters
        names = tuple(effector.name for effector in model.effectors)
        largest = 2.0 * stance.max_normal
        self.joint_limits = JointAccelerationLimits(model, p.limit_horizon, p.limit_recovery)
        return (
            TorqueLimits(self._equation, model.motor_torques, model.joint_names),
            WrenchCone(stance, model.nv),
            NormalForceLimits(stance, model.nv, names, np.zeros(len(largest)), largest),
            self.joint_limits,
        )

    def aim_at_wrenches(self, wrenches: np.ndarray) -> None:
        """Ask for the reference's wrenches, shape ``(l,)``; what must differ from them is distributed as the load is.

        With weights that go with the inverse of the load every contact's force changes by the same part of it. Were they
        alike, all would take the same of the force that moves the centre of mass, and the lightest one slip first.
        """
        self._wrenches.aim(wrenches)
        weigh_by_load(wrenches, self.stance.normals, MIN_LOAD_RATIO, self._wrenches.multipliers)

    def build(self, reference: Reference, state: RobotState, learning: float) -> QuadraticProgram:
        """Return the quadratic program of one control period; ``learning`` as ``DcmTask.follow`` has it."""
        present = (state.q, state.v)
        self._dcm.follow(reference, state.time, learning)
        self._contacts.held.load = reference.load
        self._posture.desired, self._posture.present = (reference.q, reference.v), present
        self.joint_limits.present = present
        self.program.fill()
        self._press_hands()
        return self.program.condense()

    def _press_hands(self) -> None:
        """Go on pressing hands that brace to where the reference has them, which is ahead of what they touch.

        Until they are loaded nothing else would hold them where they are. No further than a hand is pressed on at first: a
        reference that is far off for another reason is not to be followed through a wall.
        """
        for hand in self.braced:
            ahead = (self._targets.poses[hand] - self._kinematics.poses[hand])[:3, 3]
            acceleration = self._parameters.hand_stiffness * clamp_norm(ahead, MAX_PRESS_DISTANCE)
            self._contacts.press(self.stance.effectors.index(hand), acceleration)

    def compute_torques(self, x: np.ndarray) -> np.ndarray:
        r"""Compute :math:`\tau = M \ddot q + h - J^T \lambda` of a solution, shape ``(n,)`` [Nm]."""
        return self._equation.compute_torques(x)


def _make_stance(model: RobotModel, reference: Reference) -> Stance:
    """Return the contacts of a reference, with the controller's margins."""
    contacts = [int(e) for e in np.flatnonzero(reference.contacts)]
    margins = model.description.margins
    return Stance(
        model,
        contacts,
        inset=margins.walking_controller if reference.is_walk else margins.controller,
        friction_scale=FRICTION_SCALE,
        surface_normals={e: reference.contact_normals[e] for e in contacts},
        grasp=reference.grasp,
    )
