"""The station's end of the operator's stop: clicks of the sticks become commands that mean the same whenever they arrive.

A click means "the other way round", so that one that is counted twice, or not at all, means the contrary. Here it is judged
once, by what the operator sees, and sent as ``OperatorInput.stop``. Whatever is in doubt is a stop.
"""

from __future__ import annotations

from dataclasses import dataclass

from handhold.devices.amend import amend
from handhold.devices.operator_input import HandInput, OperatorInput
from handhold.devices.operator_sample import HandSample, OperatorSample
from handhold.devices.stop import Stop, choose_stop
from handhold.retarget.engagement.clutch import RELEASE_BELOW
from handhold.retarget.engagement.latched_stop import DAMP_AFTER

HOLD_AFTER = 0.5
"""Time one stick is held down while the other hand is not tracked [s] after which the robot is commanded to hold."""

STICKS_UP_TIME = 0.1
"""Time both sticks must have been seen up before a click may lift a stop [s]: a controller that drops out for a moment while
its stick is down has not let go of it."""

RESUME_SHOWS_WITHIN = 1.0
"""Time for which the stop that is displayed may be the one that a resume has just lifted [s]."""

MAX_TIME_STEP = 0.1
"""Time between two samples that counts at most [s]: a station that froze does not know what the sticks did meanwhile."""

CHOICE_TIME = 10.0
"""Time after *Go on* was chosen on the wheel [s] within which what is done by accident too, as a fist is, may end a hold."""

_TIME_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class StopChoice:
    """What else decides on a stop than the sticks.

    Attributes:
        command: Choice on the wheel in this sample: nothing, a hold, or a resume, which allows a click to resume and
            does nothing by itself.
        click_resumes: Whether a click needs no such permission, because it is not made by accident.
    """

    command: Stop = Stop.NONE
    click_resumes: bool = True


NOTHING_CHOSEN = StopChoice()
"""Nothing was chosen, and the sticks are sticks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StickStop:
    """State of the sticks' meaning.

    Attributes:
        command: What is asked now, as in ``OperatorInput.stop``.
        pressed: Whether both sticks were down in the last sample.
        held: For how long they have been [s].
        alone: For how long one stick has been down while the other hand was not tracked [s].
        sticks_up: For how long both sticks had been up, with both hands tracked, since they were last both down [s].
        since_resume: Time since a resume was asked for [s].
        allowed: For how long a click that needs permission may still resume [s].
        device: Device of the last sample.
    """

    command: Stop = Stop.NONE
    pressed: bool = False
    held: float = 0.0
    alone: float = 0.0
    sticks_up: float = 0.0
    since_resume: float = RESUME_SHOWS_WITHIN
    allowed: float = 0.0
    device: str = ""


def step_stick_stop(
    state: StickStop, sample: OperatorSample, displayed: Stop | None, dt: float, choice: StopChoice = NOTHING_CHOSEN
) -> StickStop:
    """Follow the sticks, and the wheel, by one sample.

    A stop is asked for until it is displayed, a resume in one sample only. The wheel stops at once; going on always takes the
    sticks, or what counts as their click.

    Args:
        state: State so far.
        sample: The newest sample, as the device gives it.
        displayed: The robot's stop by the newest snapshot; None where there is none, or it is too old to tell.
        dt: Time since the last sample [s].
        choice: What else decides on it.
    """
    dt = min(dt, MAX_TIME_STEP)
    pressed = sample.left.buttons.stick and sample.right.buttons.stick
    state = amend(
        state,
        held=state.held + dt if pressed and state.pressed else 0.0,
        alone=state.alone + dt if _is_alone(sample.left, sample.right) else 0.0,
        sticks_up=state.sticks_up if sample.device == state.device else 0.0,
        since_resume=min(state.since_resume + dt, RESUME_SHOWS_WITHIN),
        allowed=_time_permission(state, sample, displayed, choice, dt),
    )
    may_resume = (choice.click_resumes or state.allowed > 0.0) and _may_resume(state, sample)
    asked = (
        Stop.HOLD if choice.command is Stop.HOLD else Stop.NONE,
        _keep_asking(state, displayed),
        _read_sticks(state, displayed, pressed=pressed, may_resume=may_resume),
    )
    command = choose_stop(*asked)
    return amend(
        state,
        command=command,
        pressed=pressed,
        sticks_up=_time_sticks_up(state.sticks_up, sample, dt),
        since_resume=0.0 if command is Stop.RESUME else state.since_resume,
        device=sample.device,
    )


def set_stop(sample: OperatorInput, command: Stop) -> OperatorInput:
    """Return a sample with a stop command, which carries no clicks for the host to interpret a second time."""
    return amend(sample, stop=command, left=_without_click(sample.left), right=_without_click(sample.right))


def _keep_asking(state: StickStop, displayed: Stop | None) -> Stop:
    """Return what was asked for and is not displayed yet."""
    if state.command is Stop.DAMP:
        return Stop.NONE if displayed is Stop.DAMP else Stop.DAMP
    if state.command is Stop.HOLD:
        shows = displayed in (Stop.HOLD, Stop.DAMP) and state.since_resume >= RESUME_SHOWS_WITHIN
        return Stop.NONE if shows else Stop.HOLD
    return Stop.NONE


def _time_permission(state: StickStop, sample: OperatorSample, displayed: Stop | None, choice: StopChoice, dt: float) -> float:
    """Return for how long a click that needs permission resumes: not beyond the hold, the device, the operator's presence."""
    if displayed is not Stop.HOLD or not sample.focused or sample.device != state.device:
        return 0.0
    return CHOICE_TIME if choice.command is Stop.RESUME else max(0.0, state.allowed - dt)


def _read_sticks(state: StickStop, displayed: Stop | None, *, pressed: bool, may_resume: bool) -> Stop:
    if state.held >= DAMP_AFTER - _TIME_TOLERANCE:
        return Stop.DAMP
    if state.alone >= HOLD_AFTER - _TIME_TOLERANCE:
        return Stop.HOLD
    if not pressed or state.pressed:
        return Stop.NONE
    return Stop.RESUME if displayed is Stop.HOLD and may_resume else Stop.HOLD


def _may_resume(state: StickStop, sample: OperatorSample) -> bool:
    released = sample.left.squeeze <= RELEASE_BELOW and sample.right.squeeze <= RELEASE_BELOW
    sticks_up = sample.focused and state.sticks_up >= STICKS_UP_TIME - _TIME_TOLERANCE
    return released and sticks_up and state.since_resume >= RESUME_SHOWS_WITHIN


def _is_alone(left: HandSample, right: HandSample) -> bool:
    return (left.buttons.stick and right.pose is None) or (right.buttons.stick and left.pose is None)


def _time_sticks_up(sticks_up: float, sample: OperatorSample, dt: float) -> float:
    """Return for how long both sticks have been up; the time stands still while one of them is down, on its way to a click."""
    left, right = sample.left, sample.right
    both_down = left.buttons.stick and right.buttons.stick
    if both_down or not sample.focused or left.pose is None or right.pose is None:
        return 0.0
    return sticks_up if left.buttons.stick or right.buttons.stick else sticks_up + dt


def _without_click(hand: HandInput) -> HandInput:
    return amend(hand, buttons=amend(hand.buttons, stick=False)) if hand.buttons.stick else hand
