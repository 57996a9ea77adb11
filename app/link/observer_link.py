"""The end of the link of a process that only knows things: it hears where the robot is, and says what it makes of it."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Generic, Self

import zenoh

from handhold.app.link.config import LinkConfig
from handhold.app.link.inbox import Inbox
from handhold.app.link.messages import Codec, Envelope, PayloadT, snapshot_codec
from handhold.app.link.seal import Seal
from handhold.app.link.sender import Sender
from handhold.app.link.session import open_session
from handhold.render.snapshot import Snapshot

SUBSCRIBE_AGAIN = 2.0
"""Time without a snapshot after which it subscribes anew [s], as stations do."""

SNAPSHOT = "snapshot"


class ObserverLink(Generic[PayloadT]):
    """An observer's end; it drives nothing, and asks for nothing."""

    def __init__(
        self,
        config: LinkConfig,
        clock: Callable[[], float],
        publishes: tuple[str, Codec[PayloadT]],
        subscribes: Mapping[str, Codec[Any]],
    ) -> None:
        """Start connecting to the host; returns though there is none yet.

        Args:
            config: Where, and with which key.
            clock: Monotonic clock, the host's: both are on one machine [s].
            publishes: Topic of what it sends, and its codec.
            subscribes: Topics that it hears besides the robot's snapshots, and their codecs.

        Raises:
            LinkError: A certificate cannot be used.
        """
        self._clock = clock
        self._lock = threading.Lock()
        self._codecs = {SNAPSHOT: snapshot_codec(), **subscribes}
        # each topic may be of another process, whose run is its own
        self._inboxes = {name: Inbox() for name in self._codecs}
        self._newest: dict[str, Envelope] = {}
        self._session = open_session(config, listen=False)
        name, codec = publishes
        topic = config.topic(name)
        self._sender = Sender(self._session, topic, codec, Seal(config.key, topic), secrets.randbits(62), clock)
        self._topics = tuple((config.topic(name), self._receiver(config, name)) for name in self._codecs)
        self._subscribers: list[Any] = []
        self._subscribe()

    def newest_snapshot(self) -> Snapshot | None:
        """Return the newest snapshot that came since the last call, or None."""
        found: Snapshot | None = self.take(SNAPSHOT)
        if found is None and self._clock() - self._heard > SUBSCRIBE_AGAIN:
            self._subscribe()
        return found

    def take(self, name: str) -> Any:
        """Return the newest message of a topic that came since the last call, or None."""
        with self._lock:
            newest = self._newest.pop(name, None)
        return None if newest is None else self._inboxes[name].read(newest, self._codecs[name])

    def send(self, payload: PayloadT) -> None:
        """Publish what is known; dropped where there is no host."""
        self._sender.send(payload)

    def close(self) -> None:
        """Close the session; without this the process would never end."""
        self._session.close()  # type: ignore[no-untyped-call]

    def _subscribe(self) -> None:
        self._heard = self._clock()
        for subscriber in self._subscribers:
            subscriber.undeclare()
        self._subscribers = [self._session.declare_subscriber(topic, receive) for topic, receive in self._topics]

    def _receiver(self, config: LinkConfig, name: str) -> Callable[[zenoh.Sample], None]:
        seal, codec, inbox = Seal(config.key, config.topic(name)), self._codecs[name], self._inboxes[name]

        def receive(sample: zenoh.Sample) -> None:
            with self._lock:
                envelope = inbox.open(name, sample.payload.to_bytes(), seal, codec)
                if envelope is not None:
                    self._newest[name] = envelope
                    # only the host's own snapshots tell that it is heard: a camera goes on without it
                    self._heard = self._clock() if name == SNAPSHOT else self._heard

        return receive

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
