r"""From key postures to a motion whose whole-body dynamics are balanced.

Three steps, repeated until the zero moment point of the whole body is where the plan has it (Kajita's dynamics filter, with an
optimal plan in place of preview control):

1. the smoothest centre of mass whose zero moment point stays within the support (``com_plan``), given what the limbs do;
2. the whole body after it by inverse kinematics, a knot at a time, feet exactly on their trajectories;
3. inverse dynamics of what came out: how far the limbs and the height shift the zero moment point from that of a point mass.

What comes out is checked like any other file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pinocchio as pin

from handhold.retarget.motions.authoring.com_plan import ComTask, plan_com
from handhold.retarget.motions.authoring.initial_path import KeyTrajectory
from handhold.retarget.motions.authoring.inverse_kinematics import LIMIT_MARGIN, PostureSolver, PostureTargets
from handhold.retarget.motions.authoring.key_postures import KeyPostures
from handhold.retarget.motions.authoring.key_solver import SolvedKey, solve_keys
from handhold.retarget.motions.body_measures import list_states, measure_body
from handhold.retarget.motions.chart import compute_coordinates
from handhold.retarget.motions.errors import NoMotionFound
from handhold.retarget.motions.motion import ContactInterval, Motion
from handhold.retarget.motions.support import compute_max_load_ratios, compute_support, find_ground
from handhold.robots.model import RobotModel

EXTRA_MARGIN = 5e-3
"""How much further inside the margins of the check the zero moment point is planned [m]: for what the filter leaves."""

JOINTS, BASE = 1.0, (30.0, 30.0)
"""Weights of the trajectory's joints, and of its height and attitude of the base."""

AT_LIMIT = 1e-3
"""How near to where it stops a joint counts as stopped [rad]."""

MAX_PASSES, CONVERGENCE = 8, 1e-3
"""Largest number of passes, and change of the zero moment point that ends them [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """How far the optimiser is.

    Attributes:
        number: Passes so far.
        largest_shift: How far the zero moment point still is from where the plan has it [m].
    """

    number: int
    largest_shift: float


def optimise_motion(model: RobotModel, keys: KeyPostures, notify: Callable[[Pass], None] = lambda _pass: None) -> Motion:
    """Make a motion of key postures.

    Args:
        model: The robot.
        keys: What is asked of it.
        notify: Called after each pass.

    Raises:
        MotionFileError: The key postures name something that the robot does not have.
        NoMotionFound: A key posture cannot be reached, or no centre of mass keeps the balance between them.
    """
    solved = solve_keys(model, keys)
    trajectory = KeyTrajectory(model, solved)
    motion = _make_motion(model, keys, solved, trajectory)
    ground = _Ground(model, motion, trajectory)
    shifts, largest = np.zeros((len(trajectory.times), 2)), np.inf
    body = measure_body(model, list_states(motion, trajectory.times))
    for number in range(MAX_PASSES):
        levers = body.compute_levers(ground.heights)
        com = plan_com(
            ComTask(
                times=trajectory.times,
                trajectory=trajectory.com[:, :2],
                levers=levers,
                shifts=shifts,
                supports=ground.supports,
            )
        )
        if com is None:
            problem = "the zero moment point cannot stay within the support between the key postures"
            raise NoMotionFound(keys.source, problem, _advise(model, motion))
        motion = replace(motion, postures=_follow(model, trajectory, ground.poses, com))
        body = measure_body(model, list_states(motion, trajectory.times))
        before, shifts = shifts, body.compute_zmp(ground.heights) - body.compute_point_zmp(ground.heights)
        largest = float(np.linalg.norm(shifts - before, axis=1).max())
        notify(Pass(number=number + 1, largest_shift=largest))
        if largest < CONVERGENCE:
            return motion
    problem = f"the limbs still shift the zero moment point by {largest:.3f} m from one pass to the next"
    raise NoMotionFound(keys.source, problem, "give fast key postures more time")


def _advise(model: RobotModel, motion: Motion) -> str:
    """Return what remedies a motion without a plan: it is too fast, or a joint that stops at its limit jerks the others."""
    more_time = "give them more time, or leave a foot bearing longer"
    joints = motion.postures[:, 6:]
    room = np.minimum(joints - model.lower, model.upper - joints)
    stopped = np.flatnonzero((room <= LIMIT_MARGIN + AT_LIMIT).any(axis=1))
    if not stopped.size:
        return more_time
    # The first one: those that stop later may do so because they took over from it.
    knot = int(stopped[0])
    joint = int(room[knot].argmin())
    name, time = motion.joints[joint], motion.times[knot]
    return f"place pelvis or trunk so that {name} keeps off its limit (it is there at {time:.1f} s), or {more_time}"


class _Ground:
    """What a motion stands on at its knots.

    Attributes:
        poses: Poses of all effectors, shape ``(k, effectors, 4, 4)``.
        supports: Where the zero moment point may be.
        heights: Of the ground, shape ``(k,)`` [m].
    """

    def __init__(self, model: RobotModel, motion: Motion, trajectory: KeyTrajectory) -> None:
        effectors = range(len(model.effectors))
        self.poses = np.stack([[trajectory.find_pose(e, knot) for e in effectors] for knot in range(len(trajectory.times))])
        inset = model.description.margins.reference + EXTRA_MARGIN
        supporting = [
            (p, compute_max_load_ratios(motion, model, float(t))) for p, t in zip(self.poses, trajectory.times, strict=True)
        ]
        self.supports = [compute_support(model, poses, max_load_ratios, inset) for poses, max_load_ratios in supporting]
        self.heights = np.array([find_ground(model, poses, max_load_ratios) for poses, max_load_ratios in supporting])


def _follow(model: RobotModel, trajectory: KeyTrajectory, poses: np.ndarray, com: np.ndarray) -> np.ndarray:
    """Return the postures of the whole body after a centre of mass, shape ``(k, nv)``."""
    solver, ground = PostureSolver(model), pin.SE3.Identity()
    feet = [index for index, effector in enumerate(model.effectors) if effector.standing]
    postures = []
    for knot in range(len(trajectory.times)):
        q = trajectory.find_posture(knot)
        targets = PostureTargets(
            effectors={e: poses[knot, e] for e in _list_kept(trajectory, knot, feet)},
            com=com[knot],
            base=pin.XYZQUATToSE3(q[:7]).homogeneous,
            base_weights=BASE,
            joints=q[7:],
            joint_weights=np.full(model.n, JOINTS),
        )
        postures.append(compute_coordinates(solver.solve(q, targets), ground))
    return np.stack(postures)


def _list_kept(trajectory: KeyTrajectory, knot: int, feet: list[int]) -> list[int]:
    """Return the effectors that are exactly on their trajectories: feet, and hands that support."""
    supporting = [key for key in trajectory.keys if key.time <= trajectory.times[knot]][-1].supporting
    return sorted({*feet, *supporting})


def _make_motion(model: RobotModel, keys: KeyPostures, solved: tuple[SolvedKey, ...], trajectory: KeyTrajectory) -> Motion:
    """Return the motion that follows the trajectory itself, whether that is balanced or not."""
    ground = pin.SE3.Identity()
    postures = [trajectory.find_posture(knot) for knot in range(len(trajectory.times))]
    return Motion(
        name=keys.name,
        title=keys.title,
        robot=model.description.name,
        world=keys.world,
        joints=model.joint_names,
        contacts=list_intervals(model, solved),
        times=trajectory.times,
        postures=np.stack([compute_coordinates(q, ground) for q in postures]),
        source=keys.source,
    )


def list_intervals(model: RobotModel, keys: tuple[SolvedKey, ...]) -> tuple[ContactInterval, ...]:
    """Return which effectors support when."""
    intervals = []
    for index, effector in enumerate(model.effectors):
        start: float | None = None
        for key in keys:
            in_contact = index in key.supporting
            if in_contact and start is None:
                start = key.time
            elif not in_contact and start is not None:
                intervals.append(ContactInterval(effector=effector.name, start=start, end=key.time))
                start = None
        if start is not None and start < keys[-1].time:
            intervals.append(ContactInterval(effector=effector.name, start=start, end=keys[-1].time))
    return tuple(intervals)
