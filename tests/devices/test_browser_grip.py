"""The page's button that closes and opens a gripper."""

from __future__ import annotations

import numpy as np
import pytest

from handhold.devices.browser.grip import PULLING, STROKE, TAKING_UP, GripButton
from handhold.retarget.engagement.controls import HandControls
from handhold.retarget.grippers import GripperFollower
from handhold.robots.model import load_model

DT = 0.01


class Page:
    """A button, and the gripper that follows it."""

    def __init__(self, closing: float) -> None:
        self.button, self.now = GripButton(), 5.0
        self.follower = GripperFollower(load_model("talos").description.grippers[0], closing)

    def pass_time(self, duration: float, *, dragged: bool = False) -> tuple[bool, float]:
        """Read the button for a time, and return what it says in the end."""
        squeezes, trigger = False, 0.0
        for _ in np.arange(0.0, duration, DT):
            self.now += DT
            squeezes, trigger = self.button.read_grip(self.now, dragged=dragged)
            if squeezes or dragged:
                self.follower.follow(trigger, 1.0, DT)
            else:
                self.follower.let_go()
        return squeezes, trigger


OVER = TAKING_UP + 3.0 * PULLING + STROKE + 0.1


@pytest.mark.parametrize("closing", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("opens", [False, True])
def test_a_click_opens_or_closes_whatever_the_gripper_is(closing: float, opens: bool) -> None:
    page = Page(closing)
    assert page.pass_time(0.5) == (False, 0.0)
    page.button.offer(offered=True, opens=opens)
    page.button.click()
    squeezes, _ = page.pass_time(0.1)
    assert squeezes
    assert page.pass_time(OVER) == (False, 0.0)
    assert page.follower.closing == pytest.approx(0.0 if opens else 1.0)
    page.pass_time(1.0)
    assert page.follower.closing == pytest.approx(0.0 if opens else 1.0), "it stays as it is"


def test_a_hand_that_is_dragged_keeps_what_it_holds_until_it_is_let_go() -> None:
    page = Page(0.0)
    page.button.offer(offered=True, opens=False)
    page.button.click()
    assert page.pass_time(OVER, dragged=True) == (False, 1.0)
    page.pass_time(2.0, dragged=True)
    assert page.follower.closing == pytest.approx(1.0)
    assert page.pass_time(0.1) == (False, 0.0)
    page.pass_time(1.0, dragged=True)
    assert page.follower.closing == pytest.approx(1.0), "a trigger that was never pulled takes nothing up"


@pytest.mark.parametrize("kept", [0.0, 1.0])
@pytest.mark.parametrize("opens", [False, True])
def test_it_works_through_the_engagement_that_keeps_a_trigger(kept: float, opens: bool) -> None:
    page, controls = Page(1.0 if opens else 0.0), HandControls()
    controls.trigger, controls.trigger_kept = kept, True
    page.button.offer(offered=True, opens=opens)
    page.button.click()
    for _ in np.arange(0.0, OVER, DT):
        page.now += DT
        squeezes, trigger = page.button.read_grip(page.now, dragged=False)
        controls._read_trigger(trigger, engaged=squeezes)
        if squeezes:
            page.follower.follow(controls.trigger, 1.0, DT)
        else:
            page.follower.let_go()
    assert page.follower.closing == pytest.approx(0.0 if opens else 1.0)


def test_a_second_click_changes_nothing() -> None:
    page = Page(1.0)
    page.button.offer(offered=True, opens=True)
    page.button.click()
    page.pass_time(1.0)
    page.button.offer(offered=True, opens=False)
    page.button.click()
    page.pass_time(OVER)
    assert page.follower.closing == pytest.approx(0.0)


def test_a_click_without_a_gripper_does_nothing_and_one_that_is_taken_away_lets_go() -> None:
    page = Page(1.0)
    page.button.click()
    assert page.pass_time(1.0) == (False, 0.0)
    page.button.offer(offered=True, opens=True)
    page.button.click()
    assert page.pass_time(0.1)[0]
    page.button.offer(offered=False, opens=False)
    assert page.pass_time(0.1) == (False, 0.0)


def test_what_is_dropped_lets_go_at_once() -> None:
    page = Page(1.0)
    page.button.offer(offered=True, opens=True)
    page.button.click()
    assert page.pass_time(0.3)[0]
    page.button.drop()
    assert page.pass_time(0.1) == (False, 0.0)
    page.button.click()
    page.button.drop()
    assert page.pass_time(0.1) == (False, 0.0)
