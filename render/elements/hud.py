"""What stays before the operator's eyes, below and beside the middle: warnings, ages, and the stop.

The head's frame has x forward, y left and z up; everything is 1 m away, where 17 mm are a degree.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from handhold.devices.control_names import DEFAULT_CONTROL_NAMES, HandsControlNames
from handhold.devices.stop import Stop
from handhold.render import palette
from handhold.render.elements.drawing import PLATE_ALPHA, write
from handhold.render.elements.element import Element
from handhold.render.elements.strip import STOP_WORDS
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

WARNINGS_AT = (1.0, 0.0, -0.207)
"""Where the first begins [m]."""
WARNINGS_GAP = 0.9 * TEXT
MAX_LINE_LENGTH = 64
"""Letters of a warning's line: a longer one would reach out of view."""
STOP_PREFIXES = ("stopped:", "damped:")
"""How messages begin that say what a stop's own words say."""
AGES_AT = (1.0, 0.32, -0.38)
STOP_AT = (1.0, 0.0, 0.24)
MAX_WARNINGS = 3
"""More would cover the robot; the most urgent come first."""

STOP_REMEDY = {
    Stop.HOLD: "{way_out}",
    Stop.DAMP: "restart the robot",
}
FRAME_INSIDE = (0.5, 0.44)
"""Half the width and height of the window that a stop's frame leaves [m]: 27 and 24 deg."""
FRAME_WIDTH = 0.045
STRIPE = 0.06
"""Length of the stripes of a stop's frame [m]."""


def draw_warnings(snapshot: Snapshot, note: str) -> tuple[Element, ...]:
    """Return the most urgent warnings whole, one below the other from below the middle, each on its plate.

    What the words of a stop say themselves is left to them.

    Args:
        snapshot: Its messages.
        note: Why the interface refused what was last asked of it, a line for each reason, or empty.
    """
    messages = (message for message in snapshot.messages if not message.startswith(STOP_PREFIXES))
    words = [line for text in (note, *messages) for line in text.split("\n") if line]
    x, y, top = WARNINGS_AT
    drawn = []
    for text in words[:MAX_WARNINGS]:
        lines = textwrap.fill(f"! {text}", MAX_LINE_LENGTH)
        height = TEXT * (1 + lines.count("\n"))
        drawn.append(write(lines, (x, y, top - 0.5 * height), height=TEXT, anchor=Anchor.HEAD, rotation=FACING))
        top -= height + WARNINGS_GAP
    return tuple(drawn)


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
    """Return how old everything is that is late, or not heard of yet; nothing while all is fresh."""
    ages = [age for age in list_ages(snapshot, streams) if age.late or age.age is None]
    if not ages:
        return ()
    plate = to_linear(palette.ALARM, 0.9) if any(age.late for age in ages) else to_linear(palette.PLATE, PLATE_ALPHA)
    words = "\n".join(describe_age(age) for age in ages)
    return (write(words, AGES_AT, height=SMALL_TEXT, plate=plate, anchor=Anchor.HEAD, rotation=FACING),)


def describe_age(stream: StreamAge) -> str:
    """Return a stream's name and age in words, and ``OLD`` where it is late."""
    if stream.age is None:
        return f"{stream.name}: not heard of yet"
    return f"{stream.name} {'OLD: ' if stream.late else ''}{format_age(stream.age)}"


def format_age(age: float) -> str:
    """Return an age [s] in words, in steps, so that the words do not change with every frame."""
    if not np.isfinite(age):
        return "unknown"
    if age < 0.1:
        return f"{10 * int(100.0 * max(age, 0.0) + 1e-6)} ms"
    if age < 1.0:
        return f"{50 * int(20.0 * age + 1e-6)} ms"
    return f"{age:.1f} s" if age < 10.0 else f"{age:.0f} s"


def announce_stop(controls: HandsControlNames) -> tuple[Element, ...]:
    """Return what a session begins with: what stops the robot, with both hands and with one.

    Args:
        controls: What the controls are called that are bound to the hands.
    """
    words = "\n".join(f"{line[0].upper()}{line[1:]}" for line in describe_stops(controls))
    return (write(words, STOP_AT, height=TEXT, plate=to_linear(palette.PLATE, 0.85), anchor=Anchor.HEAD, rotation=FACING),)


def describe_stops(controls: HandsControlNames) -> tuple[str, ...]:
    """Return what stops the robot, in lines."""
    return (
        f"{controls.stop_with_both}: the robot STOPS",
        "with one hand: STOP on the wheel",
        f"while the other hand is not seen: {controls.stop_held}",
    )


def draw_stop(stop: Stop, controls: HandsControlNames = DEFAULT_CONTROL_NAMES) -> tuple[Element, ...]:
    """Return the frame and the words of a latched stop; nothing where there is none.

    Args:
        stop: The latched stop.
        controls: What the controls are called that are bound to the hands.
    """
    if not stop:
        return ()
    remedy = STOP_REMEDY[stop].format(way_out=", ".join(controls.resume_steps))
    words = f"{STOP_WORDS[stop]}\n{remedy}".strip()
    label = write(
        words, STOP_AT, height=1.25 * TEXT, plate=to_linear(palette.ALARM, 0.95), anchor=Anchor.HEAD, rotation=FACING
    )
    return STOP_FRAME, label


def _make_stop_frame() -> Fill:
    """Return a frame around the view, striped, so that it is not recognised by its colour alone."""
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
