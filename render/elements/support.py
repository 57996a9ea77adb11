"""A supporting hand: how hard it pushes, how near it is to slipping, and what that is worth."""

from __future__ import annotations

import math

import numpy as np

from handhold.render import palette
from handhold.render.elements.drawing import repeat, write
from handhold.render.elements.element import Element
from handhold.render.elements.hand_side import find_outer_side
from handhold.render.elements.stage import Stage
from handhold.render.palette import to_linear
from handhold.render.scene import Label, Lines
from handhold.render.snapshot import HandStatus, Snapshot
from handhold.retarget.mode_report import HandReport, Support

BESIDE, ABOVE = 0.26, 0.06
"""How far to the outer side of the hand and over it the gauges stand [m]: seen past the robot from behind it."""
TEXT = 0.036
SPACING = 0.112
"""Distance of the gauges from each other [m]."""
GAIN_TEXT = 1.4 * TEXT
LEADER = 0.45
"""Part of the way there that a thin line leads [-]."""
CELLS = 12
"""Cells of a gauge, which is full at its bound."""
NEAR_ITS_BOUND = 0.9
"""Part of a bound from which on a gauge is an alarm [-]."""
UP = (0.0, 0.0, 1.0)
_OFFSETS = np.array(
    [(0.0, 0.0), (LEADER * BESIDE, LEADER * ABOVE), *((BESIDE, ABOVE + row * SPACING) for row in range(3))], dtype=np.float32
)
"""How far to the outer side and up from the hand lie: itself, the end of the line, and the words [m]."""


def draw_support(snapshot: Snapshot, hand: str, effectors: np.ndarray, stage: Stage) -> tuple[Element, ...]:
    """Return gauges beside a supporting hand, one over the other, the gained margin on top.

    The normal force fills one at its maximum, friction the other one where the hand would slip. They
    are texts, which face the eye from wherever it looks.

    Args:
        snapshot: What is known of the hand.
        hand: ``"left"`` or ``"right"``.
        effectors: Poses of the effectors in world, shape ``(effectors, 4, 4)``.
        stage: The robot.
    """
    status: HandStatus = getattr(snapshot, hand)
    report: HandReport = getattr(snapshot.report, hand)
    support = report.support
    effector = stage.find_effector(status.effector)
    if support is None or effector is None or not math.isfinite(support.normal_force):
        return ()
    # rows: the hand, the end of the line from it, then the words one over the other
    rows = effectors[effector, :3, 3] + _OFFSETS @ np.array([find_outer_side(snapshot, hand), UP], dtype=np.float32)
    return (
        Lines(ends=rows[None, :2], colors=repeat(palette.WHITE, 1.0, 1), width=0.004, in_front=True),
        _write_gauge(describe_friction(support), support.friction_ratio, rows[2]),
        _write_gauge(describe_push(support), support.normal_force / support.max_force, rows[3]),
        *_write_gain(support, rows[4]),
    )


def describe_push(support: Support) -> str:
    """Return the normal force and its bound in words."""
    return f"push {support.normal_force:.0f} of {support.max_force:.0f} N"


def describe_friction(support: Support) -> str:
    """Return how much of the friction limit is used, in words."""
    ratio = support.friction_ratio
    if not math.isfinite(ratio):
        return "friction: too light"
    return f"friction {100.0 * ratio:.0f} %" if ratio < 1.0 else "friction 100 %: slips"


def describe_gain(support: Support) -> str:
    """Return what a brace adds to the margin, in words; empty where that is not known."""
    gain = support.margin_gain
    if math.isnan(gain):
        return ""
    return f"{100.0 * gain:+.1f} cm margin" if math.isfinite(gain) else "holds the robot"


def fill_cells(ratio: float) -> str:
    """Return a gauge that is filled up to a part of its bound."""
    filled = round(CELLS * min(1.0, max(0.0, ratio))) if math.isfinite(ratio) else 0
    return "▮" * filled + "▯" * (CELLS - filled)


def _write_gauge(words: str, ratio: float, at: np.ndarray) -> Label:
    near = math.isfinite(ratio) and ratio >= NEAR_ITS_BOUND
    return write(f"{words}\n{fill_cells(ratio)}", at, height=TEXT, plate=to_linear(palette.ALARM, 0.95) if near else None)


def _write_gain(support: Support, at: np.ndarray) -> tuple[Label, ...]:
    words = describe_gain(support)
    plate = palette.ALARM if support.margin_gain < 0.0 else palette.BALANCE
    return (write(words, at, height=GAIN_TEXT, plate=to_linear(plate)),) if words else ()
