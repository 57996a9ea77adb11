"""The operator's stop: a click of both sticks, or a button where a device has one."""

from __future__ import annotations

from dataclasses import dataclass, replace

DAMP_AFTER = 1.0
"""Time both sticks are held down [s] after which the robot is damped."""

_TIME_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class LatchedStop:
    """State of the operator's stop.

    Both sticks clicked: hold, latched. The way out: let go of a stick and of both squeezes, so that nothing is engaged, and
    click both sticks again. Both held down for a second: damp, which only ``Engagement.clear_stop`` ends. This is no
    emergency stop.

    Attributes:
        kind: ``""``, ``"hold"`` or ``"damp"``.
        pressed: Whether both sticks were down in the last sample.
        held: For how long they have been [s].
    """

    kind: str = ""
    pressed: bool = False
    held: float = 0.0


NOT_STOPPED = LatchedStop()
"""As at the start; sticks that are down from the start stop at once."""


def ask_stop(stop: LatchedStop, asked: str, *, may_resume: bool) -> LatchedStop:
    """Follow a device that asks for a stop by a button: ``"hold"``, ``"resume"`` or ``"damp"``; anything else asks nothing.

    It is asked for again and again while the device means it, so that no sample that is lost and no state that has changed
    meanwhile lets a stop go by.
    """
    if stop.kind in {"damp", asked}:
        return stop
    if asked in ("hold", "damp"):
        return replace(stop, kind=asked)
    if asked == "resume" and stop.kind == "hold" and may_resume:
        return replace(stop, kind="")
    return stop


def step_stop(stop: LatchedStop, *, pressed: bool, may_resume: bool, dt: float) -> LatchedStop:
    """Follow the sticks by one step.

    Args:
        stop: State so far.
        pressed: Whether both sticks are down, by the newest sample.
        may_resume: Whether the operator is there and lets go of both squeezes.
        dt: Length of the step [s]; 0 while the newest sample is too old to tell whether they still are down.

    Returns:
        New state; the same object where nothing changed.
    """
    if not pressed:
        return replace(stop, pressed=False, held=0.0) if stop.pressed else stop
    if not stop.pressed:
        return _click(stop, may_resume=may_resume)
    held = stop.held + dt
    kind = "damp" if held >= DAMP_AFTER - _TIME_TOLERANCE else stop.kind
    return LatchedStop(kind=kind, pressed=True, held=held)


def _click(stop: LatchedStop, *, may_resume: bool) -> LatchedStop:
    if stop.kind == "":
        return LatchedStop(kind="hold", pressed=True)
    if stop.kind == "hold" and may_resume:
        return LatchedStop(kind="", pressed=True)
    return replace(stop, pressed=True, held=0.0)
