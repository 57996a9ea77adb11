"""Both ends of the link of what people look at: points that cameras see. It is apart from the robot's link.

Clouds are large, and nothing waits for them: they have a connection of their own, so that no sample of the operator and no
stop ever queues behind one. The process of the cameras listens, stations connect.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass

import zenoh

from handhold.app.link.codecs import cloud_codec
from handhold.app.link.config import LinkConfig
from handhold.app.link.host_clock import HostClock
from handhold.app.link.inbox import Inbox
from handhold.app.link.messages import Envelope
from handhold.app.link.seal import Seal
from handhold.app.link.sender import Sender
from handhold.app.link.session import open_session
from handhold.perception.cameras.point_cloud import PointCloud, find_cloud_fault
from handhold.render.streams import CloudFrame

TOPIC = "cloud"


class ViewSender:
    """The cameras' end."""

    def __init__(self, config: LinkConfig, clock: Callable[[], float]) -> None:
        """Listen.

        Args:
            config: Where, and with which key.
            clock: Monotonic clock, the host's [s].

        Raises:
            LinkError: The port is taken, or a certificate cannot be used.
        """
        self._session = open_session(config, listen=True)
        topic, run = config.topic(TOPIC), secrets.randbits(62)
        seal, priority = Seal(config.key, topic), zenoh.Priority.BACKGROUND
        self._sender = Sender(self._session, topic, cloud_codec(), seal, run, clock, priority)

    def send(self, cloud: PointCloud) -> None:
        """Publish a cloud; dropped where nobody looks, or a connection is busy with the last one."""
        self._sender.send(cloud)

    def close(self) -> None:
        """Close the session; without this the process would never end."""
        self._session.close()  # type: ignore[no-untyped-call]


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class SeenCloud:
    """A cloud as a station has it.

    Attributes:
        frame: The points, as they are drawn.
        taken_at: When they were exposed, by the station's clock [s].
    """

    frame: CloudFrame
    taken_at: float


class ViewLink:
    """A station's end."""

    def __init__(self, config: LinkConfig, clock: Callable[[], float]) -> None:
        """Start connecting to the cameras; returns though there are none yet, and goes on trying.

        Args:
            config: Where, and with which key.
            clock: Monotonic clock of the station [s].

        Raises:
            LinkError: A certificate cannot be used.
        """
        self._clock, self._codec, self._inbox = clock, cloud_codec(), Inbox()
        self._host_clock = HostClock(config.address)
        self._lock = threading.Lock()
        self._arrived: tuple[Envelope, float] | None = None
        self._newest: SeenCloud | None = None
        self._session = open_session(config, listen=False)
        topic = config.topic(TOPIC)
        self._subscriber = self._session.declare_subscriber(topic, self._receiver(Seal(config.key, topic)))

    @property
    def refused(self) -> int:
        """Messages refused so far: not the cameras', sent before, or unreadable."""
        return self._inbox.refused

    def newest(self) -> SeenCloud | None:
        """Return the newest cloud that has come, or None."""
        with self._lock:
            arrived, self._arrived = self._arrived, None
            cloud = None if arrived is None else self._inbox.read(arrived[0], self._codec)
            if cloud is None or arrived is None:
                return self._newest
            if find_cloud_fault(cloud):
                self._inbox.refused += 1
                return self._newest
            version = 1 if self._newest is None else self._newest.frame.version + 1
            frame = CloudFrame(positions=cloud.positions, colors=cloud.colors, version=version)
            # of the clocks it is when a cloud is sent that says something: its points may be seconds old by then
            sent = arrived[0].stamp.time
            taken_at = self._host_clock.convert(sent, arrived[1]) - max(0.0, sent - cloud.time)
            self._newest = SeenCloud(frame=frame, taken_at=taken_at)
            return self._newest

    def close(self) -> None:
        """Close the session; without this the process would never end."""
        self._session.close()  # type: ignore[no-untyped-call]

    def _receiver(self, seal: Seal) -> Callable[[zenoh.Sample], None]:
        def receive(sample: zenoh.Sample) -> None:
            message = sample.payload.to_bytes()
            with self._lock:
                envelope = self._inbox.open(TOPIC, message, seal, self._codec)
                if envelope is not None:
                    self._arrived = (envelope, self._clock())

        return receive
