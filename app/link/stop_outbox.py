"""Stops in transit to the host: each is sent again until the host has it."""

from __future__ import annotations

from handhold.app.link.authority import StopRequest
from handhold.devices.stop import Stop

RESUME_TIME = 0.3
"""How long a resume is sent [s]: one that arrives later could end another stop."""

REPEAT_TIME = 0.1
"""Time after which a device that still asks for a stop asks anew [s]: the robot may have been resumed meanwhile."""


class StopOutbox:
    """Turns what a device asks for, sample by sample, into numbered requests.

    A stop goes before a resume: a resume is dropped while a stop is in transit.
    """

    def __init__(self) -> None:
        self._pending: StopRequest | None = None
        self._word = Stop.NONE
        self._number = 0
        self._asked = 0.0

    def update(self, word: Stop, received: int, now: float) -> StopRequest | None:
        """Return the request to send now, or None.

        Args:
            word: What the device asks for, as ``OperatorInput.stop``.
            received: Number of the last request that the host has received.
            now: Clock of the station [s].
        """
        self._drop(received, now)
        begins, self._word = word is not self._word, word
        if word is not Stop.NONE and (begins or self._repeats(word, now)):
            self._ask(word, now)
        return self._pending

    def _drop(self, received: int, now: float) -> None:
        pending = self._pending
        if pending is None:
            return
        late = pending.kind is Stop.RESUME and now - self._asked > RESUME_TIME
        if late or received >= pending.number:
            self._pending = None

    def _repeats(self, word: Stop, now: float) -> bool:
        return word is not Stop.RESUME and self._pending is None and now - self._asked >= REPEAT_TIME

    def _ask(self, kind: Stop, now: float) -> None:
        if kind is Stop.RESUME and self._pending is not None and self._pending.kind is not Stop.RESUME:
            return
        self._number += 1
        self._pending, self._asked = StopRequest(kind, self._number), now
