"""The operator station's end of the link: publishes samples and stops, takes snapshots and pulses."""

from __future__ import annotations

import getpass
import math
import secrets
import socket
import threading
from collections.abc import Callable
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

import zenoh

from handhold.app.link.authority import MAX_NAME, LeaseAct, LeaseRequest, LinkStatus
from handhold.app.link.codecs import lease_codec, status_codec, stop_codec
from handhold.app.link.config import LinkConfig
from handhold.app.link.host_clock import HostClock
from handhold.app.link.inbox import Inbox
from handhold.app.link.lease_switches import LeaseSwitches
from handhold.app.link.messages import (
    Codec,
    Envelope,
    Heard,
    MessageError,
    PayloadT,
    event_codec,
    operator_codec,
    snapshot_codec,
)
from handhold.app.link.seal import Seal
from handhold.app.link.sender import NOTHING_HEARD, Sender
from handhold.app.link.session import open_session
from handhold.app.link.stop_outbox import StopOutbox
from handhold.devices.device import HapticPulse
from handhold.devices.operator_input import OperatorInput
from handhold.devices.stop import Stop
from handhold.render.snapshot import Snapshot
from handhold.retarget.mode_report import Toggle

SUBSCRIBE_AGAIN = 2.0
"""Time without a message of the host after which a station subscribes anew [s].

A subscription that is declared while the connection is being made may never reach the host (seen once of zenoh 1.x).
"""

ASK_PERIOD = 0.1
"""Period at which a station asks for the lease while nobody has it, and says again what its operator does about it [s]."""

ACT_TIME = 1.0
"""How long it says so where nothing comes of it [s]."""

MAX_PULSES = 16
"""A station that does not ask for pulses must not fill its memory with them."""


class StationLink:
    """The operator station's end: a session's own one asks for the lease while nobody has it, others wait for their operators.

    Attributes:
        name: What people call this station.
        status: The host's last report on the link, or None before.
    """

    def __init__(
        self,
        config: LinkConfig,
        clock: Callable[[], float],
        *,
        name: str | None = None,
        asks: bool = True,
        takes_over: bool = False,
    ) -> None:
        """Start connecting to the host; returns though there is none yet, and goes on trying.

        Args:
            config: Where, and with which key.
            clock: Monotonic clock of the station [s].
            name: What people call this station; by default the user at the machine.
            asks: Ask for the lease while nobody has it, as soon as samples are sent.
            takes_over: Take the robot from whoever drives, which stops it, as soon as samples are sent.

        Raises:
            LinkError: A certificate cannot be used.
        """
        self.name = (name or f"{getpass.getuser()}@{socket.gethostname()}")[:MAX_NAME]
        self.status: LinkStatus | None = None
        self._clock = clock
        self._run = secrets.randbits(62)
        self._host_clock = HostClock(config.address)
        self._heard = NOTHING_HEARD
        self._outbox = StopOutbox()
        self._switches = LeaseSwitches(self._run)
        self._asks = asks
        self._takes_over = takes_over
        self._act: LeaseAct | None = None
        self._act_end = 0.0
        self._asked = self._subscribed = self._received = clock()
        self._lock = threading.Lock()
        self._newest: tuple[Envelope, float] | None = None
        self._pulses: list[HapticPulse] = []
        self._inbox = Inbox()
        self._snapshot_codec = snapshot_codec()
        self._session = open_session(config, listen=False)
        self._samples = self._make_sender(config, "operator", operator_codec())
        self._stops = self._make_sender(config, "stop", stop_codec())
        self._leases = self._make_sender(config, "lease", lease_codec())
        self._topics = (
            (config.topic("snapshot"), self._receiver(config, "snapshot", self._snapshot_codec, self._take_snapshot)),
            (config.topic("event"), self._receiver(config, "event", event_codec(), self._take_pulse)),
            (config.topic("status"), self._receiver(config, "status", status_codec(), self._take_status)),
        )
        self._subscribers = self._subscribe()

    @property
    def refused(self) -> int:
        """Messages refused so far: not the host's, sent before, or unreadable."""
        return self._inbox.refused

    @property
    def drives(self) -> bool:
        """Whether this station has the robot's lease, as far as it knows."""
        driver = self.status.driver if self.status is not None else None
        return driver is not None and driver.run == self._run

    def describe(self) -> tuple[str, ...]:
        """Return what the operator should know of the link at this end, in words."""
        driver = self.status.driver if self.status is not None else None
        if driver is None or driver.run == self._run:
            return ()
        return (f"{driver.name} drives this robot: ask to drive, or take over, which stops it first",)

    def send(self, sample: OperatorInput) -> None:
        """Publish a sample of the operator, and in a channel of its own what it stops; dropped where there is no host."""
        now = self._clock()
        self._send_stop(sample.stop, now)
        act, request = self._switches.read(sample.request)
        if act is not None:
            self._act, self._act_end, self._asked = act, now + ACT_TIME, -math.inf
        self._request_lease(now)
        if self.drives:
            self._takes_over = False
            own = sample.stop or sample.request != request
            self._samples.send(replace(sample, stop=Stop.NONE, request=request) if own else sample, self._heard)

    def offer(self) -> tuple[Toggle, ...]:
        """Return what the operator can do about the lease now, as switches: they are read in ``send``."""
        return self._switches.offer(self.status)

    def newest_snapshot(self) -> Snapshot | None:
        """Return the newest snapshot that came since the last call, measured by the station's clock, or None."""
        with self._lock:
            newest, self._newest = self._newest, None
        if newest is None:
            self._subscribe_again()
            return None
        try:
            snapshot = self._snapshot_codec.decode_payload(newest[0])
        except MessageError:
            self._inbox.refused += 1
            return None
        return replace(snapshot, measured_at=self._host_clock.convert(snapshot.measured_at, newest[1]))

    def pulses(self) -> tuple[HapticPulse, ...]:
        """Return the pulses that came since the last call."""
        with self._lock:
            pulses, self._pulses = self._pulses, []
        return tuple(pulses)

    def listen(self, topic: str, receive: Callable[[zenoh.Sample], None]) -> zenoh.Subscriber[None]:
        """Hear what this station itself publishes on a topic, as it is on the wire: for what records or attacks a link."""
        return self._session.declare_subscriber(topic, receive)

    def close(self) -> None:
        """Release the lease, or the application for it, and close the session; without this the process would never end."""
        if self.drives or self._applies:
            self._send_act(LeaseAct.RELEASE)
        self._session.close()  # type: ignore[no-untyped-call]

    @property
    def _applies(self) -> bool:
        applicant = self.status.applicant if self.status is not None else None
        return applicant is not None and applicant.run == self._run

    def _request_lease(self, now: float) -> None:
        """Send what this station requests of the lease, again and again until the host's status shows it."""
        if now > self._act_end or self._is_done(self._act):
            self._act = None
        act = self._act or self._choose_act()
        if act is not None and now - self._asked >= ASK_PERIOD:
            self._asked = now
            self._send_act(act)

    def _is_done(self, act: LeaseAct | None) -> bool:
        if act is LeaseAct.HAND_OVER:
            return not self.drives
        return self.drives or (act is LeaseAct.ASK and self._applies)

    def _choose_act(self) -> LeaseAct | None:
        """Return what this station does about the lease by itself."""
        if self.status is None or self.drives:
            return None
        if self._takes_over:
            return LeaseAct.TAKE_OVER
        return LeaseAct.ASK if self._asks and self.status.driver is None else None

    def _send_act(self, act: LeaseAct) -> None:
        self._leases.send(LeaseRequest(act, self.name), self._heard)

    def _send_stop(self, word: Stop, now: float) -> None:
        received = self.status.received.get(self._run, 0) if self.status is not None else 0
        request = self._outbox.update(word, received, now)
        if request is not None:
            self._stops.send(request, self._heard)

    def _make_sender(self, config: LinkConfig, name: str, codec: Codec[PayloadT]) -> Sender[PayloadT]:
        topic = config.topic(name)
        return Sender(self._session, topic, codec, Seal(config.key, topic), self._run, self._clock)

    def _subscribe(self) -> tuple[zenoh.Subscriber[None], ...]:
        return tuple(self._session.declare_subscriber(topic, receive) for topic, receive in self._topics)

    def _subscribe_again(self) -> None:
        """Subscribe anew where nothing has come for a while."""
        now = self._clock()
        if now - max(self._subscribed, self._received) < SUBSCRIBE_AGAIN:
            return
        for subscriber in self._subscribers:
            subscriber.undeclare()  # type: ignore[no-untyped-call]
        self._subscribers, self._subscribed = self._subscribe(), now

    def _receiver(
        self, config: LinkConfig, name: str, codec: Codec[Any], take: Callable[[Envelope, Any, float], None]
    ) -> Callable[[zenoh.Sample], None]:
        """Return what zenoh calls, in a thread of its own, with each message of a topic."""
        seal = Seal(config.key, config.topic(name))

        def receive(sample: zenoh.Sample) -> None:
            now = self._clock()
            with self._lock:
                envelope = self._inbox.open(name, sample.payload.to_bytes(), seal, codec)
                if envelope is not None:
                    self._received = now
                    self._heard = Heard(envelope.stamp.run, envelope.stamp.time, now)
                    take(envelope, codec, now)

        return receive

    def _take_snapshot(self, envelope: Envelope, _codec: Codec[Snapshot], now: float) -> None:
        self._newest = (envelope, now)

    def _take_pulse(self, envelope: Envelope, codec: Codec[HapticPulse], _now: float) -> None:
        pulse = self._inbox.read(envelope, codec)
        self._pulses = self._pulses[1 - MAX_PULSES :] + ([] if pulse is None else [pulse])

    def _take_status(self, envelope: Envelope, codec: Codec[LinkStatus], _now: float) -> None:
        self.status = self._inbox.read(envelope, codec) or self.status

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
