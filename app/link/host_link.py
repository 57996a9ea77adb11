"""The robot host's end of the link: takes samples and stops of the station that drives, publishes snapshots and pulses."""

from __future__ import annotations

import secrets
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, Self

import zenoh

from handhold.app.link.authority import LinkStatus, Refusal
from handhold.app.link.bulletin import Bulletin
from handhold.app.link.codecs import (
    check_proposal,
    check_sighting,
    lease_codec,
    proposal_codec,
    sighting_codec,
    status_codec,
    stop_codec,
    truth_codec,
)
from handhold.app.link.config import LinkConfig
from handhold.app.link.gate import LATE_AFTER, Gate
from handhold.app.link.messages import (
    Codec,
    Envelope,
    MessageError,
    PayloadT,
    event_codec,
    operator_codec,
    snapshot_codec,
)
from handhold.app.link.seal import Seal
from handhold.app.link.sender import Sender
from handhold.app.link.session import open_session
from handhold.app.link.world_truth import WorldTruth
from handhold.devices.device import HapticPulse
from handhold.devices.operator_input import OperatorInput
from handhold.devices.stop import Stop
from handhold.perception.sighting import Sighting
from handhold.render.snapshot import Snapshot
from handhold.retarget.bracing.candidates.proposal import Proposal

STATUS_PERIOD = 0.05
"""Period at which the link's status is published [s]: each costs the loop 0.1 ms; its bound of clocks holds for long."""

MAX_STOPS = 16
"""Stops and resumes that may wait for a cycle each."""


@dataclass(frozen=True, eq=False, slots=True)
class Arrival:
    """The operator's newest sample.

    Attributes:
        sample: The sample; its age is not set.
        time: Earliest time at which it can have been taken, by the host's clock [s]; it arrived later.
    """

    sample: OperatorInput
    time: float


class HostLink:
    """The robot host's end. Messages are judged in zenoh's threads, as they come, so that none can push out another."""

    def __init__(self, config: LinkConfig, clock: Callable[[], float], run: int | None = None) -> None:
        """Listen at the endpoint.

        Args:
            config: Where, and with which key.
            clock: Monotonic clock of the host [s].
            run: Number of the host's run; random unless told.

        Raises:
            LinkError: The port is taken, or a certificate cannot be used.
        """
        self._clock = clock
        self._run = secrets.randbits(62) if run is None else run
        self._gate = Gate(self._run)
        self._lock = threading.Lock()
        self._newest: tuple[Envelope, float] | None = None
        self._taken: tuple[Envelope, float] | None = None
        self._arrival: Arrival | None = None
        self._stops: deque[tuple[Stop, float]] = deque(maxlen=MAX_STOPS)
        self._sightings = Bulletin(sighting_codec(), check_sighting)
        self._proposals = Bulletin(proposal_codec(), check_proposal)
        self._samples, self._stop_codec, self._lease_codec = operator_codec(), stop_codec(), lease_codec()
        self._session = open_session(config, listen=True)
        self._snapshots = self._make_sender(config, "snapshot", snapshot_codec())
        self._events = self._make_sender(config, "event", event_codec())
        self._statuses = self._make_sender(config, "status", status_codec())
        self._truths = self._make_sender(config, "truth", truth_codec())
        self._status_due = clock()
        topics = (
            ("operator", self._samples, self._take_sample),
            ("stop", self._stop_codec, self._take_stop),
            ("lease", self._lease_codec, self._take_lease),
        )
        self._subscribers = [
            self._session.declare_subscriber(
                config.topic(name), self._receiver(Seal(config.key, config.topic(name)), codec, take)
            )
            for name, codec, take in topics
        ]
        self._subscribers += [
            self._hear(config, "surfaces", self._sightings),
            self._hear(config, "places", self._proposals),
        ]

    @property
    def refused(self) -> int:
        """Messages refused so far."""
        return self._gate.refused.total()

    @property
    def newest_sighting(self) -> Sighting | None:
        """What the camera said last; None before the first."""
        return self._sightings.newest

    @property
    def newest_proposal(self) -> Proposal | None:
        """What was said last of places where hands could brace; None before the first."""
        return self._proposals.newest

    @property
    def status(self) -> LinkStatus:
        """Who drives, what was received, what was refused and why."""
        with self._lock:
            return self._gate.report(self._clock())

    def newest_input(self) -> Arrival | None:
        """Return the newest sample of the station that drives, or None before the first; publishes the link's status."""
        self._publish_status()
        # never cleared here: a sample that arrives meanwhile would go with it
        newest = self._newest
        if newest is not None and newest is not self._taken:
            self._taken = newest
            self._decode(*newest)
        return self._arrival

    def next_stop(self) -> Stop:
        """Return the next stop or resume that no cycle has followed yet, as ``OperatorInput.stop``.

        A resume that has waited for a cycle for too long is dropped: whoever meant it saw another robot.
        """
        while self._stops:
            stop, arrived = self._stops.popleft()
            if stop is not Stop.RESUME or self._clock() - arrived <= LATE_AFTER:
                return stop
        return Stop.NONE

    def describe(self) -> tuple[str, ...]:
        """Return what the operator should know of the link, in words."""
        with self._lock:
            return self._gate.describe(self._clock())

    def send_snapshot(self, snapshot: Snapshot) -> None:
        """Publish a snapshot; dropped where the network is full."""
        self._snapshots.send(snapshot)

    def send_truth(self, truth: WorldTruth) -> None:
        """Publish where a simulated robot and the solids of its world are."""
        self._truths.send(truth)

    def send_pulse(self, pulse: HapticPulse) -> None:
        """Publish a haptic pulse for the operator."""
        self._events.send(pulse)

    def close(self) -> None:
        """Close the session; without this the process would never end."""
        self._session.close()  # type: ignore[no-untyped-call]

    def _make_sender(self, config: LinkConfig, name: str, codec: Codec[PayloadT]) -> Sender[PayloadT]:
        topic = config.topic(name)
        return Sender(self._session, topic, codec, Seal(config.key, topic), self._run, self._clock)

    def _publish_status(self) -> None:
        now = self._clock()
        if now >= self._status_due:
            self._status_due = max(self._status_due + STATUS_PERIOD, now)
            self._statuses.send(self.status)

    def _receiver(
        self, seal: Seal, codec: Codec[Any], take: Callable[[Envelope, float], None]
    ) -> Callable[[zenoh.Sample], None]:
        """Return what zenoh calls, in a thread of its own, with each message of a topic."""

        def receive(sample: zenoh.Sample) -> None:
            now = self._clock()
            message = seal.open(sample.payload.to_bytes())
            with self._lock:
                try:
                    if message is None:
                        self._gate.refuse(Refusal.FORGED, now)
                    else:
                        take(codec.unwrap(message), now)
                except MessageError:
                    self._gate.refuse(Refusal.UNREADABLE, now)

        return receive

    def _hear(self, config: LinkConfig, name: str, bulletin: Bulletin[Any]) -> zenoh.Subscriber[Any]:
        seal = Seal(config.key, config.topic(name))

        def receive(sample: zenoh.Sample) -> None:
            now = self._clock()
            refusal = bulletin.judge(seal.open(sample.payload.to_bytes()), now)
            if refusal is not None:
                with self._lock:
                    self._gate.refuse(refusal, now)

        return self._session.declare_subscriber(config.topic(name), receive)

    def _take_sample(self, envelope: Envelope, now: float) -> None:
        sent = self._gate.admit_sample(envelope.stamp, now)
        if sent is not None:
            self._newest = (envelope, sent)

    def _take_stop(self, envelope: Envelope, now: float) -> None:
        request = self._stop_codec.decode_payload(envelope)
        if self._gate.admit_stop(envelope.stamp, request, now):
            self._queue(request.kind, now)

    def _take_lease(self, envelope: Envelope, now: float) -> None:
        if self._gate.admit_lease(envelope.stamp, self._lease_codec.decode_payload(envelope), now):
            self._queue(Stop.HOLD, now)

    def _queue(self, stop: Stop, now: float) -> None:
        # a stop that waits needs no second one behind it
        if not (self._stops and self._stops[-1][0] is stop):
            self._stops.append((stop, now))

    def _decode(self, envelope: Envelope, sent: float) -> None:
        try:
            sample = self._samples.decode_payload(envelope)
        except MessageError:
            with self._lock:
                self._gate.refuse(Refusal.UNREADABLE, self._clock())
            return
        # a station that sends an old sample anew does not make it younger
        old = max(0.0, envelope.stamp.time - sample.time)
        # stops come in their own channel alone; a station's run is part of the device's: another one has latched nothing
        device = f"{sample.device} {envelope.stamp.run:x}"
        self._arrival = Arrival(replace(sample, stop=Stop.NONE, device=device), sent - old)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
