"""Phrases of scores with a gripper."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from handhold.app.lab.scenarios.phrases import DWELL_TIME, drag_hand
from handhold.app.lab.scenarios.score import Beat, Hands, Step, Vector, move, release, squeeze, trigger, wait
from handhold.app.limbs import Side
from handhold.render.snapshot import Snapshot
from handhold.robots.model import RobotModel

PULL = 0.4
"""Time in which a trigger is pulled or released [s]."""

CLOSING_TIME = 1.0
"""Time that a gripper is given to close or to open [s]."""

APPROACH_SPEED = 0.08
"""Speed of a hand that brings an open gripper about an object [m/s]."""


def open_gripper(side: Side) -> tuple[Step, ...]:
    """Take the gripper up by its trigger, which has to be pulled as far as the gripper is closed, and open it."""
    return (
        squeeze(side),
        trigger(side, 1.0, PULL),
        trigger(side, 0.0, PULL),
        wait(CLOSING_TIME),
        release(side),
        wait(DWELL_TIME),
    )


def grasp(side: Side, to_object: np.ndarray, before: float, turn: Vector) -> tuple[Step, ...]:
    """Bring an open gripper before an object, turned to it, then about it, and close it.

    Args:
        side: Of the hand.
        to_object: From the effector to the object's middle, in world, shape ``(3,)`` [m].
        before: How far before the object, along x, the gripper is turned [m].
        turn: Rotation vector in world [rad].
    """
    x, y, z = to_object.tolist()
    return (
        *drag_hand(side, (x - before, y, z), speed=APPROACH_SPEED, turn=turn),
        squeeze(side),
        move(side, (before, 0.0, 0.0), APPROACH_SPEED),
        wait(DWELL_TIME),
        trigger(side, 1.0, PULL),
        wait(CLOSING_TIME),
        release(side),
        wait(DWELL_TIME),
    )


def bring_until(
    model: RobotModel, side: Side, effector: int, axis: int, coordinate: float, *, speed: float, timeout: float
) -> Step:
    """Move a hand along an axis of the world until its effector, as it is measured, is at a coordinate.

    Args:
        model: The robot.
        side: Of the hand.
        effector: What it commands.
        axis: 0, 1 or 2 for x, y or z.
        coordinate: In world [m].
        speed: Of the hand [m/s], with its sign.
        timeout: Longest time that it may take [s].
    """

    def step(hands: Hands, begun: float, now: float, snapshot: Snapshot | None) -> Beat:
        there = snapshot is not None and speed * (model.effector_poses(snapshot.q)[effector, axis, 3] - coordinate) >= 0.0
        late = now - begun >= timeout
        displacement = speed * (now - begun) * np.eye(3)[axis]
        pose = hands.of(side).pose
        moved = None if pose is None else pin.SE3(pose.rotation, pose.translation + displacement)
        missed = f"{side} hand at {coordinate:g} m (at {now:.1f} s)" if late and not there else ""
        return Beat(hands.change(side, pose=moved, aim=moved), bool(there) or late, missed)

    return step


def compute_turn_to_grasp(pose: np.ndarray) -> Vector:
    """Compute the shortest turn with which a gripper points ahead, along x, and its fingers close from side to side.

    Args:
        pose: Pose of the effector of its tip in world, shape ``(4, 4)``; z points back along the gripper, y along which its
            fingers close.

    Returns:
        Rotation vector in world [rad].
    """
    turns = []
    for way in (1.0, -1.0):
        goal = np.array([[0.0, 0.0, -1.0], [0.0, way, 0.0], [way, 0.0, 0.0]])
        turns.append(pin.log3(goal @ pose[:3, :3].T))
    x, y, z = min(turns, key=lambda turn: float(np.linalg.norm(turn))).tolist()
    return x, y, z
