"""The camera's end of the link: hears where the robot is, and says what the camera sees."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

import zenoh

from handhold.app.link.codecs import sighting_codec, solid_codec
from handhold.app.link.config import LinkConfig
from handhold.app.link.inbox import Inbox
from handhold.app.link.messages import Codec, Envelope, MessageError, snapshot_codec
from handhold.app.link.seal import Seal
from handhold.app.link.sender import Sender
from handhold.app.link.session import open_session
from handhold.app.link.solid_poses import SolidPoses
from handhold.perception.sighting import Sighting
from handhold.render.snapshot import Snapshot

SUBSCRIBE_AGAIN = 2.0
"""Time without a snapshot after which the camera subscribes anew [s], as stations do."""


class CameraLink:
    """The camera's end; it drives nothing, and asks for nothing.

    Attributes:
        solids: Where the simulated world's solids were last said to be; None where nothing was said.
    """

    def __init__(self, config: LinkConfig, clock: Callable[[], float]) -> None:
        """Start connecting to the host; returns though there is none yet.

        Args:
            config: Where, and with which key.
            clock: Monotonic clock, the host's: both are on one machine [s].

        Raises:
            LinkError: A certificate cannot be used.
        """
        self.solids: SolidPoses | None = None
        self._clock = clock
        self._lock = threading.Lock()
        self._newest: Envelope | None = None
        self._inbox = Inbox()
        self._snapshot_codec, self._solid_codec = snapshot_codec(), solid_codec()
        self._session = open_session(config, listen=False)
        topic = config.topic("surfaces")
        run = secrets.randbits(62)
        self._sightings = Sender(self._session, topic, sighting_codec(), Seal(config.key, topic), run, clock)
        self._topics = (
            (config.topic("snapshot"), self._receiver(config, "snapshot", self._snapshot_codec, self._take_snapshot)),
            (config.topic("solids"), self._receiver(config, "solids", self._solid_codec, self._take_solids)),
        )
        self._subscribers: list[Any] = []
        self._subscribe()

    def newest_snapshot(self) -> Snapshot | None:
        """Return the newest snapshot that came since the last call, or None."""
        with self._lock:
            newest, self._newest = self._newest, None
        if newest is None:
            if self._clock() - self._heard > SUBSCRIBE_AGAIN:
                self._subscribe()
            return None
        try:
            return self._snapshot_codec.decode_payload(newest)
        except MessageError:
            return None

    def send(self, sighting: Sighting) -> None:
        """Publish what is seen; dropped where there is no host."""
        self._sightings.send(sighting)

    def close(self) -> None:
        """Close the session; without this the process would never end."""
        self._session.close()  # type: ignore[no-untyped-call]

    def _subscribe(self) -> None:
        self._heard = self._clock()
        for subscriber in self._subscribers:
            subscriber.undeclare()
        self._subscribers = [self._session.declare_subscriber(topic, receive) for topic, receive in self._topics]

    def _receiver(
        self, config: LinkConfig, name: str, codec: Codec[Any], take: Callable[[Envelope], None]
    ) -> Callable[[zenoh.Sample], None]:
        seal = Seal(config.key, config.topic(name))

        def receive(sample: zenoh.Sample) -> None:
            with self._lock:
                envelope = self._inbox.open(name, sample.payload.to_bytes(), seal, codec)
                if envelope is not None:
                    self._heard = self._clock()
                    take(envelope)

        return receive

    def _take_snapshot(self, envelope: Envelope) -> None:
        self._newest = envelope

    def _take_solids(self, envelope: Envelope) -> None:
        self.solids = self._inbox.read(envelope, self._solid_codec) or self.solids

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
