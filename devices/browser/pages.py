"""Which of the open pages drives, and whether its operator is there (pure: no viser)."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

BEAT_PERIOD = 0.05
"""How often a page says that it lives [s]: from a thread of its own that no drawing holds up."""
FRAME_PERIOD = 0.25
"""How often it looks whether frames are drawn [s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageLimits:
    """From when on a page does not count as alive.

    The 80 ms after which a robot host misses its station are too few for a browser: two cores with a load of 8, Chromium
    drawing without a GPU on them, had heartbeats up to 0.29 s and frames up to 1.2 s apart (a load of 14: 0.9 s and 6 s). What
    moves a robot is not left to these limits: a hand without news stays where it was dragged to, a held button is released
    after 0.3 s. They say when nothing may be taken up again without a new squeeze.

    Attributes:
        beat: Time without a heartbeat [s]: the page is frozen, asleep or cut off. A message that takes longer there and back
            counts as much.
        frame: Age of the page's last frame [s]: it does not follow its operator, although its other thread lives.
        vacant: A driver who has not been there for this long [s] may be replaced by a page that watches.
    """

    beat: float = 0.5
    frame: float = 2.0
    vacant: float = 2.0


@dataclass(frozen=True, slots=True)
class Beat:
    """What a page says of itself.

    Attributes:
        frame_age: Time since its last frame [s].
        shown: Whether it is on the screen, and not in a tab behind another one.
        identity: What this page alone knows of itself: a page that connects again is the same one.
        delay: Time that a message takes to the page and back [s].
    """

    frame_age: float
    shown: bool
    identity: str
    delay: float = 0.0


@dataclass(slots=True)
class _Seat:
    identity: str = ""
    beaten_at: float = -float("inf")
    beat: Beat | None = None
    away_since: float | None = None


class Pages:
    """The pages that are open: one drives, the others watch, ask for control and are granted it.

    Called by the thread that serves the pages and by the one that reads the device.

    Attributes:
        refused: How often messages of pages were refused, by the reason.
        turn: Counts new drivers.
        lapses: Counts the times that the one who drives was no longer there: what was held before holds no more.
    """

    def __init__(self, clock: Callable[[], float], limits: PageLimits | None = None) -> None:
        """Begin without a page; ``clock`` is monotonic [s]."""
        self._clock = clock
        self._limits = limits or PageLimits()
        self._lock = threading.RLock()
        self._seats: dict[int, _Seat] = {}
        self._driver: int | None = None
        self._identity = ""
        self._asking: list[int] = []
        self._release_callbacks: list[Callable[[], None]] = []
        self.refused: Counter[str] = Counter()
        self.turn = self.lapses = 0

    @property
    def driver(self) -> int | None:
        """The page that drives, or None where it was closed."""
        return self._driver

    @property
    def pages(self) -> tuple[int, ...]:
        """The pages that are open, in the order in which they were opened."""
        with self._lock:
            return tuple(self._seats)

    @property
    def asking(self) -> tuple[int, ...]:
        """The pages that ask for control, in that order."""
        with self._lock:
            return tuple(self._asking)

    def when_lost(self, release: Callable[[], None]) -> None:
        """Have this called, from whatever thread, when another page drives, or none, or the one that does is not there."""
        self._release_callbacks.append(release)

    def forget(self, release: Callable[[], None]) -> None:
        """Call it no more."""
        self._release_callbacks.remove(release)

    def may_use(self, page: int, _control: object) -> bool:
        """Return whether a page may use a control of viser's that all pages show."""
        return page == self._driver

    def enter(self, page: int) -> None:
        """Take in a page that was opened; it drives, or watches, from its first heartbeat on."""
        with self._lock:
            self._seats.setdefault(page, _Seat(away_since=self._clock()))

    def leave(self, page: int) -> None:
        """Take in that a page was closed; if it drove nobody does, until it is back or another one takes the control."""
        with self._lock:
            self._seats.pop(page, None)
            self._asking = [one for one in self._asking if one != page]
            if page == self._driver:
                self._driver = None
                self._change(lapse=1)

    def beat(self, page: int, beat: Beat) -> None:
        """Take in that a page lives."""
        with self._lock:
            seat = self._seats.get(page)
            if seat is None:
                return
            if not seat.identity:
                self._recognise(page, seat, beat.identity)
            self._watch(page, seat)
            seat.beaten_at, seat.beat = self._clock(), beat
            self._watch(page, seat)

    def _recognise(self, page: int, seat: _Seat, identity: str) -> None:
        """Let a page drive that drove before its connection was another one, or that is the only one."""
        alone = self._driver is None and not any(one.identity for one in self._seats.values())
        seat.identity = identity
        if alone or identity == self._identity:
            self._seat(page)

    def is_present(self) -> bool:
        """Return whether there is an operator: the page that drives says in time that it is alive."""
        with self._lock:
            seat = self._seats.get(self._driver) if self._driver is not None else None
            return seat is not None and self._watch(self._driver, seat)

    def is_vacant(self) -> bool:
        """Return whether a page that watches may take the control without being granted it."""
        with self._lock:
            if self.is_present():
                return False
            seat = self._seats.get(self._driver) if self._driver is not None else None
            return seat is None or (seat.away_since is not None and self._clock() - seat.away_since >= self._limits.vacant)

    def ask(self, page: int) -> None:
        """Ask for the control on behalf of a page; where nobody drives, that takes it."""
        with self._lock:
            if page not in self._seats or page == self._driver:
                return
            if self.is_vacant():
                self._seat(page)
            elif page not in self._asking:
                self._asking.append(page)

    def grant(self, page: int, by: int) -> None:
        """Hand the control over to a page that has asked for it; only the page that drives can."""
        with self._lock:
            if by == self._driver and page in self._asking:
                self._seat(page)

    def refuse(self, reason: str) -> None:
        """Count a message that was refused."""
        with self._lock:
            self.refused[reason] += 1

    def _seat(self, page: int) -> None:
        self._driver, self._identity = page, self._seats[page].identity
        self._asking = [one for one in self._asking if one != page]
        self._change(turn=1)

    def _change(self, *, turn: int = 0, lapse: int = 0) -> None:
        self.turn += turn
        self.lapses += lapse
        for release in self._release_callbacks:
            release()

    def _watch(self, page: int | None, seat: _Seat) -> bool:
        now = self._clock()
        alive = seat.beat is not None and self._is_alive(seat.beat) and now - seat.beaten_at < self._limits.beat
        if alive:
            seat.away_since = None
        elif seat.away_since is None:
            silent_since = seat.beaten_at + self._limits.beat
            seat.away_since = min(now, silent_since) if seat.beat is not None and self._is_alive(seat.beat) else now
            if page == self._driver:
                self._change(lapse=1)
        return alive

    def _is_alive(self, beat: Beat) -> bool:
        return beat.shown and beat.frame_age < self._limits.frame and beat.delay < self._limits.beat
