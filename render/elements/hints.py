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

WHEEL_CONTROLS = {"sticks": "menu, or stick held down: wheel", "menu buttons": "menu: wheel"}
"""What opens the wheel, by what is pressed with both hands to stop."""


def tell_way_out_of_stop(stop_buttons: str) -> tuple[str, ...]:
    """Return what ends a hold: a squeeze that is held keeps it, so that nothing is engaged when it ends."""
    return "let go of both squeezes,", f"then click both {stop_buttons}: go on"


def list_hints(hand: str, mode: str, settings: Settings, stop_buttons: str = "sticks") -> tuple[str, ...]:
    """Return what the controls of a hand do, a line each.

    Args:
        hand: ``"left"`` or ``"right"``.
        mode: Name of the mode in charge.
        settings: The operator's choices.
        stop_buttons: What is pressed with both hands to stop.
    """
    hints = HINTS.get(mode, ModeHints())
    stick = hints.left_stick if (hand == "left") != settings.swap_sticks else hints.right_stick
    read = (("trigger", hints.trigger), ("stick", stick), (PRIMARY[hand], hints.primary), (SECONDARY[hand], hints.secondary))
    return (
        "squeeze: move this hand",
        *(f"{control}: {does}" for control, does in read if does),
        WHEEL_CONTROLS.get(stop_buttons, WHEEL_CONTROLS["sticks"]),
        f"both {stop_buttons} down: STOP",
    )
