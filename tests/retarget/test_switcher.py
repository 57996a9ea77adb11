"""When everything stops."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handhold.retarget.command import HandCommand, OperatorCommand
from handhold.retarget.switcher import MOST_FAILURES, Switcher


class CountingMode:
    """A mode whose programs fail when told to; its reference is the number of its updates."""

    name = title = "counting"

    hands = (2, 3)
    restarted = frozenset()
    busy = False
    coming = None
    hold_reason = ""
    messages = ()
    refused = 0

    def __init__(self):
        self.failures = self.failures_in_a_row = 0
        self.active = ()
        self.fail = False
        self.held = []

    def enter(self, state):
        return None

    def update(self, command, state, surfaces, dt, /, *, hold):
        self.held.append(hold)
        self.failures += self.fail and not hold
        self.failures_in_a_row = self.failures_in_a_row + 1 if self.fail and not hold else 0


def command(*, engaged=True, stop="", speed=1.0, com_velocity=(0.0, 0.0, 0.0)):
    hand = replace(HandCommand.let_go(np.eye(4)), engaged=engaged)
    whole = OperatorCommand.of_hands(hand, hand)
    return replace(whole, com_velocity=np.array(com_velocity), stop=stop, speed=speed)


@pytest.mark.parametrize("lost", [{"stop": "hold"}, {"stop": "damp"}, {"speed": 0.0}])
def test_a_stop_or_a_lost_link_holds_at_once(lost):
    mode = CountingMode()
    switcher = Switcher(mode)
    switcher.update(command(**lost), None, (), 1e-3)
    assert mode.held == [True]
    assert switcher.holding


def test_nothing_moves_that_is_not_commanded():
    mode = CountingMode()
    switcher = Switcher(mode)
    for wanted in (command(engaged=False), command(), command(engaged=False, com_velocity=(0.0, 0.2, 0.0))):
        switcher.update(wanted, None, (), 1e-3)
    assert mode.held == [True, False, False]
    assert not switcher.holding


def test_a_late_link_does_not_hold_yet():
    mode = CountingMode()
    Switcher(mode).update(command(speed=0.4), None, (), 1e-3)
    assert mode.held == [False]


def test_fifty_failures_in_a_row_hold_until_the_hands_are_released():
    mode = CountingMode()
    switcher = Switcher(mode)
    mode.fail = True
    for _ in range(MOST_FAILURES + 10):
        switcher.update(command(), None, (), 1e-3)
    assert mode.held == [False] * MOST_FAILURES + [True] * 10
    mode.fail = False
    switcher.update(command(engaged=False), None, (), 1e-3)
    switcher.update(command(), None, (), 1e-3)
    assert mode.held[-2:] == [True, False]


@given(st.lists(st.integers(1, MOST_FAILURES - 1), max_size=5))
def test_failures_that_are_not_in_a_row_never_hold(runs):
    mode = CountingMode()
    switcher = Switcher(mode)
    for run in runs:
        mode.fail = True
        for _ in range(run):
            switcher.update(command(), None, (), 1e-3)
        mode.fail = False
        switcher.update(command(), None, (), 1e-3)
    assert not any(mode.held)


def test_what_a_button_began_goes_on_without_a_clutch():
    mode = CountingMode()
    switcher = Switcher(mode)
    mode.busy = True
    switcher.update(command(engaged=False), None, (), 1e-3)
    mode.busy = False
    switcher.update(command(engaged=False), None, (), 1e-3)
    assert mode.held == [False, True]


@pytest.mark.parametrize("lost", [{"stop": "hold"}, {"speed": 0.0}])
def test_a_stop_or_a_lost_link_holds_what_a_button_began(lost):
    mode = CountingMode()
    mode.busy = True
    Switcher(mode).update(command(**lost), None, (), 1e-3)
    assert mode.held == [True]


def test_what_the_mode_finds_wrong_holds_and_is_told():
    mode = CountingMode()
    switcher = Switcher(mode)
    mode.hold_reason = "left foot: contact lost"
    switcher.update(command(), None, (), 1e-3)
    assert switcher.holding == "left foot: contact lost"
    mode.hold_reason = ""
    switcher.update(command(), None, (), 1e-3)
    assert mode.held == [True, False]
    assert switcher.holding == ""


def test_a_stop_is_told_before_what_the_mode_finds_wrong():
    mode = CountingMode()
    mode.hold_reason = "left foot: contact lost"
    switcher = Switcher(mode)
    switcher.update(command(stop="hold"), None, (), 1e-3)
    assert switcher.holding.startswith("stopped by the operator")
