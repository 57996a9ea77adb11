"""Numbers, stamps, seals and sends the messages of one topic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic

import zenoh

from handhold.app.link.messages import Codec, Heard, PayloadT, Stamp
from handhold.app.link.seal import Seal

NOTHING_HEARD = Heard()


class Sender(Generic[PayloadT]):
    """Sends the messages of one topic; what cannot be sent at once is dropped."""

    def __init__(
        self,
        session: zenoh.Session,
        topic: str,
        codec: Codec[PayloadT],
        seal: Seal,
        run: int,
        clock: Callable[[], float],
        priority: zenoh.Priority = zenoh.Priority.REAL_TIME,
    ) -> None:
        """Declare the topic."""
        self._publisher = session.declare_publisher(
            topic,
            express=True,
            congestion_control=zenoh.CongestionControl.DROP,
            priority=priority,
        )
        self._codec = codec
        self._seal = seal
        self._run = run
        self._clock = clock
        self._sequence = 0

    def send(self, payload: PayloadT, heard: Heard = NOTHING_HEARD) -> None:
        """Send a message, with what was last heard of the other side."""
        self._sequence += 1
        stamp = Stamp(self._run, self._sequence, self._clock(), heard)
        self._publisher.put(self._seal.close(self._codec.encode(payload, stamp)))
