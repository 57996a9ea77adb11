"""Whether a robot can begin to walk as it stands, and the posture in which it would."""

from __future__ import annotations

import math

import numpy as np
import pinocchio as pin

from handhold.retarget.errors import RetargetError
from handhold.retarget.walking.posture import PostureFollower, PostureParameters, PostureTargets
from handhold.robots.contact_kind import ContactKind
from handhold.robots.description import Walking
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel
from handhold.robots.qp import QpSolver

MAX_HEIGHT_DIFFERENCE = 0.03
"""Largest difference of the feet's heights from which a walk begins [m]."""

MAX_SOLE_TILT = math.radians(15.0)
"""Largest tilt of a sole from which a walk begins [rad]: as much as one walks on (``ground.MIN_NORMAL_Z``)."""

MAX_SOLE_ANGLE = math.radians(8.0)
"""Largest angle between the soles' normals from which a walk begins [rad]: both stand on one slope."""

MIN_HEIGHT_RATIO = 0.88
"""Least height of the centre of mass over the feet from which a walk begins, in parts of the nominal posture's [-].

Talos' joints follow every walk to 2.5 mm from as much as 10 cm lower; from 15 cm on they are at their limits, centre of mass
and feet 5 mm off their plan and more, and at 30 cm it fell.
"""

REACH_TOLERANCE = 0.02
"""How far the feet may stand beyond the reach of a step, one from the other [m]."""

PREVIEW_STEPS = 8
"""Steps of the inverse kinematics for a preview; each halves the error at least."""


class CannotWalk(RetargetError):
    """A robot is asked to walk that is not described as one that walks, or does not stand as one could begin."""

    def __init__(self, source: str, problem: str, remedy: str) -> None:
        self.source = source
        self.problem = problem
        super().__init__(f"{source}: {problem}; {remedy}")


def find_walking_feet(model: RobotModel) -> tuple[Walking, tuple[int, int]]:
    """Return how a robot walks, and its left and right foot.

    Raises:
        CannotWalk: The description does not say, or the robot does not stand on two soles.
    """
    walking, source = model.description.walking, model.description.source
    if walking is None:
        raise CannotWalk(source, "it does not say how the robot walks", "add a [walking] table, as Talos has")
    feet = [i for i, effector in enumerate(model.effectors) if effector.standing and effector.contact is ContactKind.PLANE]
    if len(feet) != 2:
        raise CannotWalk(source, f"the robot stands on {len(feet)} soles", "walking takes two")
    # The one that stands further to the left comes first.
    lateral_positions = model.effector_poses(model.q_nominal)[:, 1, 3]
    left, right = sorted(feet, key=lambda foot: -lateral_positions[foot])
    return walking, (left, right)


def find_obstacle_to_walk(model: RobotModel, poses: np.ndarray, contacts: np.ndarray, com: np.ndarray) -> str:
    """Find what keeps a robot from beginning to walk, in words that say what would remedy it; empty where nothing does.

    Args:
        model: Robot that walks.
        poses: Poses of its effectors in world, shape ``(effectors, 4, 4)``.
        contacts: Which of them are in contact, shape ``(effectors,)``.
        com: Its centre of mass, shape ``(3,)`` [m].
    """
    gait, feet = find_walking_feet(model)
    if obstacle := _find_wrong_contact(model, feet, contacts):
        return obstacle
    soles = poses[list(feet)]
    if not _is_even(soles):
        return "put both feet on level ground first"
    if not _within_reach(soles, gait):
        return "put the feet side by side first"
    if (lower := _measure_crouch(model, soles, com)) > 0.0:
        how = "upright yourself in the suit, right stick ahead while bracing, or let the motion go on"
        return f"stand up by {math.ceil(1e2 * lower)} cm first: {how}"
    if not _stands_over(soles, com, np.array(model.effectors[feet[0]].half_lengths) - gait.zmp_inset):
        return "bring the centre of mass over the feet first"
    return ""


def _find_wrong_contact(model: RobotModel, feet: tuple[int, int], contacts: np.ndarray) -> str:
    """Find a contact that must be released, or a foot that must support, in words; empty where just both feet support."""
    names = [effector.name.replace("_", " ") for effector in model.effectors]
    for effector in np.flatnonzero(contacts):
        if effector not in feet:
            return f"release the {names[effector]} first"
    for foot in feet:
        if not contacts[foot]:
            return f"put the {names[foot]} down first"
    return ""


def _measure_crouch(model: RobotModel, soles: np.ndarray, com: np.ndarray) -> float:
    """Measure how much the centre of mass is too low over the soles, negative where it is not [m]."""
    return MIN_HEIGHT_RATIO * model.compute_once(_find_nominal_height) - float(com[2] - soles[:, 2, 3].mean())


def _find_nominal_height(model: RobotModel) -> float:
    """Find how high the centre of mass is over the feet in the nominal posture [m]."""
    kinematics = EffectorKinematics(model)
    kinematics.update(model.q_nominal)
    standing = [k for k, effector in enumerate(model.effectors) if effector.standing]
    return float(kinematics.position_com_in_world[2] - kinematics.poses[standing, 2, 3].mean())


def _is_even(soles: np.ndarray) -> bool:
    """Whether both soles are at about one height, and on one slope that can be walked on."""
    normals = soles[:, :3, 2]
    level = abs(soles[0, 2, 3] - soles[1, 2, 3]) <= MAX_HEIGHT_DIFFERENCE
    return bool(
        level and normals[:, 2].min() >= math.cos(MAX_SOLE_TILT) and normals[0] @ normals[1] >= math.cos(MAX_SOLE_ANGLE)
    )


def _within_reach(soles: np.ndarray, gait: Walking) -> bool:
    """Whether the left sole is where a step could put it from the right one."""
    x, y = (soles[1, :3, :3].T @ (soles[0, :3, 3] - soles[1, :3, 3]))[:2]
    turn = soles[1, :3, :3].T @ soles[0, :3, :3]
    ahead = -gait.longest_backward - REACH_TOLERANCE <= x <= gait.longest_step + REACH_TOLERANCE
    beside = gait.least_spacing - REACH_TOLERANCE <= y <= gait.widest_spacing + REACH_TOLERANCE
    return bool(ahead and beside and abs(math.atan2(turn[1, 0], turn[0, 0])) <= 2.0 * gait.largest_turn)


def _stands_over(soles: np.ndarray, com: np.ndarray, half_lengths: np.ndarray) -> bool:
    """Whether the centre of mass is over the line between the soles' middles, by no more than a sole's half length off."""
    across = soles[1, :2, 3] - soles[0, :2, 3]
    along = float(across @ (com[:2] - soles[0, :2, 3]) / (across @ across))
    beside = float(np.linalg.norm(com[:2] - soles[0, :2, 3] - along * across))
    return 0.0 <= along <= 1.0 and beside <= half_lengths[0]


def preview_walk(model: RobotModel, q: np.ndarray, com: np.ndarray, solver: QpSolver) -> np.ndarray:
    """Compute the posture that walking begins in: on the same feet, as much lower as it walks, over the middle.

    Args:
        model: Robot that walks.
        q: Configuration in which it stands.
        com: Its centre of mass then, shape ``(3,)`` [m].
        solver: Solves the inverse kinematics.

    Returns:
        Configuration, shape ``(nq,)``.
    """
    gait, feet = find_walking_feet(model)
    kinematics = EffectorKinematics(model)
    kinematics.update(q)
    soles = kinematics.poses[list(feet)].copy()
    # A preview moves nothing: no speed is too high.
    follower = PostureFollower(model, q, solver, PostureParameters(trunk_speed=math.inf))
    targets = PostureTargets(
        com=np.array([*soles[:, :2, 3].mean(axis=0), com[2] - gait.com_drop]),
        com_velocity=np.zeros(3),
        effectors=feet,
        poses=soles,
        velocities=np.zeros((2, 6)),
        yaw=mean_yaw(soles),
        yaw_rate=0.0,
        hands={},
    )
    for _ in range(PREVIEW_STEPS):
        follower.step(targets, 1.0 / follower.gain)
    return np.asarray(follower.q)


def mean_yaw(feet: np.ndarray) -> float:
    """Return the angle half way between those of two feet, of their poses, shape ``(2, 4, 4)`` [rad]."""
    first, second = np.arctan2(feet[:, 1, 0], feet[:, 0, 0])
    return float(first + 0.5 * math.remainder(second - first, 2.0 * math.pi))


def make_body_frame(com: np.ndarray, yaw: float) -> np.ndarray:
    """Return the frame that goes along with a robot: under its centre of mass, turned as its base, shape ``(4, 4)``."""
    frame = np.eye(4)
    frame[:3, :3] = pin.rpy.rpyToMatrix(0.0, 0.0, yaw)
    frame[:2, 3] = com[:2]
    return frame
