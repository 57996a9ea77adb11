"""The robot as measured, its reference as a ghost, and a pose that is coming."""

from __future__ import annotations

import numpy as np

from handhold.render import palette
from handhold.render.elements.drawing import WORLD_TEXT, write
from handhold.render.elements.element import Element
from handhold.render.palette import to_linear
from handhold.render.scene import RobotLook
from handhold.render.snapshot import Preview, Snapshot
from handhold.render.stage import Stage

GHOST_OPACITY = 0.4
PREVIEW_OPACITY = 0.5
DIFFERS_BY = 0.012
"""A link of the ghost is shown where it is this far from the robot's own [m]; nearer it would only flicker through it."""
DIFFERS_TURNED = 0.06
"""Or this far turned [rad]."""
LOAD_SHOWS_FROM = 0.8
"""Share of its limit from which on a joint is tinted."""
OVER_THE_HEAD = 0.35
"""Height of a preview's title over its robot's eyes [m]."""


def draw_robot(snapshot: Snapshot, joints: np.ndarray, stage: Stage, *, from_inside: bool) -> RobotLook:
    """Return the robot as measured, joints near a limit tinted.

    Args:
        snapshot: What is known of it.
        joints: Poses of its joints, shape ``(joints, 4, 4)``.
        stage: The robot.
        from_inside: Whether it is seen from its own eyes: then what would hide the view is left out.
    """
    visible = ~stage.carries_camera if from_inside else np.ones(len(joints), dtype=bool)
    return RobotLook(robot=stage.robot, joints=joints, tints=tint_loads(snapshot, stage), opacity=1.0, visible=visible)


def tint_loads(snapshot: Snapshot, stage: Stage) -> np.ndarray:
    """Return how joints near their torque or position limit are coloured, shape ``(joints, 4)``."""
    loads = stage.compute_loads(snapshot.q, snapshot.joint_torques)
    strength = np.clip((loads - LOAD_SHOWS_FROM) / (1.0 - LOAD_SHOWS_FROM), 0.0, 1.0)[:, None]
    near, at = to_linear(palette.LOADED), to_linear(palette.ALARM)
    tints = np.zeros((stage.model.pinocchio.njoints, 4), dtype=np.float32)
    # Joint 0 is the world and joint 1 the free base; then come the actuated ones in order.
    tints[2:] = near + strength * (at - near)
    tints[2:, 3] = 0.0
    tints[2:, 3] = np.where(strength[:, 0] > 0.0, 0.45 + 0.45 * strength[:, 0], 0.0)
    return tints


def draw_ghost(snapshot: Snapshot, joints: np.ndarray, stage: Stage, *, from_inside: bool) -> tuple[Element, ...]:
    """Return the reference as a ghost, where it differs from the robot."""
    if not np.isfinite(snapshot.reference.q).all():
        return ()
    ghost = stage.compute_joints(snapshot.reference.q)
    visible = find_differences(joints, ghost)
    if from_inside:
        visible &= ~stage.carries_camera
    if not visible.any():
        return ()
    tints = np.repeat(to_linear(palette.GHOST)[None], len(ghost), axis=0)
    return (RobotLook(robot=stage.robot, joints=ghost, tints=tints, opacity=GHOST_OPACITY, visible=visible),)


def find_differences(joints: np.ndarray, ghost: np.ndarray) -> np.ndarray:
    """Say which joints of two configurations are apart, shape ``(joints,)``."""
    apart = ghost - joints
    squares = np.einsum("jik,jik->jk", apart[:, :3], apart[:, :3])
    # |R1 - R2| (Frobenius) = 2 sqrt(2) sin(angle / 2)
    return (squares[:, 3] > DIFFERS_BY**2) | (squares[:, :3].sum(axis=1) > 2.0 * DIFFERS_TURNED**2)


def draw_preview(preview: Preview | None, stage: Stage) -> tuple[Element, ...]:
    """Return a coming pose as a second ghost with its title; red-orange and with the reason where it cannot be."""
    if preview is None or preview.q.shape != (stage.model.nq,) or not np.isfinite(preview.q).all():
        return ()
    joints = stage.compute_joints(preview.q)
    color = palette.PREVIEW if preview.feasible else palette.ALARM
    tints = np.repeat(to_linear(color)[None], len(joints), axis=0)
    look = RobotLook(
        robot=stage.robot, joints=joints, tints=tints, opacity=PREVIEW_OPACITY, visible=np.ones(len(joints), dtype=bool)
    )
    eye = joints[1, :3, :3] @ stage.position_eye_in_base + joints[1, :3, 3]
    words = preview.title if preview.feasible else f"{preview.title}: not possible\n{preview.reason}"
    title = write(words, (eye[0], eye[1], eye[2] + OVER_THE_HEAD), height=1.2 * WORLD_TEXT, plate=to_linear(color, 0.85))
    return look, title
