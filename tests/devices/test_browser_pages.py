"""Who drives, and whether he is there: by the pages' own words and the clock alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from handhold.devices.browser.pages import BEAT_PERIOD, Beat, PageLimits, Pages

LIMITS = PageLimits()
ALIVE = Beat(frame_age=0.02, shown=True, identity="some page")
STEP = 1e-6


def told_by(page: int) -> Beat:
    return replace(ALIVE, identity=f"page {page}")


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def pages(clock: Clock) -> Pages:
    """Three pages that live; the first one drives."""
    pages = Pages(clock)
    for page in (1, 2, 3):
        pages.enter(page)
        pages.beat(page, told_by(page))
    return pages


def live(pages: Pages, clock: Clock, seconds: float, *alive: int) -> None:
    for _ in range(round(seconds / BEAT_PERIOD)):
        clock.now += BEAT_PERIOD
        for page in alive:
            pages.beat(page, told_by(page))


def test_the_first_page_drives_and_the_others_watch(pages: Pages) -> None:
    assert pages.driver == 1
    assert pages.pages == (1, 2, 3)
    assert pages.is_present()
    assert not pages.is_vacant()
    assert (pages.turn, pages.lapses) == (1, 0)


def test_nobody_is_there_without_a_page_or_before_it_has_said_that_it_lives(clock: Clock) -> None:
    pages = Pages(clock)
    assert not pages.is_present()
    pages.enter(1)
    assert pages.driver is None
    assert not pages.is_present()
    assert pages.lapses == 0
    pages.beat(1, told_by(1))
    assert pages.is_present()


def test_a_page_that_is_not_open_says_nothing(pages: Pages) -> None:
    pages.beat(9, ALIVE)
    pages.ask(9)
    pages.grant(9, by=1)
    assert 9 not in pages.pages
    assert (pages.driver, pages.asking) == (1, ())


def test_a_silent_page_is_noticed_at_the_limit_and_not_before(pages: Pages, clock: Clock) -> None:
    clock.now += LIMITS.beat - STEP
    assert pages.is_present()
    assert pages.lapses == 0
    clock.now += STEP
    assert not pages.is_present()
    assert not pages.is_present()
    assert pages.lapses == 1


def test_a_silence_that_nobody_saw_counts_all_the_same(pages: Pages, clock: Clock) -> None:
    clock.now += LIMITS.beat
    pages.beat(1, told_by(1))
    assert pages.is_present()
    assert pages.lapses == 1


@pytest.mark.parametrize(
    "beat",
    [
        replace(ALIVE, frame_age=LIMITS.frame),
        replace(ALIVE, shown=False),
        replace(ALIVE, delay=LIMITS.beat),
    ],
    ids=["no frames", "hidden", "far away"],
)
def test_a_page_that_beats_and_does_not_follow_its_operator_is_not_there(pages: Pages, beat: Beat) -> None:
    pages.beat(1, beat)
    assert not pages.is_present()
    assert pages.lapses == 1
    pages.beat(1, told_by(1))
    assert pages.is_present()
    assert pages.lapses == 1


def test_a_page_that_is_just_in_time_is_there(pages: Pages) -> None:
    pages.beat(1, replace(ALIVE, frame_age=LIMITS.frame - STEP, delay=LIMITS.beat - STEP))
    assert pages.is_present()


def test_a_silent_page_that_watches_changes_nothing(pages: Pages, clock: Clock) -> None:
    live(pages, clock, 5.0, 1)
    assert pages.is_present()
    assert pages.lapses == 0


def test_the_control_is_asked_for_and_granted_by_who_drives_alone(pages: Pages) -> None:
    pages.grant(2, by=1)
    assert pages.driver == 1  # it was not asked for
    pages.ask(2)
    pages.ask(2)
    pages.ask(3)
    pages.ask(1)
    assert pages.asking == (2, 3)
    pages.grant(2, by=2)
    pages.grant(2, by=3)
    assert (pages.driver, pages.turn) == (1, 1)
    pages.grant(2, by=1)
    assert (pages.driver, pages.turn) == (2, 2)
    assert pages.asking == (3,)
    pages.grant(3, by=1)
    assert pages.driver == 2


def test_a_page_that_was_closed_is_followed_only_by_one_that_takes_the_control(pages: Pages) -> None:
    pages.ask(2)
    pages.leave(1)
    assert (pages.driver, pages.is_present(), pages.is_vacant()) == (None, False, True)
    pages.enter(4)
    pages.beat(4, told_by(4))
    assert pages.driver is None
    pages.ask(3)
    assert (pages.driver, pages.turn) == (3, 2)
    assert pages.is_present()
    assert pages.asking == (2,)


def test_a_page_alone_drives_again_after_it_was_opened_anew(clock: Clock) -> None:
    pages = Pages(clock)
    for page in (1, 2):
        pages.enter(page)
        pages.beat(page, told_by(page))
        assert pages.driver == page
        pages.leave(page)
    assert pages.turn == 2


def test_a_connection_that_never_said_anything_does_not_drive(clock: Clock) -> None:
    pages = Pages(clock)
    pages.enter(1)
    pages.enter(2)
    pages.beat(2, told_by(2))
    assert pages.driver == 2
    pages.leave(1)
    assert pages.is_present()


def test_a_page_that_connects_again_drives_again_unless_another_one_took_the_control(pages: Pages) -> None:
    pages.enter(4)
    pages.beat(4, told_by(1))  # before its old connection is known to be gone
    assert (pages.driver, pages.turn) == (4, 2)
    pages.leave(1)
    assert pages.is_present()
    pages.leave(4)
    pages.enter(5)
    pages.beat(5, told_by(1))
    assert pages.driver == 5
    pages.leave(5)
    pages.ask(2)
    pages.enter(6)
    pages.beat(6, told_by(1))
    assert pages.driver == 2


def test_who_asks_and_goes_asks_no_more(pages: Pages) -> None:
    pages.ask(2)
    pages.leave(2)
    assert pages.asking == ()
    pages.grant(2, by=1)
    assert pages.driver == 1


def test_a_silent_driver_may_be_replaced_after_a_while_and_not_before(pages: Pages, clock: Clock) -> None:
    live(pages, clock, LIMITS.beat + BEAT_PERIOD, 2, 3)
    assert not pages.is_present()
    pages.ask(2)
    assert pages.driver == 1
    live(pages, clock, LIMITS.vacant, 2, 3)
    assert pages.is_vacant()
    pages.ask(3)
    assert pages.driver == 3
    pages.beat(1, told_by(1))
    assert pages.driver == 3


def test_a_driver_that_comes_back_keeps_the_control(pages: Pages, clock: Clock) -> None:
    live(pages, clock, 10.0, 2)
    assert pages.is_vacant()
    pages.beat(1, told_by(1))
    assert not pages.is_vacant()
    pages.ask(2)
    assert pages.driver == 1
    clock.now += LIMITS.beat
    assert not pages.is_vacant()


def test_only_who_drives_may_use_a_control(pages: Pages) -> None:
    control = [0]
    assert pages.may_use(1, control)
    assert not pages.may_use(2, control)
    pages.leave(1)
    assert not pages.may_use(1, control)


def test_refusals_are_counted_by_their_reason(pages: Pages) -> None:
    for reason in ("one", "two", "one"):
        pages.refuse(reason)
    assert pages.refused == {"one": 2, "two": 1}


def test_what_was_held_is_let_go_at_each_change_and_lapse(pages: Pages, clock: Clock) -> None:
    lost: list[str] = []

    def let_go() -> None:
        lost.append(f"{pages.turn} {pages.lapses}")

    pages.when_lost(let_go)
    pages.ask(2)
    assert lost == []
    pages.grant(2, by=1)
    assert lost == ["2 0"]
    clock.now += LIMITS.beat
    assert not pages.is_present()
    assert lost == ["2 0", "2 1"]
    pages.leave(2)
    assert lost[2:] == ["2 2"]
    pages.forget(let_go)
    pages.ask(3)
    assert len(lost) == 3
