"""What the robot touches and is asked to touch: forces, where its hands are to be, steps."""

from __future__ import annotations

import numpy as np
from numba import njit

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
from handhold.render.elements.stage import Stage
from handhold.render.palette import to_linear
from handhold.render.scene import Fill, Lines
from handhold.render.snapshot import HandStatus, Snapshot
from handhold.retarget.mode_report import Footstep

FORCE_LENGTH = 0.8
"""Length of the arrow of a force equal to the robot's weight [m]."""
MIN_FORCE = 5.0
"""Smaller forces are not drawn [N]."""
BESIDE = 0.16
"""The arrows of feet stand this far outside the legs that would hide them [m]."""
FORCE_WIDTH = 0.022
TARGET = 0.06
"""Diameter of the ball where a hand is asked to be [m]."""
AXIS = 0.07
"""Length of the axes that show how it is asked to turn [m]."""
SURFACE_OFFSET = 0.004
STEP_WIDTH, STEP_DASH = 0.012, 0.025
"""Width of the outline of a sole, and length of the dashes of a right one [m]."""
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
    return make_arrows(tails, heads, FORCE_WIDTH, palette.FORCE)


def compute_force_arrows(
    snapshot: Snapshot, effectors: np.ndarray, standing: np.ndarray, weight: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return tails and heads of the arrows of the measured contact forces in world, shape ``(arrows, 3)`` each [m]."""
    # copies: what comes from the link may not be written to, which would be another type to compile for
    wrenches, com = np.array(snapshot.contact_wrenches), np.array(snapshot.position_com_in_world)
    return compute_arrows(effectors, wrenches, com, standing, FORCE_LENGTH / weight)


@njit(cache=True)
def compute_arrows(
    effectors: np.ndarray, wrenches: np.ndarray, com: np.ndarray, standing: np.ndarray, length: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return tails and heads of the arrows of forces that can be felt, shape ``(arrows, 3)`` each [m].

    Args:
        effectors: Poses of the effectors in world, shape ``(effectors, 4, 4)``.
        wrenches: Of their contacts, in their frames, shape ``(effectors, 6)``.
        com: Centre of mass in world, shape ``(3,)`` [m]; arrows of feet stand aside from it.
        standing: Which effectors are feet, shape ``(effectors,)``.
        length: Of the arrow of a newton [m].
    """
    tails, heads = np.empty((len(effectors), 3)), np.empty((len(effectors), 3))
    count = 0
    for e in range(len(effectors)):
        force = np.empty(3)
        for i in range(3):
            force[i] = 0.0
            for j in range(3):
                force[i] += effectors[e, i, j] * wrenches[e, j]
        if not np.sqrt((force * force).sum()) >= MIN_FORCE:
            continue
        tails[count] = effectors[e, :3, 3]
        outward = tails[count, :2] - com[:2]
        if standing[e] and np.isfinite(outward).all():
            tails[count, :2] += BESIDE * outward / max(np.sqrt((outward * outward).sum()), 1e-6)
        heads[count] = tails[count] + length * force
        count += 1
    return tails[:count], heads[:count]


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
    """Return the steps ahead as outlines of soles with their times, right ones dashed; the farther ahead, the fainter."""
    soles = {e.name.split("_")[0]: e.half_lengths for e in stage.model.effectors if e.standing and e.half_lengths}
    pieces: list[Element] = []
    for number, step in enumerate(footsteps):
        if np.isfinite(step.pose).all():
            pieces.extend(_draw_footstep(step, soles.get(step.side, SOLE) or SOLE, max(0.35, 1.0 - 0.2 * number)))
    return tuple(pieces)


def _draw_footstep(step: Footstep, half: tuple[float, float], strength: float) -> tuple[Element, ...]:
    corners = lay_on(step.pose, _STEP * half, SURFACE_OFFSET)
    # the toe lies on the sole
    corners[4:] += SURFACE_OFFSET * step.pose[:3, 2]
    whole, faint = (to_linear(palette.PREVIEW, round(part * strength, 2)) for part in (1.0, 0.3))
    middles = np.repeat(step.pose[None, :3, 3], len(_STEP_TRIANGLES), axis=0).astype(np.float32)
    return (
        make_outline(corners[:4], STEP_WIDTH, whole, dash=STEP_DASH if step.side == "right" else 0.0),
        Fill(triangles=corners[_STEP_TRIANGLES].astype(np.float32), colors=np.array([faint, faint, whole]), middles=middles),
        write(f"{step.side} {step.delay:.1f} s", step.pose[:3, 3] + WORLD_TEXT * UP, height=WORLD_TEXT),
    )


_STEP = np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [0.5, 0.5], [0.5, -0.5], [0.85, 0.0]])
"""Corners of a sole and of the toe on it, in half lengths."""
_STEP_TRIANGLES = np.array([[0, 1, 2], [0, 2, 3], [4, 5, 6]])
