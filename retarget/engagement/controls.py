"""Trigger, stick and buttons of one hand: nothing that is held while the operator comes back does anything."""

from __future__ import annotations

from handhold.devices.operator_input import Buttons
from handhold.retarget.engagement.screening import ScreenedHand
from handhold.retarget.engagement.sticks import is_centred

TRIGGER_PICKUP = 0.1
"""How near to its kept value [-] a trigger must come to be taken up again."""

_CENTRED = (0.0, 0.0)
_ALL_PRESSED = Buttons(primary=True, secondary=True, menu=True)
_NONE_PRESSED = Buttons()


class HandControls:
    """Reads trigger, stick and buttons of one hand.

    Attributes:
        trigger: 0 released, 1 pulled; kept as it was from when the hand was lost until it is taken up again.
        trigger_kept: Whether the trigger is kept and not yet taken up.
        stick: Deflection to the right and forward, each -1 to 1; centred until it was seen released.
        stick_waits: Whether the stick is pushed and does not count yet, for it was not seen released.
        pressed: Buttons that went down with the last sample.
        held: Buttons that are down and were seen going down.
    """

    def __init__(self) -> None:
        self.trigger = 0.0
        self.trigger_kept = True
        self.stick = _CENTRED
        self.stick_waits = False
        self.pressed = _NONE_PRESSED
        self.held = _NONE_PRESSED
        self._down = _ALL_PRESSED
        self._stick_released = False

    def read(self, sample: ScreenedHand, *, engaged: bool) -> None:
        """Take a new sample."""
        self._read_trigger(sample.trigger, engaged=engaged)
        self._stick_released = self._stick_released or is_centred(sample.stick)
        self.stick = sample.stick if self._stick_released else _CENTRED
        self.stick_waits = not self._stick_released
        down, before = sample.buttons, self._down
        self._down = down
        self.pressed = Buttons(
            primary=down.primary and not before.primary,
            secondary=down.secondary and not before.secondary,
            menu=down.menu and not before.menu,
        )
        self.held = Buttons(
            primary=down.primary and (self.pressed.primary or self.held.primary),
            secondary=down.secondary and (self.pressed.secondary or self.held.secondary),
            menu=down.menu and (self.pressed.menu or self.held.menu),
        )

    def pass_on(self) -> None:
        """Let a step without a new sample go by: a button goes down once."""
        self.pressed = _NONE_PRESSED

    def keep_trigger(self) -> None:
        """Keep the trigger as it is: the hand does not follow the operator any more."""
        self.trigger_kept = True

    def release(self) -> None:
        """Keep the trigger, centre the stick, and count every button as held: the operator is gone."""
        self.trigger_kept = True
        self.stick = _CENTRED
        self.stick_waits = False
        self.pressed = _NONE_PRESSED
        self.held = _NONE_PRESSED
        self._down = _ALL_PRESSED
        self._stick_released = False

    def _read_trigger(self, trigger: float, *, engaged: bool) -> None:
        if engaged and abs(trigger - self.trigger) <= TRIGGER_PICKUP:
            self.trigger_kept = False
        if not self.trigger_kept:
            self.trigger = trigger
