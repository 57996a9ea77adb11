"""The operator's stop: a click of both sticks, or a button where a device has one."""

from __future__ import annotations

from dataclasses import dataclass, replace

from handhold.devices.stop import Stop

DAMP_AFTER = 1.0
"""Time both sticks are held down [s] after which the robot is damped."""

_TIME_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class LatchedStop:
    """State of the operator's stop.

    Both sticks clicked: hold, latched. The way out: release a stick and both squeezes, so that nothing is engaged, and
    click both sticks again. Both held down for a second: damp, which only ``Engagement.clear_stop`` ends. This is no
    emergency stop.

    Attributes:
        kind: What is latched: nothing, a hold or damping.
        pressed: Whether both sticks were down in the last sample.
        held: For how long they have been [s].
    """

    kind: Stop = Stop.NONE
    pressed: bool = False
    held: float = 0.0


NOT_STOPPED = LatchedStop()
"""As at the start; sticks that are down from the start stop at once."""


def ask_stop(stop: LatchedStop, asked: Stop, *, may_resume: bool) -> LatchedStop:
    """Follow a device that asks for a stop by a button.

    It is asked for again and again while the device means it, so that no sample that is lost and no state that has changed
    meanwhile lets a stop go by.
    """
    if stop.kind is Stop.DAMP or stop.kind is asked:
        return stop
    if asked in (Stop.HOLD, Stop.DAMP):
        return replace(stop, kind=asked)
    if asked is Stop.RESUME and stop.kind is Stop.HOLD and may_resume:
        return replace(stop, kind=Stop.NONE)
    return stop


def step_stop(stop: LatchedStop, *, pressed: bool, may_resume: bool, dt: float) -> LatchedStop:
    """Follow the sticks by one step.

    Args:
        stop: State so far.
        pressed: Whether both sticks are down, by the newest sample.
        may_resume: Whether the operator is present and releases both squeezes.
        dt: Length of the step [s]; 0 while the newest sample is too old to tell whether they still are down.

    Returns:
        New state; the same object where nothing changed.
    """
    if not pressed:
        return replace(stop, pressed=False, held=0.0) if stop.pressed else stop
    if not stop.pressed:
        return _click(stop, may_resume=may_resume)
    held = stop.held + dt
    kind = Stop.DAMP if held >= DAMP_AFTER - _TIME_TOLERANCE else stop.kind
    return LatchedStop(kind=kind, pressed=True, held=held)


def _click(stop: LatchedStop, *, may_resume: bool) -> LatchedStop:
    if stop.kind is Stop.NONE:
        return LatchedStop(kind=Stop.HOLD, pressed=True)
    if stop.kind is Stop.HOLD and may_resume:
        return LatchedStop(kind=Stop.NONE, pressed=True)
    return replace(stop, pressed=True, held=0.0)
