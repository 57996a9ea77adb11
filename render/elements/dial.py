"""The mode wheel as it is seen."""

from __future__ import annotations

import math
import textwrap
from functools import cache

import numpy as np

from handhold.devices.control_names import DEFAULT_CONTROL_NAMES, ControlNames
from handhold.render import palette
from handhold.render.elements.drawing import PLATE_ALPHA, make_area, write
from handhold.render.elements.element import Element
from handhold.render.interface.wheel import STOP, Item, Page, Wheel
from handhold.render.palette import to_linear
from handhold.render.scene import Fill, Label

INNER, OUTER = 0.085, 0.30
"""Radii of its ring [m], 0.8 m from the eyes."""
TEXT_AT = 0.205
"""Distance of the items' texts from the middle [m]."""
TEXT = 0.021
"""Height of a line [m]: 1.5 deg at 0.8 m."""
GAP = 0.02
"""Angle between items [rad]."""
MAX_LINE_LENGTH = 20
"""Letters of an item's text in a line."""
PIECES = 12
"""Straight pieces that make up an item's arc."""
TEXT_OFFSET = 0.004
"""How far texts stand before the ring [m]."""


def draw_wheel(
    wheel: Wheel, items: tuple[Item, ...], room: np.ndarray, note: str, controls: ControlNames = DEFAULT_CONTROL_NAMES.right
) -> tuple[Element, ...]:
    """Return the open wheel: its fields, the one pointed at bright, the page's name in the middle, and help below.

    Args:
        wheel: The wheel.
        items: What stands on it, clockwise from the top.
        room: Where the operator's room stands in world, shape ``(4, 4)``.
        note: Why the last choice was refused, or empty.
        controls: What the controls of the hand that points are called.
    """
    pose = room @ wheel.pose
    # On the page for moving the room there is nothing to choose from: its one item stands in the middle.
    ring = () if wheel.page is Page.MOVE else _draw_ring(wheel, items, pose)
    hub = make_area(_HUB @ pose[:3, :3].T + pose[:3, 3], _PLATE, middle=pose[:3, 3], in_front=True)
    return (*ring, hub, *_draw_words(wheel, items, pose, note, describe_help(wheel.page, controls)))


def describe_help(page: Page, controls: ControlNames) -> str:
    """Return how a hand uses a page of the wheel, in two lines."""
    stick, closes = controls.stick, f"{controls.opens_wheel}: close"
    if page is Page.MOVE:
        moves = f"{stick}: to the side turns, ahead moves\n" if stick else ""
        return f"{moves}{controls.trigger}: done   {closes}"
    return f"point: {f'{stick} or tilt' if stick else 'tilt'}   choose: {controls.trigger}\n{closes}"


def _draw_ring(wheel: Wheel, items: tuple[Item, ...], pose: np.ndarray) -> tuple[Element, ...]:
    triangles = make_sectors(len(items)) @ pose[:3, :3].T + pose[:3, 3]
    colors = np.array([_choose_color(item, number == wheel.pointed) for number, item in enumerate(items)])
    texts = (_write_item(item, number, len(items), number == wheel.pointed, pose) for number, item in enumerate(items))
    middles = np.repeat(pose[None, :3, 3], len(triangles), axis=0).astype(np.float32)
    return (
        Fill(
            triangles=triangles.astype(np.float32),
            colors=np.repeat(colors, 2 * PIECES, axis=0),
            middles=middles,
            in_front=True,
        ),
        *texts,
    )


@cache
def make_sectors(count: int) -> np.ndarray:
    """Return the triangles of a ring's sectors in its plane, clockwise from the top, shape ``(2 PIECES count, 3, 3)``."""
    triangles = []
    for number in range(count):
        half = math.pi / count - GAP
        angles = math.tau * number / count + np.linspace(-half, half, PIECES + 1)
        around = np.stack([np.sin(angles), np.cos(angles), np.zeros_like(angles)], axis=1)
        near, far = INNER * around, OUTER * around
        for k in range(PIECES):
            triangles += [(near[k], far[k], far[k + 1]), (near[k], far[k + 1], near[k + 1])]
    result = np.array(triangles)
    result.setflags(write=False)
    return result


def _choose_color(item: Item, pointed: bool) -> np.ndarray:
    if item is STOP:
        return to_linear(palette.ALARM, 0.95 if pointed else 0.85)
    if item.reason:
        return to_linear(palette.ALARM, 0.85) if pointed else to_linear(palette.UNAVAILABLE, 0.9)
    if pointed:
        return to_linear(palette.WHITE, 0.95)
    return to_linear(palette.ENGAGED, 0.85) if item.present else to_linear(palette.PLATE, PLATE_ALPHA)


def _write_item(item: Item, number: int, count: int, pointed: bool, pose: np.ndarray) -> Label:
    angle = math.tau * number / count
    words = "\n".join(_break_line(line) for line in item.title.replace(": ", ":\n").split("\n"))
    if item.present:
        words = f"{words}\n(now)"
    if item.reason:
        words = f"{words}\n(not now)"
    at = np.array([TEXT_AT * math.sin(angle), TEXT_AT * math.cos(angle), TEXT_OFFSET])
    return _write(words, at, pose, height=TEXT * (1.1 if pointed else 0.95), on=_choose_color(item, pointed))


def _break_line(line: str) -> str:
    return line if len(line) <= MAX_LINE_LENGTH else textwrap.fill(line, MAX_LINE_LENGTH)


def _draw_words(wheel: Wheel, items: tuple[Item, ...], pose: np.ndarray, note: str, help_words: str) -> tuple[Element, ...]:
    pointed = items[wheel.pointed] if wheel.pointed is not None and wheel.pointed < len(items) else None
    words = [_write(wheel.heading, np.array([0.0, 0.0, TEXT_OFFSET]), pose, height=1.2 * TEXT, on=_PLATE)]
    # An old refusal does not hide why what is pointed at now cannot be had.
    reason = f"{pointed.title}: {pointed.reason}" if pointed is not None and pointed.reason else note
    words.append(_write(help_words, np.array([0.0, -OUTER - 2.0 * TEXT, TEXT_OFFSET]), pose, plate=_PLATE))
    if reason:
        position = np.array([0.0, OUTER + 1.8 * TEXT, TEXT_OFFSET])
        words.append(_write(reason, position, pose, height=1.1 * TEXT, plate=to_linear(palette.ALARM, 0.95)))
    return tuple(words)


def _write(
    text: str,
    at: np.ndarray,
    pose: np.ndarray,
    *,
    height: float = TEXT,
    plate: np.ndarray | None = None,
    on: np.ndarray | None = None,
) -> Label:
    """Return a text on a plate of its own, or on a field of the wheel."""
    return write(
        text,
        pose[:3, :3] @ at + pose[:3, 3],
        height=height,
        plate=_NO_PLATE if plate is None else plate,
        ink=None if on is None else palette.choose_ink(on),
        rotation=pose[:3, :3].astype(np.float32),
    )


_ANGLES = np.linspace(0.0, math.tau, 36, endpoint=False)
_HUB = 0.9 * INNER * np.stack([np.cos(_ANGLES), np.sin(_ANGLES), np.zeros_like(_ANGLES)], axis=1)
_PLATE = to_linear(palette.PLATE, PLATE_ALPHA)
_NO_PLATE = np.zeros(4, dtype=np.float32)
