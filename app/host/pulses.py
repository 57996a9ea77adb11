"""Haptic feedback of the robot: a pulse of its own for each event, and the force on each hand (``force_feedback``)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from handhold.app.host.force_feedback import ForceFeedback
from handhold.devices.device import HapticPulse
from handhold.render.interface.view_state import ViewState
from handhold.render.snapshot import Snapshot
from handhold.retarget.mode_report import ContactState, Grip


class HapticEvent(Enum):
    """What has a pulse of its own."""

    ENGAGED = "engaged"
    RELEASED = "let go"
    CONTACT_MADE = "contact made"
    CONTACT_LOADED = "contact loaded"
    GRASPED = "grasped"
    MARGIN = "margin"
    POINTED_AT = "pointed at"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulse:
    """One kind of haptic pulse.

    Attributes:
        amplitude: 0 to 1.
        duration: Length [s].
        frequency: Frequency [Hz].
    """

    amplitude: float
    duration: float
    frequency: float


PULSES = {
    HapticEvent.ENGAGED: Pulse(amplitude=0.4, duration=0.03, frequency=170.0),
    HapticEvent.RELEASED: Pulse(amplitude=1.0, duration=0.15, frequency=80.0),
    HapticEvent.CONTACT_MADE: Pulse(amplitude=0.6, duration=0.05, frequency=250.0),
    HapticEvent.CONTACT_LOADED: Pulse(amplitude=0.9, duration=0.12, frequency=130.0),
    HapticEvent.GRASPED: Pulse(amplitude=0.8, duration=0.09, frequency=160.0),
    HapticEvent.MARGIN: Pulse(amplitude=0.7, duration=0.04, frequency=200.0),
    HapticEvent.POINTED_AT: Pulse(amplitude=0.25, duration=0.015, frequency=220.0),
    HapticEvent.REFUSED: Pulse(amplitude=0.8, duration=0.25, frequency=50.0),
}
"""The pulses by event."""

TOUCHES_AT = 10.0
"""Measured force from which on a hand touches something [N]; it does until the force is below ``RELEASED_BELOW``."""

RELEASED_BELOW = 4.0

MARGIN_PULSES_BELOW = 0.08
"""Margin of stability [m] below which pulses are sent while it falls; below ``SMALL_MARGIN`` they are sent all the time."""

SMALL_MARGIN = 0.04

MAX_PERIOD, MIN_PERIOD = 0.6, 0.15
"""Periods of its pulses at either margin [s]."""

FALLS_BY = 1e-3
"""Fall since the last pulse [m] that gives another one: less is the measurement's noise."""

RISES_BY = 5e-3
"""Rise since the last pulse [m] from which on a fall counts anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HapticState:
    """State of the haptic feedback: what pulses have been sent for.

    Attributes:
        engaged: Whether each hand, left and right, moved the robot.
        touching: Whether it touched something.
        loaded: Whether its contact had been loaded.
        holding: Whether its gripper held something.
        commanded: Names of the effectors that the hands commanded: of another one no pulse has been sent yet.
        margin: Margin at the last pulse of its kind, less what it has risen since [m].
        margin_time: When that was, by the robot's clock [s].
        refused: Requests refused.
        force_feedback: Of each hand; None where the force on it is not known.
    """

    engaged: tuple[bool, bool]
    touching: tuple[bool, bool]
    loaded: tuple[bool, bool]
    holding: tuple[bool, bool] = (False, False)
    commanded: tuple[str, str] = ("", "")
    margin: float = math.inf
    margin_time: float = -math.inf
    refused: int = 0
    force_feedback: tuple[ForceFeedback | None, ...] = (None, None)


HANDS = ("left", "right")


def find_pulses(
    previous: HapticState | None, snapshot: Snapshot, names: Sequence[str]
) -> tuple[HapticState, tuple[HapticPulse, ...]]:
    """Find the haptic pulses of a cycle.

    Args:
        previous: State after the cycle before; None at the start.
        snapshot: The cycle.
        names: Names of the robot's effectors, in order.

    Returns:
        The state after this cycle, and the pulses.
    """
    margin, margin_time, margin_pulses = _find_margin_pulses(previous, snapshot)
    forces = _read_forces(snapshot, names)
    now = HapticState(
        engaged=(snapshot.left.engaged, snapshot.right.engaged),
        touching=_find_touching(previous, forces),
        loaded=(snapshot.left.contact is ContactState.LOADED, snapshot.right.contact is ContactState.LOADED),
        holding=(snapshot.left.grip is Grip.HOLDING, snapshot.right.grip is Grip.HOLDING),
        commanded=(snapshot.left.effector, snapshot.right.effector),
        refused=snapshot.counters.refused_commands,
        margin=margin,
        margin_time=margin_time,
    )
    pulses: list[HapticPulse] = []
    if previous is not None:
        pulses = _compare_hands(previous, now)
        if now.refused > previous.refused:
            pulses += [_make(HapticEvent.REFUSED, hand) for hand in HANDS]
        pulses += margin_pulses
    before = (None, None) if previous is None else previous.force_feedback
    force_feedback, force_pulses = _find_force_pulses(before, snapshot, forces, pulses)
    return replace(now, force_feedback=force_feedback), (*pulses, *force_pulses)


def find_interface_pulses(before: ViewState, after: ViewState) -> tuple[HapticPulse, ...]:
    """Find the haptic pulses of the interface.

    The wheel's items as they are pointed at, refusals, and controls that do nothing now.

    Args:
        before: State before a step.
        after: State after it.
    """
    if after.ignored.count > before.ignored.count:
        return tuple(_make(HapticEvent.REFUSED, hand) for hand in after.ignored.hands)
    wheel = after.wheel
    if wheel is None:
        return ()
    if after.refused > before.refused:
        return (_make(HapticEvent.REFUSED, wheel.hand),)
    pointed_before = before.wheel.pointed if before.wheel is not None else None
    moved = wheel.pointed is not None and wheel.pointed != pointed_before
    return (_make(HapticEvent.POINTED_AT, wheel.hand),) if moved else ()


def _find_touching(previous: HapticState | None, forces: Sequence[list[float] | None]) -> tuple[bool, bool]:
    before = previous.touching if previous is not None else (False, False)
    left, right = (
        was if force is None else math.hypot(*force) >= (RELEASED_BELOW if was else TOUCHES_AT)
        for force, was in zip(forces, before, strict=True)
    )
    return left, right


def _read_forces(snapshot: Snapshot, names: Sequence[str]) -> list[list[float] | None]:
    """Return the forces on what the hands command, left and right, in their contact frames [N]; None where not known."""
    commanded = (names.index(hand.effector) if hand.effector in names else None for hand in (snapshot.left, snapshot.right))
    forces = (None if index is None else snapshot.contact_wrenches[index, :3].tolist() for index in commanded)
    return [force if force is not None and all(map(math.isfinite, force)) else None for force in forces]


def _find_force_pulses(
    before: Sequence[ForceFeedback | None],
    snapshot: Snapshot,
    forces: Sequence[list[float] | None],
    pulses: Sequence[HapticPulse],
) -> tuple[tuple[ForceFeedback | None, ...], list[HapticPulse]]:
    """Return the force feedback of both hands, and its pulses; others of this cycle come first."""
    now: list[ForceFeedback | None] = []
    found = []
    for hand, status, force, last in zip(HANDS, (snapshot.left, snapshot.right), forces, before, strict=True):
        if force is None:
            now.append(None)
            continue
        feedback = (last or ForceFeedback.begin(status.effector, force, snapshot.time)).update(
            status.effector, force, snapshot.time
        )
        for pulse in pulses:
            feedback = feedback.wait_for(pulse) if pulse.hand == hand else feedback
        feedback, own = feedback.find_pulse(hand, force)
        now.append(feedback)
        found += [] if own is None else [own]
    return tuple(now), found


def _compare_hands(previous: HapticState, now: HapticState) -> list[HapticPulse]:
    pulses = []
    for number, hand in enumerate(HANDS):
        if now.engaged[number] != previous.engaged[number]:
            pulses.append(_make(HapticEvent.ENGAGED if now.engaged[number] else HapticEvent.RELEASED, hand))
        if now.commanded[number] != previous.commanded[number]:
            continue
        if now.touching[number] and not previous.touching[number]:
            pulses.append(_make(HapticEvent.CONTACT_MADE, hand))
        if now.loaded[number] and not previous.loaded[number]:
            pulses.append(_make(HapticEvent.CONTACT_LOADED, hand))
        if now.holding[number] and not previous.holding[number]:
            pulses.append(_make(HapticEvent.GRASPED, hand))
    return pulses


def _find_margin_pulses(previous: HapticState | None, snapshot: Snapshot) -> tuple[float, float, list[HapticPulse]]:
    """Return the margin at the last pulse [m], when that was [s], and the pulses of a small margin that falls."""
    margin = snapshot.report.region.margin if snapshot.report.region is not None else math.inf
    if previous is None or not margin < MARGIN_PULSES_BELOW:
        return math.inf, -math.inf, []
    last = margin if margin > previous.margin + RISES_BY else previous.margin
    falls = margin < last - FALLS_BY or margin < SMALL_MARGIN
    if not falls or snapshot.time - previous.margin_time < compute_margin_period(margin):
        return last, previous.margin_time, []
    return margin, snapshot.time, [_make(HapticEvent.MARGIN, hand) for hand in HANDS]


def compute_margin_period(margin: float) -> float:
    """Compute the period of the pulses of a margin [m]: 0.6 s at 8 cm, 0.15 s from 4 cm down [s]."""
    ratio = (margin - SMALL_MARGIN) / (MARGIN_PULSES_BELOW - SMALL_MARGIN)
    return MIN_PERIOD + min(max(ratio, 0.0), 1.0) * (MAX_PERIOD - MIN_PERIOD)


def _make(event: HapticEvent, hand: str) -> HapticPulse:
    pulse = PULSES[event]
    return HapticPulse(hand=hand, amplitude=pulse.amplitude, duration=pulse.duration, frequency=pulse.frequency)
