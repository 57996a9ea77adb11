r"""Postures with free hands at places on surfaces, all contacts and the centre of mass held: inverse kinematics.

.. math:: \min_u \sum_i w_i \|X_i^* \ominus X_i - J_i u\|^2 + w_c \|c^*_{xy} - c_{xy} - J_c u\|^2
    + w_p \|\theta_0 - \theta - u_J\|^2 \quad \text{s.t.} \quad \text{joints and base within limits, bodies apart,}

and arms and trunk within the torques that hold them: a step after the other. The weights of free effectors and of the posture
are SEIKO's, and so is, within millimetres of margin, the posture that comes of it; what must hold weighs more. Of a hand's
orientation only the axis counts that is to be along the surface's normal.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pinocchio as pin
from numba import njit

from handhold.retarget.bracing.candidates.arm_chain import ArmChain
from handhold.retarget.bracing.candidates.held_posture import HeldPosture
from handhold.retarget.bracing.candidates.places import Place
from handhold.retarget.bracing.contacts.contact_making_parameters import choose_contact_making
from handhold.retarget.bracing.seiko.parameters import SeikoParameters
from handhold.robots.contact_kind import ContactKind
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel
from handhold.robots.programs.inverse_kinematics import InverseKinematics
from handhold.robots.qp import QpSolver
from handhold.robots.tasks.center_of_mass import CenterOfMassTask
from handhold.robots.tasks.gravity_torque_limits import GravityTorqueLimits
from handhold.robots.tasks.joint_limits import JointLimits
from handhold.robots.tasks.pose import FrameTargets, PoseTask
from handhold.robots.tasks.posture import BaseDamping, PostureTask
from handhold.robots.tasks.self_collision import SelfCollisionLimit
from handhold.robots.tasks.upright import UprightLimits

HELD = 1e5
"""Weight of what must hold [1/m^2], [1/rad^2]: a hundred times that of a free hand's position."""

DAMPING, BASE_DAMPING = 1.0, 1e-2
"""Weights of the joints' motions in a step, as much as that of the posture, and of the base's.

A step goes half the way to the posture that is nearest: with a tenth of it a fifth of the places that are reached is lost,
because wrists swing to and fro.
"""

MAX_STEP, MAX_TURN, MAX_JOINT_STEP, MAX_BASE_STEP = 0.3, 0.7, 0.6, 1.0
"""Largest errors of a step that count [m], [rad], and its largest motions of joints [rad] and base [m, rad]."""

STEPS, PATIENCE, PROGRESS = 10, 3, 0.8
"""Largest number of steps; how many may pass without the way left becoming so much shorter [-], or a place is out of reach."""

AT_REST = 0.2
"""Largest motion in the step that ends the search [rad]; with a tenth of it 95 of 100 margins are the same within 2 mm."""

REACHED, CONTACT_ERROR, COM_ERROR = 3e-3, 2e-3, 5e-3
"""How far a hand may be from its place, a contact from where it is, and the centre of mass from where it is to be [m]."""

SOFTNESS = 0.02
"""Part of a torque limit, of the base's largest tilt and of its least height by which they may be passed [-]."""

CLOSENESS, PAST_LIMIT = 1e-3, 1e-6
"""How much nearer to each other than they may be bodies are at most [m], and joints past their limits [rad]."""


class HandReach:
    """Finds postures.

    Attributes:
        kinematics: Of the posture that was found last.
    """

    def __init__(
        self, model: RobotModel, arms: Mapping[int, ArmChain], solver: QpSolver, parameters: SeikoParameters | None = None
    ) -> None:
        """Lay out the program of a robot; ``begin`` comes before any search.

        Args:
            model: Robot.
            arms: Those of the hands that may be sent somewhere.
            solver: Solves the quadratic programs.
            parameters: Of the SEIKO whose postures are to be foreseen; None for the defaults.
        """
        self._model, self._arms, self._parameters = model, arms, parameters or SeikoParameters()
        self.kinematics = EffectorKinematics(model)
        self.kinematics.update(model.q_nominal)
        count = len(model.effectors)
        self._targets = FrameTargets.at_rest(self.kinematics)
        self._poses = PoseTask(self.kinematics, np.arange(count), self._targets, weights=np.zeros((count, 6)))
        self._poses.clamps[:] = MAX_STEP, MAX_TURN
        self._com = CenterOfMassTask(self.kinematics, math.sqrt(HELD))
        self._com.desired = np.array([0.0, 0.0, np.nan])
        self._posture = PostureTask(model, model.q_nominal[7:])
        self._posture.damping = DAMPING
        self._posture.stiffness[:] = self._parameters.posture
        self._limits = JointLimits(model, model.lower, model.upper)
        self._limits.max_change = np.full(model.n, MAX_JOINT_STEP)
        self._min_cosine = math.cos(self._parameters.max_tilt)
        self._min_height = self._parameters.min_height * model.q_nominal[2]
        self._upright = UprightLimits(self.kinematics.data.oMi[1].rotation, self._min_cosine, self._min_height)
        self._torques = GravityTorqueLimits(model)
        self._apart = SelfCollisionLimit(model, self.kinematics)
        self._inverse = InverseKinematics(
            model,
            self.kinematics,
            solver,
            (self._poses, self._com, self._posture, BaseDamping(BASE_DAMPING)),
            (self._limits, self._upright, self._torques, self._apart),
            max_base_motion=MAX_BASE_STEP,
        )
        self._min_facing = [math.cos(choose_contact_making(model, e).max_tilt) for e in range(count)]

    def begin(self, posture: HeldPosture) -> None:
        """Take the posture from which hands reach, and the nearest to which is looked for."""
        self._begun, p = posture, self._parameters
        self.kinematics.update(posture.q)
        self._held = self.kinematics.poses.copy()
        self._weights = np.tile(np.repeat([p.position, p.orientation], 3), (len(self._held), 1))
        for effector in posture.effectors:
            self._held[effector] = posture.contact_poses[effector]
            turns = self._model.effectors[effector].contact is ContactKind.POINT
            self._weights[effector] = np.repeat([HELD, 0.0 if turns else HELD], 3)
        self._ground = float(np.mean([self._held[e, 2, 3] for e in posture.effectors if self._model.effectors[e].is_foot]))
        self._com.target = np.append(posture.position_com, np.nan)
        self._posture.desired = posture.q[7:]

    def find(self, places: Mapping[int, Place], start: np.ndarray) -> np.ndarray | None:
        """Find a posture with hands at places.

        Args:
            places: By the hands' indices among the effectors.
            start: Configuration to begin at, shape ``(nq,)``, such as that of a place nearby.

        Returns:
            Configuration, shape ``(nq,)``, that the kinematics then have; None where there is none within all limits.
        """
        self._targets.poses[:] = self._held
        self._poses.weights[:] = self._weights
        for hand, place in places.items():
            self._targets.poses[hand, :3, 3] = place.position
            self._poses.weights[hand, :3] = HELD
        return self._go(start, places)

    def measure_overlap(self) -> float:
        """Measure how much too near to each other bodies are in the kinematics' configuration [m]; nothing for none."""
        collision = self._apart.collision
        collision.update(self.kinematics.joint_poses)
        return max(0.0, collision.least_distance - float(collision.distances.min(initial=np.inf)))

    def _go(self, q: np.ndarray, places: Mapping[int, Place]) -> np.ndarray | None:
        """Take steps until hardly anything moves; the last posture that is sound, which is loaded, None where none is."""
        self._load(q)
        best, since = math.inf, 0
        arrived: list[np.ndarray] = []
        for _ in range(STEPS):
            for hand, place in places.items():
                turn_axis(self.kinematics.poses[hand], place.normal, self._targets.poses[hand])
            solution = self._inverse.find_motion(q)
            if not solution.solved:
                break
            q = pin.integrate(self._model.pinocchio, q, solution.x)
            self._load(q)
            distance = self._measure_distance(places)
            if distance <= REACHED:
                if np.abs(solution.x).max() < AT_REST and self._is_sound(q, places):
                    return q
                arrived.append(q)
            best, since = (distance, 0) if distance < PROGRESS * best else (best, since + 1)
            if since >= PATIENCE:
                break
        for q in reversed(arrived):
            self._load(q)
            if self._is_sound(q, places):
                return q
        return None

    def _load(self, q: np.ndarray) -> None:
        """Take a configuration over, shape ``(nq,)``."""
        self.kinematics.update(q)
        self._torques.q = q
        self._torques.gravity = pin.computeGeneralizedGravity(self._model.pinocchio, self.kinematics.data, q)
        self._upright.height = q[2] - self._ground

    def _measure_distance(self, places: Mapping[int, Place]) -> float:
        poses = self.kinematics.poses
        return max(math.dist(poses[hand, :3, 3], place.position) for hand, place in places.items())

    def _is_sound(self, q: np.ndarray, places: Mapping[int, Place]) -> bool:
        """Whether hands that are at their places face them, and nothing that must hold has given way."""
        model, poses, contacts = self._model, self.kinematics.poses, list(self._begun.effectors)
        return (
            all(poses[hand, :3, 2] @ place.normal >= self._min_facing[hand] for hand, place in places.items())
            and np.abs(poses[contacts, :3, 3] - self._held[contacts, :3, 3]).max() <= CONTACT_ERROR
            and np.abs(self.kinematics.position_com_in_world[:2] - self._begun.position_com).max() <= COM_ERROR
            and bool(np.all((q[7:] >= model.lower - PAST_LIMIT) & (q[7:] <= model.upper + PAST_LIMIT)))
            and self.kinematics.joint_poses[1, 2, 2] >= self._min_cosine - SOFTNESS
            and q[2] - self._ground >= (1.0 - SOFTNESS) * self._min_height
            and self.measure_overlap() <= CLOSENESS
            and all(self._carries_itself(self._arms[hand]) for hand in places)
        )

    def _carries_itself(self, arm: ArmChain) -> bool:
        """Whether an arm holds its own weight: nothing bears it before its hand touches."""
        torques, limits = self._torques.gravity[arm.own], self._model.torque_limits[arm.own - 6]
        return bool(np.all(np.abs(torques) <= (1.0 + SOFTNESS) * limits))


@njit(cache=True)
def turn_axis(pose: np.ndarray, axis: np.ndarray, out: np.ndarray) -> None:
    r"""Fill the rotation of a pose turned the shortest way so that its z is along an axis.

    .. math:: R' = (c I + [k]_\times + k k^T / (1 + c)) R, \quad k = z \times a, \; c = z^T a

    Where the two are opposite the way round goes about the pose's own x.

    Args:
        pose: Shape ``(4, 4)``; its rotation is read.
        axis: Unit, shape ``(3,)``.
        out: Filled: its rotation, shape ``(4, 4)``.
    """
    cosine = pose[0, 2] * axis[0] + pose[1, 2] * axis[1] + pose[2, 2] * axis[2]
    if cosine < -0.999:
        for i in range(3):
            out[i, 0], out[i, 1], out[i, 2] = pose[i, 0], -pose[i, 1], -pose[i, 2]
        return
    x = pose[1, 2] * axis[2] - pose[2, 2] * axis[1]
    y = pose[2, 2] * axis[0] - pose[0, 2] * axis[2]
    z = pose[0, 2] * axis[1] - pose[1, 2] * axis[0]
    for j in range(3):
        a, b, c = pose[0, j], pose[1, j], pose[2, j]
        along = (x * a + y * b + z * c) / (1.0 + cosine)
        out[0, j] = cosine * a + y * c - z * b + x * along
        out[1, j] = cosine * b + z * a - x * c + y * along
        out[2, j] = cosine * c + x * b - y * a + z * along
