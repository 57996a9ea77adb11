"""What the operator asks in words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from handhold.retarget.engagement.requests import MESSAGE_TIME, Requests

MODES = ("bracing", "walking")


def test_a_request_counts_once_while_it_is_repeated() -> None:
    requests = Requests()
    assert requests.take("mode:walking", MODES, 1e-3) == ("mode", "walking")
    assert requests.take("mode:walking", MODES, 1e-3) is None
    assert requests.take("", MODES, 1e-3) is None
    assert requests.take("mode:walking", MODES, 1e-3) == ("mode", "walking")
    assert requests.take("preview:bracing", MODES, 1e-3) == ("preview", "bracing")
    assert requests.refused == 0


def test_a_switch_is_taken_where_the_mode_has_it_and_refused_elsewhere() -> None:
    requests = Requests()
    assert requests.take("switch:contact", MODES, 1e-3, toggles=("contact", "posture")) == ("switch", "contact")
    assert requests.take("switch:contact", MODES, 1e-3, toggles=("contact", "posture")) is None
    assert requests.take("switch:posture", MODES, 1e-3) is None
    assert requests.take("switch:bracing", MODES, 1e-3, toggles=("contact", "posture")) is None
    assert requests.refused == 2
    assert "switch:bracing" in requests.message


def test_an_unknown_request_is_refused_counted_and_told_for_a_while() -> None:
    requests = Requests()
    for _ in range(10):
        assert requests.take("mode:flying", MODES, 1e-3) is None
    assert requests.refused == 1
    assert "mode:flying" in requests.message
    requests.take("", MODES, MESSAGE_TIME)
    assert requests.message == ""


@given(st.text(max_size=2000))
def test_any_text_is_taken_or_refused_and_what_is_told_stays_short(text: str) -> None:
    requests = Requests()
    taken = requests.take(text, MODES, 1e-3)
    assert taken is None or taken[1] in MODES
    assert requests.refused == (taken is None and text != "")
    assert len(requests.message) < 80
    assert requests.message.isprintable()


def test_a_refusal_is_told_for_three_seconds_each_time_and_in_forty_letters() -> None:
    requests = Requests()
    assert requests.message == ""
    for request in ("mode:" + 50 * "y", "mode:" + 50 * "z"):  # told anew it is told as long
        requests.take(request, MODES, 1e-3)
        for _ in range(29):
            requests.take(request, MODES, 0.1)
        assert requests.message == f"refused: this robot has no '{request[:40]}'"
    for _ in range(2):
        requests.take(request, MODES, 0.1)
    assert requests.message == ""


def test_letters_that_cannot_be_printed_are_told_as_question_marks() -> None:
    requests = Requests()
    requests.take("mode:\n\x1b[2J", MODES, 1e-3)
    assert requests.message == "refused: this robot has no 'mode:??[2J'"


def test_the_first_colon_ends_the_kind_of_a_request() -> None:
    requests = Requests()
    assert requests.take("mode:a:b", ("a:b",), 1e-3) == ("mode", "a:b")


def test_what_is_told_ends_with_the_step_that_makes_three_seconds() -> None:
    requests = Requests()
    requests.take("mode:flying", MODES, 1e-3)
    requests.take("mode:flying", MODES, 3.0)
    assert requests.message == ""
