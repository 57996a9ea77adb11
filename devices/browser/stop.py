"""The operator's stop on a page."""

from __future__ import annotations

from handhold.devices.browser.page_server import Action, PageActions
from handhold.devices.stop import Stop

RESUMING = 0.3
"""How long a resume is asked for [s]: once is enough, and it must not end a later stop."""
STOPPING = 1.0
"""How long a stop is asked for at least [s]: what is latched by then may still be the stop that somebody has just lifted."""
HOLD, RESUME, DAMP = "stop:hold", "stop:resume", "stop:damp"


class StopControls:
    """Buttons that say what they ask for, for as long as they do; a stop hit twice is still a stop.

    A stop is asked for until it is latched. It is not asked for longer, or else nobody could ever resume a robot that a page
    has stopped that does not drive. Pages that only watch may stop and damp: everybody may stop, who drives resumes.
    """

    def __init__(self, actions: PageActions, *, resumes: bool = True) -> None:
        """Offer the stop.

        Args:
            actions: What the page may ask for.
            resumes: Whether the page that drives may lift a hold; not where the robot is driven by something else.
        """
        self._asked = Stop.NONE
        self._latched = Stop.NONE
        self._asked_at: float | None = None
        self._actions = actions
        self._resumes = resumes
        actions.add(HOLD, Action(take=self._ask_hold, for_all=True))
        actions.add(DAMP, Action(take=self._ask_damp, for_all=True))

    @property
    def latched(self) -> Stop:
        """The stop that is latched."""
        return self._latched

    def notify(self, stop: Stop) -> None:
        """Take in the stop that is latched."""
        if stop is self._latched:
            return
        self._latched = stop
        if stop is Stop.HOLD and self._resumes:
            self._actions.add(RESUME, Action(take=self._ask_resume))
        elif self._resumes:
            self._actions.remove(RESUME)

    def read(self, now: float) -> Stop:
        """Return what is asked for at time ``now`` [s], as ``OperatorInput.stop``."""
        if self._asked and self._asked_at is None:
            self._asked_at = now
        if self._asked_at is not None and self._is_answered(now - self._asked_at):
            self._asked, self._asked_at = Stop.NONE, None
        return self._asked

    def drop(self) -> None:
        """Forget a resume that somebody asked for who drives no more; a stop stays."""
        if self._asked is Stop.RESUME:
            self._asked = Stop.NONE

    def remove(self) -> None:
        """Offer the stop no more."""
        self._actions.remove(HOLD, RESUME, DAMP)

    def _is_answered(self, elapsed: float) -> bool:
        if self._asked is Stop.RESUME:
            return elapsed > RESUMING
        latched = {Stop.HOLD: (Stop.HOLD, Stop.DAMP), Stop.DAMP: (Stop.DAMP,)}.get(self._asked, ())
        return elapsed > STOPPING and self._latched in latched

    def _ask_hold(self, _page: int) -> None:
        if self._asked is not Stop.DAMP:
            self._ask(Stop.HOLD)

    def _ask_resume(self, _page: int) -> None:
        if self._asked is not Stop.DAMP:
            self._ask(Stop.RESUME)

    def _ask_damp(self, _page: int) -> None:
        self._ask(Stop.DAMP)

    def _ask(self, word: Stop) -> None:
        self._asked_at = None
        self._asked = word
