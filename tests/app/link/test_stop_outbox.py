"""A stop is sent until the host has it; a resume is sent once, and never after a stop."""

from __future__ import annotations

from handhold.app.link.authority import StopRequest
from handhold.app.link.stop_outbox import REPEAT_TIME, RESUME_TIME, StopOutbox
from handhold.devices.stop import Stop

PERIOD = 1.0 / 90.0


def test_nothing_is_sent_while_nothing_is_asked() -> None:
    outbox = StopOutbox()
    assert [outbox.update(Stop.NONE, 0, PERIOD * beat) for beat in range(9)] == [None] * 9


def test_a_stop_of_one_sample_is_sent_until_the_host_has_received_it() -> None:
    outbox = StopOutbox()
    assert outbox.update(Stop.HOLD, 0, 0.0) == StopRequest(Stop.HOLD, 1)
    for beat in range(1, 500):
        assert outbox.update(Stop.NONE, 0, PERIOD * beat) == StopRequest(Stop.HOLD, 1)
    assert outbox.update(Stop.NONE, 1, 6.0) is None
    assert outbox.update(Stop.NONE, 1, 7.0) is None


def test_a_device_that_goes_on_asking_for_a_stop_asks_anew() -> None:
    outbox = StopOutbox()
    outbox.update(Stop.DAMP, 0, 0.0)
    assert outbox.update(Stop.DAMP, 1, 0.5 * REPEAT_TIME) is None
    assert outbox.update(Stop.DAMP, 1, REPEAT_TIME) == StopRequest(Stop.DAMP, 2)


def test_a_stop_on_its_way_keeps_its_number() -> None:
    outbox = StopOutbox()
    for beat in range(100):
        assert outbox.update(Stop.HOLD, 0, PERIOD * beat) == StopRequest(Stop.HOLD, 1)


def test_a_resume_is_asked_once_however_long_the_device_means_it() -> None:
    outbox = StopOutbox()
    assert outbox.update(Stop.RESUME, 0, 0.0) == StopRequest(Stop.RESUME, 1)
    assert outbox.update(Stop.RESUME, 1, 0.1) is None
    assert outbox.update(Stop.RESUME, 1, 10.0) is None


def test_a_resume_that_does_not_arrive_soon_is_given_up() -> None:
    outbox = StopOutbox()
    outbox.update(Stop.RESUME, 0, 0.0)
    assert outbox.update(Stop.NONE, 0, RESUME_TIME) == StopRequest(Stop.RESUME, 1)
    assert outbox.update(Stop.NONE, 0, 1.01 * RESUME_TIME) is None


def test_a_second_press_resumes_again() -> None:
    outbox = StopOutbox()
    outbox.update(Stop.RESUME, 0, 0.0)
    outbox.update(Stop.NONE, 1, 0.1)
    assert outbox.update(Stop.RESUME, 1, 0.2) == StopRequest(Stop.RESUME, 2)


def test_a_stop_takes_the_place_of_a_resume_and_of_a_weaker_stop() -> None:
    outbox = StopOutbox()
    outbox.update(Stop.RESUME, 0, 0.0)
    assert outbox.update(Stop.HOLD, 0, 0.01) == StopRequest(Stop.HOLD, 2)
    assert outbox.update(Stop.DAMP, 0, 0.02) == StopRequest(Stop.DAMP, 3)


def test_no_resume_overtakes_a_stop_that_has_not_arrived() -> None:
    outbox = StopOutbox()
    outbox.update(Stop.HOLD, 0, 0.0)
    assert outbox.update(Stop.RESUME, 0, 0.01) == StopRequest(Stop.HOLD, 1)
    assert outbox.update(Stop.RESUME, 1, 0.02) is None
    outbox.update(Stop.NONE, 1, 0.03)
    assert outbox.update(Stop.RESUME, 1, 0.04) == StopRequest(Stop.RESUME, 2)


def test_a_resume_is_sent_for_three_tenths_of_a_second_whatever_the_clock_shows() -> None:
    outbox = StopOutbox()
    outbox.update(Stop.RESUME, 0, 100.0)
    assert outbox.update(Stop.NONE, 0, 100.29) == StopRequest(Stop.RESUME, 1)
    assert outbox.update(Stop.NONE, 0, 100.31) is None


def test_a_stop_that_goes_on_is_asked_anew_every_tenth_of_a_second_whatever_the_clock_shows() -> None:
    outbox = StopOutbox()
    outbox.update(Stop.HOLD, 0, 100.0)
    assert outbox.update(Stop.HOLD, 1, 100.09) is None
    assert outbox.update(Stop.HOLD, 1, 100.11) == StopRequest(Stop.HOLD, 2)
