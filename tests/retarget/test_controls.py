"""Trigger, stick and buttons of one hand: nothing that is held while the operator comes back does anything."""

from __future__ import annotations

from typing import Any

import pytest

from handhold.devices.operator_input import Buttons
from handhold.retarget.engagement.controls import HandControls
from handhold.retarget.engagement.screening import ScreenedHand

BUTTONS = ("primary", "secondary", "menu")


def sample(trigger: float = 0.0, stick: tuple[float, float] = (0.0, 0.0), **buttons: bool) -> ScreenedHand:
    return ScreenedHand(pose=None, trigger=trigger, squeeze=0.0, stick=stick, buttons=Buttons(**buttons))


def read(controls: HandControls, *, engaged: bool = True, **controls_of_hand: Any) -> HandControls:
    controls.read(sample(**controls_of_hand), engaged=engaged)
    return controls


def present() -> HandControls:
    """Return the controls of a hand that has been seen with everything let go."""
    return read(HandControls())


def down(state: Buttons) -> set[str]:
    return {name for name in (*BUTTONS, "stick") if getattr(state, name)}


def test_nothing_is_pressed_pushed_or_taken_up_at_the_start() -> None:
    controls = HandControls()
    assert (controls.trigger, controls.trigger_kept, controls.stick) == (0.0, True, (0.0, 0.0))
    assert down(controls.pressed) == down(controls.held) == set()


@pytest.mark.parametrize("name", BUTTONS)
def test_a_button_is_pressed_once_and_held_until_it_goes_up(name: str) -> None:
    controls = present()
    history = []
    for is_down in (True, True, False, True):
        read(controls, **{name: is_down})
        history.append((down(controls.pressed), down(controls.held)))
    one: set[str] = {name}
    assert history == [(one, one), (set(), one), (set(), set()), (one, one)]


@pytest.mark.parametrize("name", BUTTONS)
def test_a_button_that_is_down_from_the_start_is_neither_pressed_nor_held_until_it_was_up(name: str) -> None:
    controls = HandControls()
    for _ in range(2):
        read(controls, **{name: True})
        assert down(controls.pressed) == down(controls.held) == set()
    read(controls)
    read(controls, **{name: True})
    assert down(controls.pressed) == down(controls.held) == {name}


@pytest.mark.parametrize("name", BUTTONS)
def test_the_other_buttons_go_on_while_one_is_down(name: str) -> None:
    controls = read(present(), **{name: True})
    read(controls, primary=True, secondary=True, menu=True)
    assert down(controls.pressed) == set(BUTTONS) - {name}
    assert down(controls.held) == set(BUTTONS)


def test_a_step_without_a_sample_presses_nothing_and_goes_on_holding() -> None:
    controls = read(present(), primary=True)
    controls.pass_on()
    assert down(controls.pressed) == set()
    assert down(controls.held) == {"primary"}
    read(controls, primary=True)
    assert down(controls.pressed) == set()


def test_a_stick_counts_once_it_was_seen_let_go() -> None:
    controls = HandControls()
    assert read(controls, stick=(0.0, 1.0)).stick == (0.0, 0.0)
    assert read(controls, stick=(0.1, 0.1)).stick == (0.1, 0.1)
    assert read(controls, stick=(0.3, -1.0)).stick == (0.3, -1.0)


def test_a_trigger_is_taken_up_where_it_was_and_only_by_a_hand_that_is_engaged() -> None:
    controls = read(present(), trigger=0.6)
    assert (controls.trigger, controls.trigger_kept) == (0.6, False)
    controls.keep_trigger()
    assert controls.trigger_kept is True
    for trigger, engaged in ((0.0, True), (0.49, True), (0.71, True), (0.6, False), (0.5, False)):
        read(controls, trigger=trigger, engaged=engaged)
        assert (controls.trigger, controls.trigger_kept) == (0.6, True)
    read(controls, trigger=0.55)
    assert (controls.trigger, controls.trigger_kept) == (0.55, False)
    assert read(controls, trigger=0.0, engaged=False).trigger == 0.0, "once taken up it goes where it likes"


@pytest.mark.parametrize("trigger", [0.0, 0.1])
def test_a_trigger_is_taken_up_within_a_tenth(trigger: float) -> None:
    assert read(HandControls(), trigger=trigger).trigger_kept is False
    assert read(HandControls(), trigger=trigger + 0.101).trigger_kept is True


def test_an_operator_who_is_gone_leaves_the_trigger_and_nothing_else() -> None:
    controls = read(present(), trigger=0.05)
    read(controls, trigger=0.4, stick=(0.0, 1.0), primary=True, secondary=True, menu=True)
    controls.release()
    assert (controls.trigger, controls.trigger_kept, controls.stick) == (0.4, True, (0.0, 0.0))
    assert down(controls.pressed) == down(controls.held) == set()
    read(controls, trigger=1.0, stick=(0.0, 1.0), primary=True, secondary=True, menu=True)
    assert (controls.trigger, controls.stick) == (0.4, (0.0, 0.0))
    assert down(controls.pressed) == down(controls.held) == set()


def test_a_stick_that_was_not_seen_let_go_waits_until_it_is() -> None:
    controls = read(HandControls(), stick=(0.0, 1.0))
    assert (controls.stick, controls.stick_waits) == ((0.0, 0.0), True)
    assert not read(controls).stick_waits
    assert not read(controls, stick=(0.0, 1.0)).stick_waits
    controls.release()
    assert not controls.stick_waits
    assert read(controls, stick=(0.0, 1.0)).stick_waits
