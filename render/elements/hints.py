"""What each control does, in the words that are written at the controllers: one table, a row for each mode."""

from __future__ import annotations

from dataclasses import dataclass

from handhold.render.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class ModeHints:
    """What a mode reads of the controllers, in words; what is empty it does not read, and nothing is written of it.

    Attributes:
        left_stick: What the left stick does.
        right_stick: What the right stick does.
        trigger: What the trigger does.
        primary: What A and X do.
        secondary: What B and Y do.
    """

    left_stick: str = ""
    right_stick: str = ""
    trigger: str = ""
    primary: str = ""
    secondary: str = ""


HINTS = {
    "bracing": ModeHints(
        left_stick="lean",
        right_stick="height, turn",
        trigger="push on the contact",
        primary="load or unload",
        secondary="look ahead; held: hand or foot",
    ),
    "walking": ModeHints(left_stick="walk", right_stick="turn", secondary="stop, motions"),
    "motions": ModeHints(secondary="next motion, pause; held: play, run back"),
}
"""What modes read, by their names; of any other mode only what always works is told."""

PRIMARY = {"left": "X", "right": "A"}
SECONDARY = {"left": "Y", "right": "B"}

WAY_OUT_OF_A_STOP = ("let go of both squeezes,", "then click both sticks: go on")
"""A squeeze that is held keeps the stop, so that nothing is engaged when it ends."""


def list_hints(hand: str, mode: str, settings: Settings) -> tuple[str, ...]:
    """Return what the controls of a hand do, a line each.

    Args:
        hand: ``"left"`` or ``"right"``.
        mode: Name of the mode in charge.
        settings: The operator's choices.
    """
    hints = HINTS.get(mode, ModeHints())
    stick = hints.left_stick if (hand == "left") != settings.swap_sticks else hints.right_stick
    read = (("trigger", hints.trigger), ("stick", stick), (PRIMARY[hand], hints.primary), (SECONDARY[hand], hints.secondary))
    return (
        "squeeze: move this hand",
        *(f"{control}: {does}" for control, does in read if does),
        "menu, or stick held down: wheel",
        "both sticks down: STOP",
    )
