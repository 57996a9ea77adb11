"""What has arrived of one topic and was not read yet."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic

import zenoh

from handhold.app.link.config import LinkConfig
from handhold.app.link.inbox import Inbox
from handhold.app.link.messages import Codec, Envelope, MessageError, PayloadT
from handhold.app.link.seal import Seal


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Arrival(Generic[PayloadT]):
    """A message as it arrived.

    Attributes:
        payload: What it says.
        sent_at: When it was sent, by its sender's clock [s].
        arrived_at: When it arrived, by the receiver's clock [s].
    """

    payload: PayloadT
    sent_at: float
    arrived_at: float


class Arrivals(Generic[PayloadT]):
    """Keeps the newest messages of one topic until they are read; what is old, forged or unreadable is counted as refused."""

    def __init__(
        self,
        session: zenoh.Session,
        config: LinkConfig,
        name: str,
        codec: Codec[PayloadT],
        clock: Callable[[], float],
        most: int,
    ) -> None:
        """Take messages from now on.

        Args:
            session: Where they come from.
            config: Of the link.
            name: The topic.
            codec: Of its messages.
            clock: Monotonic clock of the receiver [s].
            most: Messages that are kept at most.
        """
        self._inbox, self._codec, self._name, self._clock = Inbox(), codec, name, clock
        self._seal = Seal(config.key, config.topic(name))
        self._lock = threading.Lock()
        self._waiting: deque[tuple[Envelope, float]] = deque(maxlen=most)
        self._subscriber = session.declare_subscriber(config.topic(name), self._receive)

    @property
    def refused(self) -> int:
        """Messages refused so far: not the sender's, sent before, or unreadable."""
        return self._inbox.refused

    def refuse(self) -> None:
        """Count one more: what it says is not what it should be."""
        with self._lock:
            self._inbox.refused += 1

    def take(self) -> list[Arrival[PayloadT]]:
        """Return what has arrived since the last call, the oldest first."""
        with self._lock:
            waiting = list(self._waiting)
            self._waiting.clear()
        read = [self._read(envelope, arrived_at) for envelope, arrived_at in waiting]
        return [arrival for arrival in read if arrival is not None]

    def _read(self, envelope: Envelope, arrived_at: float) -> Arrival[PayloadT] | None:
        try:
            payload = self._codec.decode_payload(envelope)
        except MessageError:
            self.refuse()
            return None
        return Arrival(payload=payload, sent_at=envelope.stamp.time, arrived_at=arrived_at)

    def _receive(self, sample: zenoh.Sample) -> None:
        message = sample.payload.to_bytes()
        with self._lock:
            envelope = self._inbox.open(self._name, message, self._seal, self._codec)
            if envelope is not None:
                self._waiting.append((envelope, self._clock()))
