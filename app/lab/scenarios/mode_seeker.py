"""What operators who change modes share: they act, ask for a mode, and do what refusals say until it is in charge."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from handhold.app.lab.scenarios.refusal_watch import RefusalWatch, Verdict
from handhold.app.lab.scenarios.remedies import follow_hint
from handhold.app.lab.scenarios.score import Step, ask, resting_hands, wait
from handhold.app.lab.scenarios.wander_acts import Acts
from handhold.render.snapshot import Snapshot
from handhold.retarget.mode_profile import ModeOffer

REACHED_WITHIN = 30.0
"""Longest time in which a mode that was asked for must be in charge, after the last refusal that was true [s]."""

MAX_REFUSALS = 8
"""Refusals of one mode after which the operator aborts: each was remedied, and led to another."""

UNHEARD = 1.5
"""Time after which a request that nothing came of is made again: the link was silent [s]."""


@dataclass(slots=True)
class Attempt:
    """A mode that is asked for.

    Attributes:
        mode: Its name.
        title: Its name for people.
        since: When it was asked for first, or last refused with a true reason [s].
        asked: When it was asked for last; NaN where that is to come.
        refusals: How often it was refused.
    """

    mode: str
    title: str
    since: float
    asked: float = math.nan
    refusals: int = 0


class ModeSeeker:
    """Draws acts and plays them; once a mode is sought, does nothing but what it takes.

    Attributes:
        hands: The operator's hands now.
        missed: What went wrong, in words, each with its time.
        attempt: The mode that is sought; None while none is.
    """

    def __init__(self, acts: Acts, draw: Callable[[Snapshot], Sequence[Step]]) -> None:
        """Begin with hands at rest.

        Args:
            acts: What it takes to follow a hint, and to release everything.
            draw: Draws what to do while no mode is sought; nothing where the hands are to stay as they are.
        """
        self._acts, self._draw = acts, draw
        self._watch = RefusalWatch(acts.model)
        self.hands = self._start = resting_hands()
        self.missed: tuple[str, ...] = ()
        self.attempt: Attempt | None = None
        self._begun, self._remaining = 0.0, list[Step]()
        self._reason = ""
        self._times: list[float] = []
        self._counts = dict.fromkeys(("refusals", "unexplained", "unreached"), 0)

    @property
    def notes(self) -> Mapping[str, float]:
        """How long modes took [s], and what was counted."""
        counts = {name: float(count) for name, count in self._counts.items()}
        return counts | {"reached": float(len(self._times)), "longest": max(self._times, default=math.nan)}

    @property
    def remedies(self) -> bool:
        """Whether the mode that is sought was refused, so that nothing else but a remedy is done."""
        return self.attempt is not None and self.attempt.refusals > 0

    def seek(self, time: float, offer: ModeOffer, *, at_rest: bool) -> None:
        """Ask for a mode from now on, in the middle of whatever is done, or after everything was released (``at_rest``)."""
        self.attempt, self._reason = Attempt(mode=offer.name, title=offer.title, since=time), ""
        self._remaining = [*self._acts.release_all()] if at_rest else []
        self._begun, self._start = time, self.hands

    def observe(self, time: float, snapshot: Snapshot, *, silent: bool = False) -> None:
        """Note what is seen at a time [s]: what was refused, and whether the mode that is sought is in charge."""
        verdict = self._watch.judge(time, snapshot, silent=silent)
        if verdict is not None:
            self._hear(time, snapshot, verdict)
        attempt = self.attempt
        if attempt is None:
            return
        if snapshot.mode == attempt.mode:
            self._times.append(time - attempt.since)
            self._end_attempt()
        elif time - attempt.since > REACHED_WITHIN or attempt.refusals > MAX_REFUSALS:
            self._counts["unreached"] += 1
            self.report(time, f"{attempt.mode} not reached from {snapshot.mode}: {self._reason or snapshot.messages}")
            self._end_attempt()

    def report(self, time: float, what: str) -> None:
        """Report what went wrong at a time [s]."""
        self.missed = (*self.missed, f"{what} (at {time:.2f} s)")

    def play(self, time: float, snapshot: Snapshot) -> None:
        """Go on with what is being done, until a time [s]."""
        for _ in range(10):
            if not self._remaining:
                self._remaining = list(self._choose(time, snapshot))
                self._start, self._begun = replace(self.hands, request=""), time
                if not self._remaining:
                    return
            beat = self._remaining[0](self._start, self._begun, time, snapshot)
            self.hands = beat.hands
            if not beat.over:
                return
            self._remaining = self._remaining[1:]
            self._start, self._begun = self.hands, time

    def _hear(self, time: float, snapshot: Snapshot, verdict: Verdict) -> None:
        self._counts["refusals"] += 1
        if not verdict.true:
            self._counts["unexplained"] += 1
            self.report(time, f"in {snapshot.mode}: {list(verdict.reported) or 'refused without a word'}")
        attempt = self.attempt
        if attempt is not None and any(message.startswith(attempt.title) for message in verdict.reported):
            attempt.refusals += 1
            attempt.since = time if verdict.true else attempt.since
            attempt.asked = math.nan
            self._reason = next(message for message in verdict.reported if message.startswith(attempt.title))
            self._remaining = []

    def _end_attempt(self) -> None:
        self.attempt, self._reason = None, ""
        self._remaining = [*self._acts.release_all(), wait(0.3)]

    def _choose(self, time: float, snapshot: Snapshot) -> Sequence[Step]:
        attempt = self.attempt
        if attempt is None:
            return self._draw(snapshot)
        if self._reason:
            reason, self._reason = self._reason, ""
            return (*self._acts.release_all(), *follow_hint(reason, snapshot, self._acts))
        in_progress = any(message.startswith(f"{attempt.title} as soon as") for message in snapshot.messages)
        if in_progress or time - attempt.asked < UNHEARD:
            return (wait(0.05),)
        attempt.asked = time
        return (ask(f"mode:{attempt.mode}"),)
