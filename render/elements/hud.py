"""What stays before the operator's eyes, below and beside the middle: warnings, ages, and the stop.

The head's frame has x forward, y left and z up; everything is 1 m away, where 17 mm are a degree.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from handhold.render import palette
from handhold.render.elements.drawing import PLATE_ALPHA, write
from handhold.render.elements.element import Element
from handhold.render.palette import to_linear
from handhold.render.scene import Anchor, Fill
from handhold.render.snapshot import Snapshot
from handhold.render.streams import OLD_CLOUD, OLD_INPUT, OLD_PICTURE, OLD_ROBOT, Streams

TEXT = 0.026
"""Height of a line [m]: 1.5 deg."""
SMALL_TEXT = 0.021
FACING = np.array([[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], dtype=np.float32)
"""Axes of a text before the eyes: along the line to the right, up, towards the reader."""
FACING.setflags(write=False)

WARNINGS_AT = (1.0, 0.0, -0.22)
AGES_AT = (1.0, 0.32, -0.38)
MODE_AT = (1.0, -0.32, -0.38)
STOP_AT = (1.0, 0.0, 0.24)
MOST_WARNINGS = 3
"""More would cover the robot; the most urgent come first."""

STOP_WORDS = {"hold": "STOPPED: holding", "damp": "STOPPED: joints damped"}
STOP_MEND = {
    "hold": "let go of both squeezes, then click both {buttons}",
    "damp": "restart the robot",
}
FRAME_INSIDE = (0.5, 0.44)
"""Half the width and height of the window that a stop's frame leaves [m]: 27 and 24 deg."""
FRAME_WIDTH = 0.045
STRIPE = 0.06
"""Length of the stripes of a stop's frame [m]."""


def draw_warnings(snapshot: Snapshot, note: str) -> tuple[Element, ...]:
    """Return the most urgent warnings, below the middle, each on its plate.

    Args:
        snapshot: Its messages.
        note: Why the interface refused what was last asked of it, or empty.
    """
    words = tuple(m for m in (note, *snapshot.messages) if m)
    plate = to_linear(palette.PLATE, 0.85)
    x, y, z = WARNINGS_AT
    return tuple(
        write(
            f"! {_wrap(text)}",
            (x, y, z - 1.9 * TEXT * line),
            height=TEXT,
            color=to_linear(palette.YELLOW),
            plate=plate,
            anchor=Anchor.HEAD,
            rotation=FACING,
        )
        for line, text in enumerate(words[:MOST_WARNINGS])
    )


def _wrap(text: str, most: int = 64) -> str:
    """Cut a text that would reach out of view."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamAge:
    """How old something is that is shown.

    Attributes:
        name: What it is.
        age: Its age [s]; None before it is first heard of.
        late: Whether it is too old for what it is for.
    """

    name: str
    age: float | None
    late: bool


def list_ages(snapshot: Snapshot | None, streams: Streams) -> tuple[StreamAge, ...]:
    """Return how old everything is that is shown.

    The operator's input is as old as the snapshot says it was, and the snapshot's age besides: it goes on ageing while the
    host is silent. It is late where it slowed the robot down, or where nobody knows whether it did.
    """
    if snapshot is None:
        robot = StreamAge(name="robot", age=None, late=False)
        ages = [robot]
    else:
        robot = _judge("robot", streams.snapshot_age, OLD_ROBOT)
        input_late = robot.late or not snapshot.input_age <= OLD_INPUT
        ages = [robot, StreamAge(name="your input", age=snapshot.input_age + streams.snapshot_age, late=input_late)]
    if streams.cloud is not None:
        ages.append(_judge("cloud", streams.cloud_age, OLD_CLOUD))
    if streams.picture is not None:
        ages.append(_judge("picture", streams.picture_age, OLD_PICTURE))
    return tuple(ages)


def _judge(name: str, age: float, limit: float) -> StreamAge:
    return StreamAge(name=name, age=age, late=not age <= limit)


def draw_ages(snapshot: Snapshot | None, streams: Streams) -> tuple[Element, ...]:
    """Return how old everything is that is shown, with the word OLD where it is late."""
    ages = list_ages(snapshot, streams)
    late = any(age.late for age in ages)
    plate = to_linear(palette.ALARM, 0.9) if late else to_linear(palette.PLATE, PLATE_ALPHA)
    words = "\n".join(describe_age(age) for age in ages)
    return (write(words, AGES_AT, height=SMALL_TEXT, plate=plate, anchor=Anchor.HEAD, rotation=FACING),)


def describe_age(stream: StreamAge) -> str:
    """Return a stream's name and age in words, and ``OLD`` where it is late."""
    if stream.age is None:
        return f"{stream.name}: not heard of yet"
    return f"{stream.name} {'OLD: ' if stream.late else ''}{tell_time(stream.age)}"


def tell_time(age: float) -> str:
    """Return an age [s] in words, in steps, so that the words do not change with every frame."""
    if not np.isfinite(age):
        return "unknown"
    if age < 0.1:
        return f"{10 * int(100.0 * max(age, 0.0) + 1e-6)} ms"
    if age < 1.0:
        return f"{50 * int(20.0 * age + 1e-6)} ms"
    return f"{age:.1f} s" if age < 10.0 else f"{age:.0f} s"


def draw_mode(snapshot: Snapshot) -> tuple[Element, ...]:
    """Return the mode in charge, what is switched on in it, contacts of the hands, what limits it, and the margin."""
    title = next((status.title for status in snapshot.modes if status.name == snapshot.mode), snapshot.mode.capitalize())
    limits = snapshot.active_constraints
    more = f" and {len(limits) - 1} more" if len(limits) > 1 else ""
    lines = [title, *tell_switched_on(snapshot), *_tell_contacts(snapshot)]
    if limits:
        lines.append(f"at its limit: {limits[0]}{more}")
    if snapshot.region is not None:
        # In steps of a centimetre, so that the words do not change with every frame.
        limit = f": {snapshot.region.limit}" if snapshot.region.limit else ""
        lines.append(f"margin {100.0 * snapshot.region.margin:.0f} cm{limit}")
    words = "\n".join(lines)
    return (write(words, MODE_AT, height=SMALL_TEXT, anchor=Anchor.HEAD, rotation=FACING),)


def tell_switched_on(snapshot: Snapshot) -> list[str]:
    """Return what the operator has switched on in the mode in charge, in the wheel's words."""
    return [f"{switch.title}: on" for switch in snapshot.switches if switch.on]


def _tell_contacts(snapshot: Snapshot) -> list[str]:
    """Return, for each hand of the operator, which effector it commands and how its contact is, unless there is none."""
    hands = (snapshot.left, snapshot.right)
    return [f"{hand.effector.replace('_', ' ')}: {hand.contact}" for hand in hands if hand.effector and hand.contact != "free"]


def draw_stop(stop: str, stop_buttons: str = "sticks") -> tuple[Element, ...]:
    """Return the frame and the words of a latched stop; nothing where there is none.

    Args:
        stop: ``""``, ``"hold"`` or ``"damp"``.
        stop_buttons: What is pressed with both hands to stop and to go on.
    """
    if not stop:
        return ()
    words = f"{STOP_WORDS.get(stop, f'STOPPED: {stop}')}\n{STOP_MEND.get(stop, '').format(buttons=stop_buttons)}".strip()
    label = write(
        words, STOP_AT, height=1.25 * TEXT, plate=to_linear(palette.ALARM, 0.95), anchor=Anchor.HEAD, rotation=FACING
    )
    return STOP_FRAME, label


def _make_stop_frame() -> Fill:
    """Return a frame around the view, striped, so that it is not told by its colour alone."""
    y, z = FRAME_INSIDE
    outside = np.array([y + FRAME_WIDTH, z + FRAME_WIDTH])
    quads = []
    for side in (-1.0, 1.0):
        quads += [((a, side * z), (b, side * outside[1])) for a, b in _divide(outside[0])]
        quads += [((side * y, a), (side * outside[0], b)) for a, b in _divide(z)]
    triangles = np.array([_make_stripe(a, b) for a, b in quads], dtype=np.float32).reshape(-1, 3, 3)
    stripes = np.array([to_linear(palette.ALARM), to_linear(palette.BLACK)])
    colors = np.repeat(stripes[np.arange(len(quads)) % 2], 2, axis=0)
    return Fill(triangles=triangles, colors=colors, anchor=Anchor.HEAD)


def _divide(reach: float) -> list[tuple[float, float]]:
    count = round(2.0 * reach / STRIPE)
    ticks = np.linspace(-reach, reach, count + 1).tolist()
    return list(pairwise(ticks))


def _make_stripe(a: tuple[float, float], b: tuple[float, float]) -> list[list[tuple[float, float, float]]]:
    """Return the two triangles of a rectangle between two corners (left, up), 1 m ahead."""
    corners = [(1.0, a[0], a[1]), (1.0, b[0], a[1]), (1.0, b[0], b[1]), (1.0, a[0], b[1])]
    return [[corners[0], corners[1], corners[2]], [corners[0], corners[2], corners[3]]]


STOP_FRAME = _make_stop_frame()
