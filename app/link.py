"""The link between operator station and robot host: zenoh, one fixed endpoint, nothing found by multicast.

The robot host listens, the station connects, and keeps trying while there is no host. Samples, snapshots and events travel
below ``handhold/<robot>/``; what cannot be sent at once is dropped, because only the newest sample is worth anything.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, Self

import zenoh

from handhold.app.errors import AppError
from handhold.app.host_clock import HostClock
from handhold.app.messages import Message, MessageError, event_codec, operator_codec, snapshot_codec
from handhold.devices.device import HapticPulse
from handhold.devices.operator_input import OperatorInput
from handhold.render.snapshot import Snapshot

LOOPBACK = "127.0.0.1"
DEFAULT_PORT = 7460

ASK_AGAIN = 2.0
"""Time without a snapshot after which a station subscribes anew [s].

A subscription that is declared while the connection is being made may never reach the host (seen once of zenoh 1.x).
"""


class LinkError(AppError):
    """The link between station and host cannot be opened."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TlsFiles:
    """Certificates for a link between two machines; both sides show theirs, none is shipped.

    Attributes:
        authority: Certificate of the authority that signed both sides.
        certificate: This side's certificate.
        private_key: This side's private key.
    """

    authority: str
    certificate: str
    private_key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkConfig:
    """Where station and host meet.

    Attributes:
        robot: Name of the robot; many robots may share a network.
        address: Address the host listens on and the station connects to. Loopback unless told otherwise; give ``tls`` with
            anything else, for whoever reaches an open port can command the robot.
        port: TCP port.
        tls: Certificates, or None for plain TCP.
    """

    robot: str
    address: str = LOOPBACK
    port: int = DEFAULT_PORT
    tls: TlsFiles | None = None

    @property
    def endpoint(self) -> str:
        """Zenoh's name of the place, such as ``tcp/127.0.0.1:7460``."""
        return f"{'tls' if self.tls else 'tcp'}/{self.address}:{self.port}"

    def key(self, topic: str) -> str:
        """Return the key of a topic of this robot."""
        return f"handhold/{self.robot}/{topic}"


@dataclass(frozen=True, eq=False, slots=True)
class Arrival:
    """The operator's newest sample.

    Attributes:
        sample: The sample; its age is not set.
        time: Clock of the host when it arrived [s].
    """

    sample: OperatorInput
    time: float


class HostLink:
    """The robot host's end: takes samples, sends snapshots and pulses.

    Attributes:
        refused: Messages that could not be read, or were older than what was there.
    """

    def __init__(self, config: LinkConfig, clock: Callable[[], float]) -> None:
        """Listen at the endpoint.

        Raises:
            LinkError: The port is taken, or a certificate cannot be used.
        """
        self.refused = 0
        self._clock = clock
        self._codec = operator_codec()
        self._newest: tuple[bytes, float] | None = None
        self._taken: tuple[bytes, float] | None = None
        self._arrival: Arrival | None = None
        self._session = _open(config, listen=True)
        self._subscriber = self._session.declare_subscriber(config.key("operator"), self._keep_newest)
        self._snapshots = _Sender(self._session, config.key("snapshot"), snapshot_codec().encode, clock)
        self._events = _Sender(self._session, config.key("event"), event_codec().encode, clock)

    def newest_input(self) -> Arrival | None:
        """Return the newest sample that could be read, or None before the first."""
        # never cleared here: a sample that arrives meanwhile would go with it
        newest = self._newest
        if newest is not None and newest is not self._taken:
            self._taken = newest
            self._take(*newest)
        return self._arrival

    def send_snapshot(self, snapshot: Snapshot) -> None:
        """Send a snapshot to whoever watches; dropped where the network is full."""
        self._snapshots.send(snapshot)

    def send_pulse(self, pulse: HapticPulse) -> None:
        """Let the operator feel a pulse."""
        self._events.send(pulse)

    def close(self) -> None:
        """Close the session; without this the process would never end."""
        self._session.close()  # type: ignore[no-untyped-call]

    def _keep_newest(self, sample: zenoh.Sample) -> None:
        # runs in a thread of zenoh; one assignment, so that the control loop needs no lock
        self._newest = (sample.payload.to_bytes(), self._clock())

    def _take(self, data: bytes, time: float) -> None:
        try:
            message = self._codec.decode(data)
        except MessageError:
            self.refused += 1
            return
        if self._arrival is not None and _is_stale(message, self._arrival.sample):
            self.refused += 1
            return
        self._arrival = Arrival(message.payload, time)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class StationLink:
    """The operator station's end: sends samples, takes snapshots and pulses.

    Attributes:
        refused: Messages that could not be read.
    """

    def __init__(self, config: LinkConfig, clock: Callable[[], float]) -> None:
        """Start connecting to the host; returns though there is none yet, and goes on trying.

        Raises:
            LinkError: A certificate cannot be used.
        """
        self.refused = 0
        self._snapshot_codec = snapshot_codec()
        self._event_codec = event_codec()
        self._clock = clock
        self._host_clock = HostClock(config.address)
        self._newest: tuple[bytes, float] | None = None
        self._taken: tuple[bytes, float] | None = None
        self._pulses: list[bytes] = []
        self._lock = threading.Lock()
        self._session = _open(config, listen=False)
        self._samples = _Sender(self._session, config.key("operator"), operator_codec().encode, clock)
        self._topics = ((config.key("snapshot"), self._keep_newest), (config.key("event"), self._keep_pulse))
        self._subscribers = self._subscribe()
        self._asked = clock()

    def _subscribe(self) -> tuple[zenoh.Subscriber[None], ...]:
        return tuple(self._session.declare_subscriber(key, keep) for key, keep in self._topics)

    def _ask_again(self) -> None:
        """Subscribe anew where nothing has come for a while."""
        now = self._clock()
        last = self._asked if self._newest is None else max(self._asked, self._newest[1])
        if now - last < ASK_AGAIN:
            return
        for subscriber in self._subscribers:
            subscriber.undeclare()  # type: ignore[no-untyped-call]
        self._subscribers, self._asked = self._subscribe(), now

    def send(self, sample: OperatorInput) -> None:
        """Send a sample of the operator; dropped where there is no host."""
        self._samples.send(sample)

    def newest_snapshot(self) -> Snapshot | None:
        """Return the newest snapshot that came since the last call, measured by the station's clock, or None."""
        newest = self._newest
        if newest is None or newest is self._taken:
            self._ask_again()
            return None
        self._taken = newest
        try:
            snapshot = self._snapshot_codec.decode(newest[0]).payload
        except MessageError:
            self.refused += 1
            return None
        return replace(snapshot, measured_at=self._host_clock.convert(snapshot.measured_at, newest[1]))

    def pulses(self) -> tuple[HapticPulse, ...]:
        """Return the pulses that came since the last call."""
        with self._lock:
            waiting, self._pulses = self._pulses, []
        pulses = []
        for data in waiting:
            try:
                pulses.append(self._event_codec.decode(data).payload)
            except MessageError:
                self.refused += 1
        return tuple(pulses)

    def close(self) -> None:
        """Close the session; without this the process would never end."""
        self._session.close()  # type: ignore[no-untyped-call]

    def _keep_newest(self, sample: zenoh.Sample) -> None:
        self._newest = (sample.payload.to_bytes(), self._clock())

    def _keep_pulse(self, sample: zenoh.Sample) -> None:
        with self._lock:
            # a station that does not ask for pulses must not fill its memory with them
            self._pulses = [*self._pulses[-15:], sample.payload.to_bytes()]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class _Sender:
    """Numbers, encodes and sends the messages of one key."""

    def __init__(
        self, session: zenoh.Session, key: str, encode: Callable[[Any, int, float], bytes], clock: Callable[[], float]
    ) -> None:
        self._publisher = session.declare_publisher(
            key,
            express=True,
            congestion_control=zenoh.CongestionControl.DROP,
            priority=zenoh.Priority.REAL_TIME,
        )
        self._encode = encode
        self._clock = clock
        self._sequence = 0

    def send(self, payload: Any) -> None:
        self._sequence += 1
        self._publisher.put(self._encode(payload, self._sequence, self._clock()))


def _is_stale(message: Message[OperatorInput], last: OperatorInput) -> bool:
    return message.payload.device == last.device and message.payload.sequence <= last.sequence


def _open(config: LinkConfig, *, listen: bool) -> zenoh.Session:
    try:
        return zenoh.open(_zenoh_config(config, listen=listen))
    except zenoh.ZError as error:
        if "in use" in str(error):
            raise LinkError(
                f"the link's port {config.port} on {config.address} is in use; "
                "stop what uses it (another handhold?) or choose another port"
            ) from None
        reason = str(error).split(" at /")[0]
        raise LinkError(f"the link at {config.endpoint} cannot be opened: {reason}; check the address and the files") from None


def _zenoh_config(config: LinkConfig, *, listen: bool) -> zenoh.Config:
    endpoints = [config.endpoint]
    settings: dict[str, Any] = {
        "mode": "peer",
        "listen/endpoints": endpoints if listen else [],
        "connect/endpoints": [] if listen else endpoints,
        "connect/timeout_ms": -1,
        "connect/exit_on_failure": False,
        "connect/retry": {"period_init_ms": 100, "period_max_ms": 500, "period_increase_factor": 1.5},
        "scouting/multicast/enabled": False,
        "scouting/gossip/enabled": False,
        # a frozen station's full queue must not hold up the control loop: the host drops at once; a station waits [us]
        "transport/link/tx/queue/congestion_control/drop/wait_before_drop": 0 if listen else 1000,
        # nothing that we send is larger
        "transport/link/rx/max_message_size": 1 << 21,
        "transport/shared_memory/enabled": False,
    }
    if config.tls is not None:
        settings["transport/link/tls"] = _tls_settings(config.tls)
    result = zenoh.Config()
    for path, value in settings.items():
        result.insert_json5(path, json.dumps(value))
    return result


def _tls_settings(tls: TlsFiles) -> dict[str, Any]:
    return {
        "root_ca_certificate": tls.authority,
        "listen_certificate": tls.certificate,
        "listen_private_key": tls.private_key,
        "connect_certificate": tls.certificate,
        "connect_private_key": tls.private_key,
        "enable_mtls": True,
        "verify_name_on_connect": True,
    }
