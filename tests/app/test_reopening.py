"""The pace at which a headset that is gone is asked for again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from handhold.app.station.reopening import FIRST_PAUSE, MAX_PAUSE, PROVEN_AFTER, Reopening
from handhold.devices.errors import RuntimeLost, RuntimeNotFound

LOST = RuntimeLost("Monado", "killed")
NOT_FOUND = RuntimeNotFound("nobody answers")


def fail(reopening: Reopening, number: int, now: float = 100.0) -> list[float]:
    """Lose a headset and fail to open it so often; return the pauses."""
    pauses = []
    for _ in range(number):
        reopening.note_loss(NOT_FOUND, now)
        pauses.append(reopening.pause)
        now += reopening.pause
    return pauses


@given(number=st.integers(1, 50))
def test_pauses_double_up_to_the_longest(number: int) -> None:
    pauses = fail(Reopening(lambda _: None), number)
    assert pauses == [min(MAX_PAUSE, FIRST_PAUSE * 2**k) for k in range(number)]


@given(early=st.floats(0.0, 0.999))
def test_a_headset_is_not_asked_for_before_its_pause_is_over(early: float) -> None:
    reopening = Reopening(lambda _: None)
    assert not reopening.is_due(1e9)
    reopening.note_loss(LOST, 100.0)
    assert not reopening.is_due(100.0 + early * reopening.pause)
    assert reopening.is_due(100.0 + reopening.pause)


@given(lived=st.floats(0.0, 2.0 * PROVEN_AFTER))
def test_a_headset_that_was_back_for_long_is_lost_anew(lived: float) -> None:
    reopening = Reopening(lambda _: None)
    last = fail(reopening, 3)[-1]
    reopening.note_opened()
    reopening.note_shown(200.0)
    reopening.note_loss(LOST, 200.0 + lived)
    proven = (200.0 + lived) - 200.0 >= PROVEN_AFTER
    assert reopening.pause == (FIRST_PAUSE if proven else min(MAX_PAUSE, 2.0 * last))


def test_each_reason_is_told_once_until_the_headset_is_back() -> None:
    said: list[str] = []
    reopening = Reopening(said.append)
    for error in (LOST, NOT_FOUND, NOT_FOUND, LOST, NOT_FOUND):
        reopening.note_loss(error, 100.0)
    assert [reason in line for reason, line in zip((str(LOST), str(NOT_FOUND)), said, strict=True)] == [True, True]
    reopening.note_opened()
    assert len(said) == 2, "a session that was opened shows nothing yet"
    reopening.note_shown(101.0)
    reopening.note_shown(102.0)
    reopening.note_loss(LOST, 103.0)
    assert "back" in said[2]
    assert str(LOST) in said[3]
    assert len(said) == 4
    assert not any("\n" in line for line in said)
