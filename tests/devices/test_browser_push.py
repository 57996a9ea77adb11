"""The page's button that pushes."""

from __future__ import annotations

from handhold.devices.browser.controls import HOLD_TIMEOUT
from handhold.devices.browser.push import PUSHING, RETURNING, TAKING_UP, PushButton


class Clock:
    """A clock that is set."""

    now = 10.0

    def __call__(self) -> float:
        return self.now


def test_a_push_squeezes_first_and_opens_last() -> None:
    clock = Clock()
    button = PushButton(clock)
    assert button.read_push(clock.now) == (False, 0.0)
    button.hold()
    assert button.read_push(clock.now) == (True, 0.0)
    clock.now += TAKING_UP + 0.01
    assert button.read_push(clock.now) == (True, PUSHING)
    released = clock.now
    clock.now += HOLD_TIMEOUT
    assert button.read_push(clock.now) == (True, 0.0)
    clock.now = released + RETURNING + 0.01
    assert button.read_push(clock.now) == (False, 0.0)


def test_what_is_dropped_opens_at_once_and_begins_anew() -> None:
    clock = Clock()
    button = PushButton(clock)
    button.hold()
    button.read_push(clock.now)
    clock.now += TAKING_UP + 0.01
    button.hold()
    assert button.read_push(clock.now) == (True, PUSHING)
    button.drop()
    assert button.read_push(clock.now) == (False, 0.0)
    button.hold()
    assert button.read_push(clock.now) == (True, 0.0)
