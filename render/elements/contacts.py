"""What the robot touches and is asked to touch: forces, where its hands are to be, surfaces, steps."""

from __future__ import annotations

import numpy as np

from handhold.render import palette
from handhold.render.elements.balance import is_polygon
from handhold.render.elements.drawing import (
    WORLD_TEXT,
    lay_on,
    make_area,
    make_arrows,
    make_balls,
    make_outline,
    write,
)
from handhold.render.elements.element import Element
from handhold.render.palette import to_linear
from handhold.render.scene import Lines
from handhold.render.snapshot import Candidate, Footstep, HandStatus, Snapshot
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
OLD_CANDIDATE = 0.5
"""A surface last seen longer ago than this is called old [s]."""
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


def draw_candidates(candidates: tuple[Candidate, ...]) -> tuple[Element, ...]:
    """Return the surfaces a hand could brace on: outlined, with the gain in words; the chosen one green and thick."""
    return tuple(piece for candidate in candidates for piece in _draw_candidate(candidate))


def _draw_candidate(candidate: Candidate) -> tuple[Element, ...]:
    if not (is_polygon(candidate.boundary) and np.isfinite(candidate.pose).all()):
        return ()
    hue = palette.CHOSEN if candidate.chosen else palette.CANDIDATE
    old = candidate.age > OLD_CANDIDATE
    corners = lay_on(candidate.pose, candidate.boundary, OFF_THE_SURFACE)
    outline = make_outline(corners, 0.022 if candidate.chosen else 0.012, to_linear(hue, 0.4 if old else 1.0))
    area = make_area(corners, to_linear(hue, 0.08 if old else 0.25))
    position = corners.mean(axis=0) + OFF_THE_SURFACE * candidate.pose[:3, 2]
    return outline, area, write(describe_candidate(candidate), position, rotation=find_upright(candidate.pose))


def find_upright(pose: np.ndarray) -> np.ndarray:
    """Return the axes of a text on a surface: upright, or on a flat one away from the world's origin, shape ``(3, 3)``.

    Turned to the eye, a text would stick in the surface.
    """
    normal = pose[:3, 2]
    up = UP if abs(normal[2]) < 0.9 else pose[:3, 3] * (1.0, 1.0, 0.0) + (1e-6, 0.0, 0.0)
    right = np.cross(up, normal)
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(normal, right), normal], axis=1).astype(np.float32)


def describe_candidate(candidate: Candidate) -> str:
    """Return what a brace on a surface is worth, in words."""
    words = f"{candidate.hand} hand {100.0 * candidate.gain:+.1f} cm"
    if candidate.chosen:
        words = f"taken: {words}"
    return f"{words}\nlast seen {candidate.age:.1f} s ago" if candidate.age > OLD_CANDIDATE else words


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
    x, y = half
    corners = lay_on(step.pose, np.array([[x, y], [-x, y], [-x, -y], [x, -y]]), OFF_THE_SURFACE)
    toe = lay_on(step.pose, np.array([[0.5 * x, 0.5 * y], [0.5 * x, -0.5 * y], [0.85 * x, 0.0]]), 2.0 * OFF_THE_SURFACE)
    words = write(f"{step.side} {step.delay:.1f} s", step.pose[:3, 3] + WORLD_TEXT * UP, height=WORLD_TEXT)
    return (
        make_outline(corners, STEP_WIDTH, to_linear(hue, round(strength, 2))),
        make_area(corners, to_linear(hue, round(0.3 * strength, 2)), middle=step.pose[:3, 3]),
        make_area(toe, to_linear(hue, round(strength, 2)), middle=step.pose[:3, 3]),
        words,
    )
