"""The newest of what an observer, such as a camera, says on one topic: judged as it comes, read outside the control loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from handhold.app.link.authority import Refusal
from handhold.app.link.messages import Codec, MessageError
from handhold.app.link.observer_inbox import ObserverInbox, is_timely


class Timed(Protocol):
    """Something that is of a time of the host's clock."""

    @property
    def time(self) -> float:
        """That time [s]."""
        ...


TimedT = TypeVar("TimedT", bound=Timed)


class Bulletin(Generic[TimedT]):
    """One topic.

    Attributes:
        newest: What was said last; None before the first.
    """

    def __init__(self, codec: Codec[TimedT], check: Callable[[TimedT], None]) -> None:
        """Know nothing yet.

        Args:
            codec: Reads the messages.
            check: Raises MessageError for what must not be used.
        """
        self.newest: TimedT | None = None
        self._codec, self._check, self._inbox = codec, check, ObserverInbox()

    def judge(self, message: bytes | None, now: float) -> Refusal | None:
        """Take a message; returns why it is refused, or None.

        Args:
            message: Its bytes; None where its seal was false.
            now: Clock of the host when it arrived [s].
        """
        if message is None:
            return Refusal.FORGED
        try:
            envelope = self._codec.unwrap(message)
            payload = self._codec.decode_payload(envelope)
            self._check(payload)
        except MessageError:
            return Refusal.UNREADABLE
        if not self._inbox.admit(envelope.stamp, now):
            return Refusal.REPLAYED
        if not is_timely(payload.time, now):
            return Refusal.LATE
        self.newest = payload
        return None
