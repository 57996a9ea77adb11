"""Commands that go on: a button goes down once."""

from dataclasses import replace

import numpy as np
import pytest

from handhold.retarget.command import HandCommand, OperatorCommand

HAND = HandCommand(
    engaged=True,
    waiting="",
    target=np.eye(4),
    trigger=0.5,
    primary_pressed=False,
    secondary_pressed=False,
    secondary_held=True,
)


def test_a_command_without_a_press_goes_on_as_it_is():
    command = OperatorCommand.of_hands(HAND, HAND)
    assert HAND.pass_on() is HAND
    assert command.pass_on() is command


@pytest.mark.parametrize("button", ["primary_pressed", "secondary_pressed"])
def test_a_button_of_a_hand_goes_down_once_and_nothing_else_changes(button):
    pressed = replace(HAND, **{button: True})
    for left, right in ((pressed, HAND), (HAND, pressed), (pressed, pressed)):
        after = OperatorCommand.of_hands(left, right).pass_on()
        for hand in (after.left, after.right):
            assert not hand.primary_pressed
            assert not hand.secondary_pressed
            assert (hand.engaged, hand.trigger, hand.secondary_held) == (True, 0.5, True)
            assert hand.target is HAND.target


def test_the_menu_goes_down_once():
    command = replace(OperatorCommand.of_hands(HAND, HAND), menu_pressed=True)
    after = command.pass_on()
    assert not after.menu_pressed
    assert (after.left, after.right) == (HAND, HAND)
