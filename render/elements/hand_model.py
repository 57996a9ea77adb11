"""The operator's hands as they are seen: a controller made of a few shapes or a bare hand, and a tether to the robot's hand.

In the frame of the grip (see ``elements/hands.py``): x out of the fist beside the thumb, z from the knuckles to the wrist.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from handhold.render import palette
from handhold.render.elements.arrows import stretch
from handhold.render.elements.drawing import HAND_ANCHORS
from handhold.render.elements.element import Element
from handhold.render.palette import to_linear
from handhold.render.scene import Anchor, Lines, Shape, Solids
from handhold.render.snapshot import HandStatus

PALM_SIDE = {"left": -1.0, "right": 1.0}
"""Sign of the palm's direction along y."""

TETHER, DASH = 0.007, 0.03
"""Width of a tether, and length of the dashes of one that moves nothing [m]."""

FACE, NORMAL, FORWARD = np.array([0.056, 0.0, -0.006]), np.array([0.88, 0.0, 0.47]), np.array([0.47, 0.0, -0.88])
"""Middle of a controller's face [m], its normal, and the direction of forward on it."""


def draw_tether(hand: str, status: HandStatus) -> tuple[Element, ...]:
    """Return the line from the operator's hand to where the robot's is asked to be; dashed, grey while it moves nothing.

    Args:
        hand: ``"left"`` or ``"right"``.
        status: What became of the hand; one that commands nothing has no tether.
    """
    if not np.isfinite(status.target).all():
        return ()
    color = to_linear(palette.ENGAGED if status.engaged else palette.HELD, 0.9)
    ends = np.zeros((1, 2, 3), dtype=np.float32)
    ends[0, 0] = status.target[:3, 3]
    dash = 0.0 if status.engaged else DASH
    return (Lines(ends=ends, colors=color[None], width=TETHER, anchor=HAND_ANCHORS[hand], starts_at=Anchor.WORLD, dash=dash),)


def draw_hand_model(hand: str, *, held: bool, engaged: bool) -> tuple[Element, ...]:
    """Return what is seen where a hand of the operator is; always the same objects, so that they are uploaded once.

    Args:
        hand: ``"left"`` or ``"right"``.
        held: Whether it holds a controller.
        engaged: Whether it moves the robot: what shows that is green then, and grey otherwise.
    """
    return _draw_hand(hand, held, engaged)


@cache
def _draw_hand(hand: str, held: bool, engaged: bool) -> tuple[Element, ...]:
    state = palette.ENGAGED if engaged else palette.HELD
    return _draw_controller(HAND_ANCHORS[hand], state) if held else _draw_bare_hand(hand, state)


def _draw_controller(anchor: Anchor, state: palette.Color) -> tuple[Element, ...]:
    """Return a handle in the fist, a face beside the thumb with a stick and two buttons, and a trigger at the forefinger."""
    stick, top = FACE + 0.006 * FORWARD, FACE + 0.008 * NORMAL
    rods = np.array(
        [
            [(-0.065, 0.0, 0.012), (0.045, 0.0, -0.004)],
            [FACE - 0.012 * NORMAL, top],
            [FACE - 0.010 * NORMAL, FACE + 0.004 * NORMAL],
            [stick, stick + 0.02 * NORMAL],
        ]
    )
    rod_colors = [palette.UNAVAILABLE, palette.UNAVAILABLE, state, palette.BLACK]
    buttons = [top - 0.014 * FORWARD + (0.0, side, 0.0) for side in (-0.011, 0.011)]
    balls = np.array([stick + 0.021 * NORMAL, *buttons])
    return (
        _make_rods(rods, (0.034, 0.054, 0.060, 0.008), rod_colors, anchor),
        _make_ellipsoids(balls, [(0.016,) * 3, (0.011,) * 3, (0.011,) * 3], [palette.BLACK] * 3, anchor),
        _make_shapes(Shape.BOX, [(0.03, 0.0, -0.03)], [(0.03, 0.018, 0.026)], [palette.BLACK], anchor),
    )


def _draw_bare_hand(hand: str, state: palette.Color) -> tuple[Element, ...]:
    """Return a palm with four fingers, a little bent, and a thumb."""
    anchor, bend = HAND_ANCHORS[hand], 0.02 * PALM_SIDE[hand]
    across, reach = (0.03, 0.01, -0.01, -0.03), (-0.115, -0.125, -0.118, -0.10)
    fingers = [[(x, 0.0, -0.035), (x, bend, z)] for x, z in zip(across, reach, strict=True)]
    limbs = np.array([*fingers, [(0.03, 0.0, 0.01), (0.062, bend, -0.05)]])
    tips = limbs[:, 1]
    middles = np.concatenate([np.zeros((1, 3)), tips])
    sizes = [(0.082, 0.03, 0.1), *[(0.017,) * 3] * len(tips)]
    return (
        _make_rods(limbs, (0.017,) * len(limbs), [state] * len(limbs), anchor),
        _make_ellipsoids(middles, sizes, [state] * len(middles), anchor),
    )


def _make_rods(ends: np.ndarray, diameters: tuple[float, ...], colors: list[palette.Color], anchor: Anchor) -> Solids:
    transforms = stretch(ends[:, 0].copy(), ends[:, 1].copy(), np.array(diameters))
    return Solids(shape=Shape.CYLINDER, transforms=transforms, colors=_mix(colors), anchor=anchor)


def _make_ellipsoids(
    middles: np.ndarray, sizes: Sequence[tuple[float, ...]], colors: list[palette.Color], anchor: Anchor
) -> Solids:
    return _make_shapes(Shape.SPHERE, middles, sizes, colors, anchor)


def _make_shapes(
    shape: Shape,
    middles: np.ndarray | Sequence[tuple[float, ...]],
    sizes: Sequence[tuple[float, ...]],
    colors: list[palette.Color],
    anchor: Anchor,
) -> Solids:
    transforms = np.tile(np.eye(4, dtype=np.float32), (len(sizes), 1, 1))
    transforms[:, [0, 1, 2], [0, 1, 2]] = sizes
    transforms[:, :3, 3] = middles
    return Solids(shape=shape, transforms=transforms, colors=_mix(colors), anchor=anchor)


def _mix(colors: list[palette.Color]) -> np.ndarray:
    return np.array([to_linear(color) for color in colors])
