"""The path of a robot from where it stands through a motion, and back."""

from __future__ import annotations

import math

import numpy as np
import pinocchio as pin

from handhold.retarget.least_jerk import compute_remainder
from handhold.retarget.motions.chart import ChartState, compute_body_state, compute_coordinates
from handhold.retarget.motions.check import SAMPLE
from handhold.retarget.motions.errors import CannotStart
from handhold.retarget.motions.loading import CheckedMotion
from handhold.retarget.motions.rest import BRAKING
from handhold.robots.model import RobotModel

MAX_FOOT_OFFSET, MAX_FOOT_ROTATION = 0.02, 0.1
"""How far from where a motion begins a foot may stand [m], and be turned [rad]: nothing moves it before."""

STRAIGHT, BENT, STRAIGHT_RATIO = 0.03, 0.06, 0.25
"""Smallest singular values of a leg's Jacobian [m/rad] at which only a ratio of that is allowed [-], and at which all is:
a straight leg reaches no further."""

MAX_LEG_ERROR = 0.35
"""How far a joint of a leg may be from where a motion begins [rad]: further off, the way between would draw at the feet."""

MAX_JOINT_ERROR = 2.5
"""How far any other joint may be [rad]."""

APPROACH, APPROACH_SPEED = 1.2, 0.5
"""Least time of the approach to where a motion begins [s], and the mean speed of its fastest joint [rad/s]."""


class MotionPath:
    r"""A motion with an approach to its beginning before it.

    At negative times the posture is :math:`s(0) + \beta(t) \delta`: that of the beginning, and ever less of how far the robot
    was from it.

    Attributes:
        checked: The motion.
        frame: Motion frame in world.
        start: Time at which it begins, negative [s].
        stops: Times at which it may stop, rising; its two ends among them [s].
    """

    def __init__(self, checked: CheckedMotion, frame: pin.SE3, x: np.ndarray) -> None:
        """Begin at motion coordinates ``x``, shape ``(nv,)``, where the robot is at rest."""
        self.checked, self.frame = checked, frame
        first = checked.motion.sample(0.0).x
        self._offset = x - first
        distance = float(np.abs(self._offset[3:]).max())
        self.start = -max(APPROACH, distance / APPROACH_SPEED)
        before = np.arange(self.start + BRAKING, -BRAKING, SAMPLE)
        examination = checked.examination
        rests = examination.times[examination.rests]
        self.stops = np.concatenate([[self.start], before, rests])
        motion = checked.motion
        begun_on = set(motion.list_supporting(0.0))
        standing = [begun_on <= set(motion.list_supporting(float(time))) for time in rests]
        self._full_support_stops = np.concatenate([[self.start], before, rests[standing]])

    @property
    def end(self) -> float:
        """Time at which it ends [s]."""
        return self.checked.motion.duration

    def sample(self, time: float) -> ChartState:
        """Return the posture at a time, and how it changes when played at its own speed."""
        state = self.checked.motion.sample(max(time, 0.0))
        if time >= 0.0:
            return state
        left, rate, acceleration = compute_remainder((time - self.start) / -self.start)
        span = -self.start
        return ChartState(
            x=state.x + left * self._offset,
            rate=rate / span * self._offset,
            acceleration=acceleration / span**2 * self._offset,
        )

    def find_wrenches(self, time: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the wrenches, shape ``(effectors, 6)``, and joint torques, shape ``(n,)``, that support it at a time."""
        examination = self.checked.examination
        index = min(max(time, 0.0), self.end) / (examination.times[1] - examination.times[0])
        k = min(int(index), len(examination.times) - 2)
        part = index - k
        wrenches = (1.0 - part) * examination.wrenches[k] + part * examination.wrenches[k + 1]
        return wrenches, (1.0 - part) * examination.torques[k] + part * examination.torques[k + 1]

    def find_stop(self, time: float, direction: float, *, full_support: bool = False) -> float:
        """Return the first time from which on it may stop, going on (1) or back (-1), braking from ``time`` on at once.

        With ``full_support`` only where all support that support at the beginning.
        """
        stops = self._full_support_stops if full_support else self.stops
        braked = time + 0.5 * direction * BRAKING
        if direction > 0.0:
            ahead = stops[stops >= braked - 1e-9]
            return float(ahead[0]) if len(ahead) else self.end
        behind = stops[stops <= braked + 1e-9]
        return float(behind[-1]) if len(behind) else self.start


def find_frame(checked: CheckedMotion, model: RobotModel, poses: np.ndarray) -> pin.SE3:
    """Find the motion frame in which a motion's feet are where the robot's are, on average.

    Args:
        checked: The motion.
        model: The robot.
        poses: Where the robot's effectors are in world, shape ``(effectors, 4, 4)``.
    """
    feet, begin = _find_first_feet(checked, model)
    yaws = [np.arctan2(p[1, 0], p[0, 0]) - np.arctan2(b[1, 0], b[0, 0]) for p, b in zip(poses[feet], begin, strict=True)]
    # Angles are averaged as directions.
    yaw = float(np.arctan2(np.sin(yaws).mean(), np.cos(yaws).mean()))
    rotation = pin.rpy.rpyToMatrix(0.0, 0.0, yaw)
    return pin.SE3(rotation, poses[feet, :3, 3].mean(axis=0) - rotation @ begin[:, :3, 3].mean(axis=0))


def plan_path(checked: CheckedMotion, model: RobotModel, q: np.ndarray, poses: np.ndarray) -> MotionPath:
    """Plan the path from a posture at rest through a motion.

    Args:
        checked: The motion.
        model: The robot.
        q: Configuration that the robot is held at, shape ``(nq,)``.
        poses: Where its effectors really are in world, shape ``(effectors, 4, 4)``.

    Raises:
        CannotStart: Its feet or legs are too far from where the motion begins.
    """
    frame = find_frame(checked, model, poses)
    _check_feet(checked, model, frame, poses)
    x = compute_coordinates(q, frame)
    _check_joints(checked, model, x)
    return MotionPath(checked, frame, x)


def _find_first_feet(checked: CheckedMotion, model: RobotModel) -> tuple[list[int], np.ndarray]:
    """Return the feet that support as a motion begins, and their poses in the motion frame."""
    supporting = checked.motion.list_supporting(0.0)
    feet = [index for index, about in enumerate(model.effectors) if about.name in supporting and about.is_foot]
    q = compute_body_state(checked.motion.sample(0.0), pin.SE3.Identity()).q
    return feet, model.effector_poses(q)[feet]


def find_max_foot_offset(checked: CheckedMotion) -> float:
    """Find how far from where a motion begins a foot may stand [m]."""
    value = checked.examination.min_singular_value
    return MAX_FOOT_OFFSET * float(np.interp(value, [STRAIGHT, BENT], [STRAIGHT_RATIO, 1.0]))


def _check_feet(checked: CheckedMotion, model: RobotModel, frame: pin.SE3, poses: np.ndarray) -> None:
    feet, begin = _find_first_feet(checked, model)
    max_offset = find_max_foot_offset(checked)
    for foot, pose in zip(feet, begin, strict=True):
        desired = frame.homogeneous @ pose
        offset = float(np.linalg.norm(poses[foot, :3, 3] - desired[:3, 3]))
        turned = float(np.linalg.norm(pin.log3(desired[:3, :3].T @ poses[foot, :3, :3])))
        if offset > max_offset or turned > MAX_FOOT_ROTATION:
            where = f"{math.ceil(1e2 * offset)} cm from" if offset > max_offset else f"turned by {turned:.2f} rad from"
            problem = f"{model.effectors[foot].name.replace('_', ' ')} stands {where} where the motion begins"
            raise CannotStart(checked.motion.name, problem, "move the feet there first, by another motion or by walking")


def _check_joints(checked: CheckedMotion, model: RobotModel, x: np.ndarray) -> None:
    offset = np.abs(x - checked.motion.sample(0.0).x)[6:]
    max_errors = np.full(model.n, MAX_JOINT_ERROR)
    for effector, joint in zip(model.effectors, model.effector_joints, strict=True):
        if effector.is_foot:
            supports = [j for j in model.pinocchio.supports[joint].tolist() if j > 1]
            max_errors[[model.pinocchio.joints[j].idx_v - 6 for j in supports]] = MAX_LEG_ERROR
    worst = int((offset / max_errors).argmax())
    if offset[worst] > max_errors[worst]:
        problem = f"{model.joint_words[worst]} is {offset[worst]:.2f} rad from where the motion begins"
        raise CannotStart(checked.motion.name, problem, f"bring it within {max_errors[worst]:.2f} rad first")
