"""The station's end of the operator's stop: clicks of the sticks become words that mean the same whenever they arrive.

A click means "the other way round", so that one that is counted twice, or not at all, means the contrary. Here it is judged
once, by what the operator sees, and sent as ``OperatorInput.stop``. Whatever is in doubt is a stop.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from handhold.devices.operator_input import STOPS, HandInput, OperatorInput
from handhold.retarget.clutch import RELEASE_BELOW
from handhold.retarget.latched_stop import DAMP_AFTER

HOLD_AFTER = 0.5
"""Time one stick is held down while the other hand is not tracked [s] after which the robot is told to hold."""

LET_GO_FOR = 0.1
"""Time both sticks must have been seen up before a click may lift a stop [s]: a controller that drops out for a moment while
its stick is down has not let go of it."""

RESUME_SHOWS_WITHIN = 1.0
"""Time for which the stop that is displayed may be the one that a resume has just lifted [s]."""

LONGEST_STEP = 0.1
"""Time between two samples that counts at most [s]: a station that froze does not know what the sticks did meanwhile."""

_TIME_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class StickStop:
    """State of the sticks' meaning.

    Attributes:
        word: What is asked now: ``""``, ``"hold"``, ``"resume"`` or ``"damp"``, as in ``OperatorInput.stop``.
        pressed: Whether both sticks were down in the last sample.
        held: For how long they have been [s].
        alone: For how long one stick has been down while the other hand was not tracked [s].
        let_go: For how long both sticks had been up, with both hands tracked, since they were last both down [s].
        since_resume: Time since a resume was asked for [s].
        device: Device of the last sample.
    """

    word: str = ""
    pressed: bool = False
    held: float = 0.0
    alone: float = 0.0
    let_go: float = 0.0
    since_resume: float = RESUME_SHOWS_WITHIN
    device: str = ""


def step_stick_stop(state: StickStop, sample: OperatorInput, displayed: str | None, dt: float) -> StickStop:
    """Follow the sticks by one sample.

    A stop is asked for until it is displayed, a resume in one sample only.

    Args:
        state: State so far.
        sample: The newest sample, as the device gives it.
        displayed: The robot's stop by the newest snapshot: ``""``, ``"hold"`` or ``"damp"``; None where there is none, or
            it is too old to tell.
        dt: Time since the last sample [s].
    """
    dt = min(dt, LONGEST_STEP)
    pressed = sample.left.buttons.stick and sample.right.buttons.stick
    state = replace(
        state,
        held=state.held + dt if pressed and state.pressed else 0.0,
        alone=state.alone + dt if _is_alone(sample.left, sample.right) else 0.0,
        let_go=state.let_go if sample.device == state.device else 0.0,
        since_resume=min(state.since_resume + dt, RESUME_SHOWS_WITHIN),
    )
    asked = (_keep_asking(state, displayed), _read_sticks(state, sample, displayed, pressed=pressed))
    word = max(asked, key=STOPS.index)
    return replace(
        state,
        word=word,
        pressed=pressed,
        let_go=_time_let_go(state.let_go, sample, dt),
        since_resume=0.0 if word == "resume" else state.since_resume,
        device=sample.device,
    )


def speak(sample: OperatorInput, word: str) -> OperatorInput:
    """Return a sample that says a stop in a word, and carries no clicks for the host to interpret a second time."""
    return replace(sample, stop=word, left=_without_click(sample.left), right=_without_click(sample.right))


def _keep_asking(state: StickStop, displayed: str | None) -> str:
    """Return what was asked for and is not displayed yet."""
    if state.word == "damp":
        return "" if displayed == "damp" else "damp"
    if state.word == "hold":
        shows = displayed in ("hold", "damp") and state.since_resume >= RESUME_SHOWS_WITHIN
        return "" if shows else "hold"
    return ""


def _read_sticks(state: StickStop, sample: OperatorInput, displayed: str | None, *, pressed: bool) -> str:
    if state.held >= DAMP_AFTER - _TIME_TOLERANCE:
        return "damp"
    if state.alone >= HOLD_AFTER - _TIME_TOLERANCE:
        return "hold"
    if not pressed or state.pressed:
        return ""
    return "resume" if displayed == "hold" and _may_resume(state, sample) else "hold"


def _may_resume(state: StickStop, sample: OperatorInput) -> bool:
    released = sample.left.squeeze <= RELEASE_BELOW and sample.right.squeeze <= RELEASE_BELOW
    let_go = sample.focused and state.let_go >= LET_GO_FOR - _TIME_TOLERANCE
    return released and let_go and state.since_resume >= RESUME_SHOWS_WITHIN


def _is_alone(left: HandInput, right: HandInput) -> bool:
    return (left.buttons.stick and right.pose is None) or (right.buttons.stick and left.pose is None)


def _time_let_go(let_go: float, sample: OperatorInput, dt: float) -> float:
    """Return for how long both sticks have been up; the time stands still while one of them is down, on its way to a click."""
    left, right = sample.left, sample.right
    both_down = left.buttons.stick and right.buttons.stick
    if both_down or not sample.focused or left.pose is None or right.pose is None:
        return 0.0
    return let_go if left.buttons.stick or right.buttons.stick else let_go + dt


def _without_click(hand: HandInput) -> HandInput:
    return replace(hand, buttons=replace(hand.buttons, stick=False)) if hand.buttons.stick else hand
