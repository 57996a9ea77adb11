"""The robot as measured, its reference as a ghost, and a previewed pose."""

from __future__ import annotations

import numpy as np
from numba import njit

from handhold.render import palette
from handhold.render.elements.drawing import WORLD_TEXT, repeat, write
from handhold.render.elements.element import Element
from handhold.render.elements.stage import Stage
from handhold.render.palette import to_linear
from handhold.render.scene import RobotInstance
from handhold.render.snapshot import Snapshot
from handhold.retarget.mode_report import Preview

GHOST_OPACITY = 0.4
PREVIEW_OPACITY = 0.5
DIFFERS_BY = 0.012
"""A link of the ghost is shown where it is this far from the robot's own [m]; nearer it would only flicker through it."""
DIFFERS_TURNED = 0.06
"""Or this far turned [rad]."""
LOAD_SHOWS_FROM = 0.8
"""Load ratio from which on a joint is tinted."""
OVER_THE_HEAD = 0.35
"""Height of a preview's title over its robot's eyes [m]."""
AHEAD = 1.2
"""How far before the eyes it is for one who looks through them [m]."""


def draw_robot(snapshot: Snapshot, joints: np.ndarray, stage: Stage, *, from_inside: bool) -> RobotInstance:
    """Return the robot as measured, joints near a limit tinted.

    Args:
        snapshot: What is known of it.
        joints: Poses of its joints, shape ``(joints, 4, 4)``.
        stage: The robot.
        from_inside: Whether it is seen from its own eyes: then what would hide the view is left out.
    """
    visible = stage.visible_from_inside if from_inside else stage.visible
    return RobotInstance(robot=stage.robot, joints=joints, tints=tint_loads(snapshot, stage), opacity=1.0, visible=visible)


def tint_loads(snapshot: Snapshot, stage: Stage) -> np.ndarray:
    """Return how joints near their torque or position limit are coloured, shape ``(joints, 4)``."""
    return mark_loads(stage.compute_loads(snapshot.q, snapshot.joint_torques), stage.finger_parents)


def mark_loads(loads: np.ndarray, finger_parents: np.ndarray) -> np.ndarray:
    """Return the colours of joints by their loads, as ``tint_loads`` does.

    Args:
        loads: Of the actuated ones [-], shape ``(n,)``.
        finger_parents: Joints that carry fingers: these have their colours, shape ``(fingers,)``.
    """
    return _tint(loads, finger_parents, _ALARM)


@njit(cache=True)
def _tint(loads: np.ndarray, finger_parents: np.ndarray, color: np.ndarray) -> np.ndarray:
    # Joint 0 is the world and joint 1 the free base; then come the actuated ones in order, and fingers.
    own = len(loads) + 2
    tints = np.zeros((own + len(finger_parents), 4), dtype=np.float32)
    for joint in range(len(tints)):
        tints[joint, :3] = color[:3]
    for k in range(len(loads)):
        strength = (loads[k] - LOAD_SHOWS_FROM) / (1.0 - LOAD_SHOWS_FROM)
        tints[k + 2, 3] = 0.45 + 0.45 * min(strength, 1.0) if strength > 0.0 else 0.0
    for k in range(len(finger_parents)):
        tints[own + k] = tints[finger_parents[k]]
    return tints


_ALARM = np.array(to_linear(palette.ALARM))


def compute_ghost(snapshot: Snapshot, stage: Stage) -> np.ndarray | None:
    """Return the poses of the reference's joints in world, shape ``(joints, 4, 4)``; None of one that cannot be shown."""
    finite = np.isfinite(snapshot.reference.q).all()
    return stage.compute_joints(snapshot.reference.q, snapshot.gripper_closings) if finite else None


def find_visible(joints: np.ndarray, ghost: np.ndarray, stage: Stage, *, from_inside: bool) -> np.ndarray:
    """Say which joints of a ghost are shown: those that are elsewhere than the robot's, shape ``(joints,)``."""
    visible = find_differences(joints, ghost)
    return visible & stage.visible_from_inside if from_inside else visible


def draw_ghost(ghost: np.ndarray, visible: np.ndarray, stage: Stage) -> tuple[RobotInstance, ...]:
    """Return the reference as a ghost, where it differs from the robot.

    Args:
        ghost: What ``compute_ghost`` says.
        visible: What ``find_visible`` says.
        stage: The robot.
    """
    if not visible.any():
        return ()
    tints = repeat(palette.REFERENCE, 1.0, len(ghost))
    return (RobotInstance(robot=stage.robot, joints=ghost, tints=tints, opacity=GHOST_OPACITY, visible=visible),)


@njit(cache=True)
def find_differences(joints: np.ndarray, ghost: np.ndarray) -> np.ndarray:
    """Say which joints of two configurations are apart, shape ``(joints,)``."""
    differs = np.empty(len(joints), dtype=np.bool_)
    for k in range(len(joints)):
        moved, turned = 0.0, 0.0
        for i in range(3):
            moved += (ghost[k, i, 3] - joints[k, i, 3]) ** 2
            for j in range(3):
                turned += (ghost[k, i, j] - joints[k, i, j]) ** 2
        # |R1 - R2| (Frobenius) = 2 sqrt(2) sin(angle / 2)
        differs[k] = moved > DIFFERS_BY**2 or turned > 2.0 * DIFFERS_TURNED**2
    return differs


def draw_preview(preview: Preview | None, closings: np.ndarray, stage: Stage, *, from_inside: bool) -> tuple[Element, ...]:
    """Return a previewed pose as a second ghost with its title; red-orange and with the reason where it cannot be.

    Args:
        preview: The pose, or None.
        closings: How far its grippers are closed, as those of the robot, shape ``(grippers,)``.
        stage: The robot.
        from_inside: Whether it is seen from the robot's own eyes: then what would hide the view is left out, and the title
            stands ahead of them.
    """
    if preview is None or preview.q.shape != (stage.model.nq,) or not np.isfinite(preview.q).all():
        return ()
    joints = stage.compute_joints(preview.q, closings)
    color = palette.PREVIEW if preview.feasible else palette.ALARM
    tints = repeat(color, 1.0, len(joints))
    visible = stage.visible_from_inside if from_inside else stage.visible
    instance = RobotInstance(robot=stage.robot, joints=joints, tints=tints, opacity=PREVIEW_OPACITY, visible=visible)
    ahead = np.array([AHEAD if from_inside else 0.0, 0.0, 0.0])
    eye = joints[1, :3, :3] @ (stage.position_eye_in_base + ahead) + joints[1, :3, 3]
    words = preview.title if preview.feasible else f"{preview.title}: not possible\n{preview.reason}"
    title = write(words, (eye[0], eye[1], eye[2] + OVER_THE_HEAD), height=1.2 * WORLD_TEXT, plate=to_linear(color, 0.85))
    return instance, title
