"""Both ends of the link of what people look at: points and a colour picture that cameras see, apart from the robot's link.

Both are large, and nothing waits for them: they have a connection of their own, so that no sample of the operator and no
stop ever queues behind one. The process of the cameras listens, stations connect.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable
from dataclasses import replace

import zenoh

from handhold.app.extras import ExtraMissing
from handhold.app.link.arrivals import Arrival, Arrivals
from handhold.app.link.codecs import cloud_codec, picture_codec
from handhold.app.link.config import LinkConfig
from handhold.app.link.host_clock import HostClock
from handhold.app.link.messages import Codec, PayloadT
from handhold.app.link.pictures.encoded_picture import EncodedPicture, PictureFormat, PictureUnreadable
from handhold.app.link.pictures.picture_coding import PictureReader, make_encoder
from handhold.app.link.seal import Seal
from handhold.app.link.sender import Sender
from handhold.app.link.session import open_session
from handhold.perception.cameras.color_picture import ColorPicture
from handhold.perception.cameras.point_cloud import PointCloud, find_cloud_fault
from handhold.render.streams import CameraViews, CloudFrame, PictureFrame

CLOUD, PICTURE = "cloud", "picture"
"""Topics."""

MAX_WAITING = 16
"""Pictures that wait to be decoded at most: video needs all of them, in order."""


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
        self._session, self._config, self._clock = open_session(config, listen=True, bulk=True), config, clock
        self._run = secrets.randbits(62)
        self._encoder = make_encoder(config)
        self._clouds, self._pictures = self._make_sender(CLOUD, cloud_codec()), self._make_sender(PICTURE, picture_codec())

    def send(self, cloud: PointCloud) -> None:
        """Publish a cloud; dropped where nobody looks, or a connection is busy with the last one."""
        self._clouds.send(cloud)

    def send_picture(self, picture: ColorPicture) -> None:
        """Publish a picture, likewise."""
        self._pictures.send(self._encoder.encode(picture.image, picture.time))

    def close(self) -> None:
        """Close the session; without this the process would never end."""
        self._session.close()  # type: ignore[no-untyped-call]

    def _make_sender(self, name: str, codec: Codec[PayloadT]) -> Sender[PayloadT]:
        topic, priority = self._config.topic(name), zenoh.Priority.BACKGROUND
        return Sender(self._session, topic, codec, Seal(self._config.key, topic), self._run, self._clock, priority)


class ViewLink:
    """A station's end.

    Attributes:
        message: Why pictures are not shown, in words; empty where they are, or none come.
    """

    def __init__(self, config: LinkConfig, clock: Callable[[], float]) -> None:
        """Start connecting to the cameras; returns though there are none yet, and goes on trying.

        Args:
            config: Where, and with which key.
            clock: Monotonic clock of the station [s].

        Raises:
            LinkError: A certificate cannot be used.
        """
        self.message = ""
        self._views: CameraViews | None = None
        self._version = 0
        # one a topic: a clock is told of messages in the order in which they were sent
        self._clocks = {CLOUD: HostClock(config.address), PICTURE: HostClock(config.address)}
        self._reader = PictureReader(PictureFormat.JPEG if config.is_local else PictureFormat.H264)
        self._session = open_session(config, listen=False, bulk=True)
        self._clouds = Arrivals(self._session, config, CLOUD, cloud_codec(), clock, 1)
        self._pictures = Arrivals(self._session, config, PICTURE, picture_codec(), clock, MAX_WAITING)

    @property
    def refused(self) -> int:
        """Messages refused so far: not the cameras', sent before, or unreadable."""
        return self._clouds.refused + self._pictures.refused

    def newest(self) -> CameraViews | None:
        """Return the newest that has come, the same object until there is more; None before the first."""
        for cloud in self._clouds.take():
            self._note_cloud(cloud)
        for picture in self._pictures.take():
            self._note_picture(picture)
        return self._views

    def close(self) -> None:
        """Close the session; without this the process would never end."""
        self._session.close()  # type: ignore[no-untyped-call]

    def _note_cloud(self, arrival: Arrival[PointCloud]) -> None:
        cloud = arrival.payload
        if find_cloud_fault(cloud):
            self._clouds.refuse()
            return
        self._version += 1
        frame = CloudFrame(positions=cloud.positions, colors=cloud.colors, version=self._version)
        views = CameraViews() if self._views is None else self._views
        self._views = replace(views, cloud=frame, cloud_taken_at=self._find_time(CLOUD, arrival, cloud.time))

    def _note_picture(self, arrival: Arrival[EncodedPicture]) -> None:
        try:
            image = self._reader.read(arrival.payload)
        except (ExtraMissing, PictureUnreadable) as error:
            self._pictures.refuse()
            self.message = str(error)
            return
        if image is None or not math.isfinite(arrival.payload.time):
            return
        self.message = ""
        self._version += 1
        frame = PictureFrame(image=image, version=self._version)
        views = CameraViews() if self._views is None else self._views
        self._views = replace(views, picture=frame, picture_taken_at=self._find_time(PICTURE, arrival, arrival.payload.time))

    def _find_time(self, topic: str, arrival: Arrival[PayloadT], exposed_at: float) -> float:
        """Return when something was exposed, by the station's clock [s].

        Of the clocks it is when a message is sent that says something: what it shows may be seconds old by then.
        """
        sent_at = arrival.sent_at
        return self._clocks[topic].convert(sent_at, arrival.arrived_at) - max(0.0, sent_at - exposed_at)
