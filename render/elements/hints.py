"""What each control does, in the words that are written at the controllers."""

from __future__ import annotations

from handhold.devices.control_names import HandsControlNames
from handhold.render.interface.settings import Settings
from handhold.retarget.mode_profile import ModeHints

NOTHING_TO_MOVE = "nothing to move with this hand in this mode"
"""Of a hand that the robot has not, or that a mode leaves to itself."""


GRIPPER = "close the gripper"
"""Of a trigger, where the hand has a gripper and bears nothing."""


def describe_resume_steps(controls: HandsControlNames) -> tuple[str, ...]:
    """Return what ends a hold: a squeeze that is held keeps it, so that nothing is engaged when it ends."""
    *first, last = controls.resume_steps
    return (*(f"{step}," for step in first), f"{last}: go on")


def list_hints(
    hand: str,
    hints: ModeHints,
    settings: Settings,
    controls: HandsControlNames,
    *,
    commands: bool = True,
    grips: bool = False,
) -> tuple[str, ...]:
    """Return what the controls of a hand do, a line each.

    Args:
        hand: ``"left"`` or ``"right"``.
        hints: What the mode in charge does with the controls.
        settings: The operator's choices.
        controls: What the controls are called that are bound to the hands.
        commands: Whether the hand commands anything of the robot.
        grips: Whether its trigger moves a gripper now.
    """
    names = controls.of(hand)
    stick = hints.left_stick if (hand == "left") != settings.swap_sticks else hints.right_stick
    trigger = "" if names.trigger_is_squeeze else names.trigger
    read = (
        (trigger, GRIPPER if grips else hints.trigger if commands else ""),
        (names.stick, stick),
        (names.primary, hints.primary if commands else ""),
        (names.secondary, hints.secondary),
    )
    return (
        f"{names.squeeze}: move this hand" if commands else NOTHING_TO_MOVE,
        *(f"{control}: {does}" for control, does in read if control and does),
        f"{names.opens_wheel}: wheel",
        f"{controls.stop_with_both}: STOP",
    )
