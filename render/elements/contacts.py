"""What the robot touches and is asked to touch: forces, where its hands are to be, steps."""

from __future__ import annotations

import numpy as np

from handhold.render import palette
from handhold.render.elements.drawing import (
    WORLD_TEXT,
    lay_on,
    make_arrows,
    make_balls,
    make_outline,
    write,
)
from handhold.render.elements.element import Element
from handhold.render.palette import to_linear
from handhold.render.scene import Fill, Lines
from handhold.render.snapshot import Footstep, HandStatus, Snapshot
from handhold.render.stage import Stage

FORCE_LENGTH = 0.8
"""Length of the arrow of a force equal to the robot's weight [m]."""
LEAST_FORCE = 5.0
"""Smaller forces are not drawn [N]."""
BESIDE = 0.16
"""The arrows of feet stand this far outside the legs that would hide them [m]."""
FORCE_WIDTH = 0.022
TARGET = 0.06
"""Diameter of the ball where a hand is asked to be [m]."""
AXIS = 0.07
"""Length of the axes that show how it is asked to turn [m]."""
OFF_THE_SURFACE = 0.004
STEP_WIDTH = 0.012
UP = np.array([0.0, 0.0, 1.0])
SOLE = (0.11, 0.06)
"""Half lengths of a step whose robot has no flat sole [m]."""


def draw_forces(snapshot: Snapshot, effectors: np.ndarray, stage: Stage) -> tuple[Element, ...]:
    """Return the measured contact forces as arrows; the robot's whole weight is 0.8 m long.

    Args:
        snapshot: The forces and the centre of mass.
        effectors: Poses of the effectors in world, shape ``(effectors, 4, 4)``.
        stage: The robot.
    """
    tails, heads = compute_force_arrows(snapshot, effectors, stage.standing, stage.model.weight)
    return make_arrows(tails, heads, FORCE_WIDTH, to_linear(palette.FORCE))


def compute_force_arrows(
    snapshot: Snapshot, effectors: np.ndarray, standing: np.ndarray, weight: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return tails and heads of the arrows of the measured contact forces in world, shape ``(arrows, 3)`` each [m]."""
    forces = np.einsum("eij,ej->ei", effectors[:, :3, :3], snapshot.contact_wrenches[:, :3])
    felt = np.sqrt((forces * forces).sum(axis=1)) >= LEAST_FORCE
    tails = effectors[felt, :3, 3].astype(float)
    outward = np.nan_to_num(tails[:, :2] - snapshot.position_com_in_world[:2])
    beside = BESIDE * standing[felt, None]
    tails[:, :2] += beside * outward / np.maximum(np.sqrt((outward * outward).sum(axis=1, keepdims=True)), 1e-6)
    return tails, tails + FORCE_LENGTH * forces[felt] / weight


def draw_target(status: HandStatus) -> tuple[Element, ...]:
    """Return where a hand is asked to be: a ball with its axes, green while the operator moves it and grey while it stays."""
    if not np.isfinite(status.target).all():
        return ()
    color = to_linear(palette.ENGAGED if status.engaged else palette.HELD, 0.9)
    middle = status.target[:3, 3]
    ends = np.empty((3, 2, 3), dtype=np.float32)
    ends[:, 0] = middle
    ends[:, 1] = middle + AXIS * status.target[:3, :3].T
    axes = Lines(ends=ends, colors=np.repeat(color[None], 3, axis=0), width=0.008)
    return make_balls(middle[None], TARGET if status.engaged else 0.75 * TARGET, color[None]), axes


def draw_footsteps(footsteps: tuple[Footstep, ...], stage: Stage) -> tuple[Element, ...]:
    """Return the steps ahead as outlines of soles with their times; the farther ahead, the fainter."""
    soles = {e.name.split("_")[0]: e.half_lengths for e in stage.model.effectors if e.standing and e.half_lengths}
    pieces: list[Element] = []
    for number, step in enumerate(footsteps):
        if np.isfinite(step.pose).all():
            pieces.extend(_draw_footstep(step, soles.get(step.side, SOLE) or SOLE, max(0.35, 1.0 - 0.2 * number)))
    return tuple(pieces)


def _draw_footstep(step: Footstep, half: tuple[float, float], strength: float) -> tuple[Element, ...]:
    hue = palette.BLUE if step.side == "left" else palette.ORANGE
    corners = lay_on(step.pose, _STEP * half, OFF_THE_SURFACE)
    # the toe lies on the sole
    corners[4:] += OFF_THE_SURFACE * step.pose[:3, 2]
    whole, faint = to_linear(hue, round(strength, 2)), to_linear(hue, round(0.3 * strength, 2))
    middles = np.repeat(step.pose[None, :3, 3], len(_STEP_TRIANGLES), axis=0).astype(np.float32)
    return (
        make_outline(corners[:4], STEP_WIDTH, whole),
        Fill(triangles=corners[_STEP_TRIANGLES].astype(np.float32), colors=np.array([faint, faint, whole]), middles=middles),
        write(f"{step.side} {step.delay:.1f} s", step.pose[:3, 3] + WORLD_TEXT * UP, height=WORLD_TEXT),
    )


_STEP = np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [0.5, 0.5], [0.5, -0.5], [0.85, 0.0]])
"""Corners of a sole and of the toe on it, in half lengths."""
_STEP_TRIANGLES = np.array([[0, 1, 2], [0, 2, 3], [4, 5, 6]])
