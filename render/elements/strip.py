"""The strip of words that follows the operator lazily: mode, contacts of the hands, what lags, limits, margin, stop."""

from __future__ import annotations

import numpy as np

from handhold.devices.stop import Stop
from handhold.render import palette
from handhold.render.elements.drawing import face_origin, write
from handhold.render.elements.element import Element
from handhold.render.elements.person import list_lags
from handhold.render.elements.stage import Stage
from handhold.render.palette import to_linear
from handhold.render.scene import Anchor
from handhold.render.snapshot import Snapshot
from handhold.retarget.mode_report import ContactState
from handhold.robots.limit_words import describe_limit
from handhold.robots.model import RobotModel

STRIP_AT = np.array([0.88, -0.53, -0.46])
"""Its middle before the head as it faced [m]: 31 deg to the right and 24 deg below, beside the robot in each view."""

TEXT = 0.026
"""Height of a line [m]: 1.4 deg."""

STOP_WORDS = {Stop.HOLD: "STOPPED: holding", Stop.DAMP: "STOPPED: joints damped"}


def draw_strip(snapshot: Snapshot, stage: Stage) -> tuple[Element, ...]:
    """Return the stop, the mode in charge, what is switched on in it, contacts of the hands, what lags, limits, the margin."""
    lines = [
        *_describe_stop(snapshot.stop),
        _describe_mode(snapshot),
        *describe_switches(snapshot),
        *_describe_contacts(snapshot),
        *list_lags(snapshot, stage.model),
    ]
    limits = describe_limits(snapshot, stage.model)
    if limits:
        lines.append(f"{limits[0]} and {len(limits) - 1} more" if len(limits) > 1 else limits[0])
    if snapshot.report.region is not None:
        # In steps of a centimetre, so that the words do not change with every frame.
        limit = f": {snapshot.report.region.limit}" if snapshot.report.region.limit else ""
        lines.append(f"margin {100.0 * snapshot.report.region.margin:.0f} cm{limit}")
    plate = to_linear(palette.ALARM, 0.95) if snapshot.stop else None
    return (write("\n".join(lines), STRIP_AT, height=TEXT, plate=plate, anchor=Anchor.AHEAD, rotation=_FACING),)


def _describe_stop(stop: Stop) -> tuple[str, ...]:
    return (STOP_WORDS[stop],) if stop else ()


def _describe_mode(snapshot: Snapshot) -> str:
    return next((status.title for status in snapshot.modes if status.name == snapshot.mode), snapshot.mode.capitalize())


def describe_limits(snapshot: Snapshot, model: RobotModel) -> tuple[str, ...]:
    """Return what limits the reference, in words, each once: joints of the same part share theirs."""
    return tuple(dict.fromkeys(describe_limit(model, name) for name in snapshot.report.active_constraints))


def describe_switches(snapshot: Snapshot) -> list[str]:
    """Return what the operator has switched on in the mode in charge, in the wheel's words."""
    return [f"{switch.title}: on" for switch in snapshot.report.toggles if switch.on]


def _describe_contacts(snapshot: Snapshot) -> list[str]:
    """Return, for each hand of the operator, which effector it commands and how its contact is, unless there is none."""
    hands = (snapshot.left, snapshot.right)
    return [
        f"{hand.effector.replace('_', ' ')}: {hand.contact}"
        for hand in hands
        if hand.effector and hand.contact is not ContactState.FREE
    ]


_FACING = face_origin(STRIP_AT)
