"""Two zenoh peers in two processes: what arrives, what is refused, what survives."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from random_values import random_snapshot
from stations import free_port, station, wait_until

from handhold.app.link import Arrival, HostLink, LinkConfig, LinkError, StationLink, make_key
from handhold.app.link.authority import LinkStatus, Refusal
from handhold.app.link.codecs import status_codec
from handhold.app.link.messages import MAX_OPERATOR_BYTES, Stamp, operator_codec
from handhold.app.link.seal import Seal
from handhold.app.link.session import open_session
from handhold.devices.device import HapticPulse
from handhold.devices.operator_input import OperatorInput
from handhold.devices.stop import Stop


@pytest.fixture
def config() -> LinkConfig:
    return LinkConfig(robot="talos", port=free_port(), key=make_key())


@pytest.fixture
def host(config: LinkConfig) -> Iterator[HostLink]:
    with HostLink(config, time.monotonic) as link:
        yield link


def newest_sequence(host: HostLink) -> int:
    arrival = host.newest_input()
    return -1 if arrival is None else arrival.sample.sequence


def sample(sequence: int, **fields: Any) -> OperatorInput:
    return OperatorInput(time=time.monotonic(), device="one", sequence=sequence, **fields)


def arrives(link: StationLink, host: HostLink, sequence: int) -> bool:
    """Send a sample and return whether it is there; until the station drives it only asks to."""
    link.send(sample(sequence))
    time.sleep(0.01)
    return newest_sequence(host) == sequence


def tells_stop(link: StationLink, host: HostLink, stop: Stop) -> bool:
    """Send a sample without a stop and return whether one that was asked for before is there; the host tells it once."""
    link.send(sample(3))
    return host.next_stop() is stop


@contextmanager
def driving(config: LinkConfig, host: HostLink, name: str = "ann") -> Iterator[StationLink]:
    """A station that drives, whose sample 1 has arrived."""
    with StationLink(config, time.monotonic, name=name) as link:
        assert wait_until(lambda: arrives(link, host, 1))
        yield link


def test_samples_of_another_process_arrive_and_snapshots_reach_it(config: LinkConfig, host: HostLink) -> None:
    with station(config) as process:
        assert process.stdout is not None
        assert wait_until(lambda: newest_sequence(host) > 0)
        first = newest_sequence(host)

        def seen_and_sent() -> bool:
            host.send_snapshot(random_snapshot(1))
            return newest_sequence(host) > first + 10

        assert wait_until(seen_and_sent)
        assert process.stdout.readline() == "snapshot\n"
    assert host.refused == 0


@pytest.mark.alone  # judges how long ago a sample came
def test_only_the_newest_sample_is_kept_with_the_time_it_was_taken(config: LinkConfig, host: HostLink) -> None:
    with driving(config, host) as link:
        for sequence in range(2, 40):
            link.send(sample(sequence))
            time.sleep(0.003)  # a station's rate is limited
        last = time.monotonic()
        assert wait_until(lambda: newest_sequence(host) == 39)
        arrival = host.newest_input()
        assert arrival is not None
        assert last - 1.0 < arrival.time <= last


def test_a_sample_that_was_taken_long_before_it_was_sent_is_old(config: LinkConfig, host: HostLink) -> None:
    with driving(config, host) as link:
        old = time.monotonic() - 5.0
        link.send(OperatorInput(time=old, device="one", sequence=2))
        assert wait_until(lambda: newest_sequence(host) == 2)
        arrival = host.newest_input()
        assert arrival is not None
        assert arrival.time <= old


def test_a_station_whose_subscription_never_reached_the_host_asks_again(config: LinkConfig, host: HostLink) -> None:
    with driving(config, host) as link:
        for subscriber in link._subscribers:
            subscriber.undeclare()  # type: ignore[no-untyped-call]
        link._subscribers = (link._session.declare_subscriber("elsewhere", lambda _sample: None),)

        def sees() -> bool:
            host.send_snapshot(random_snapshot(1))
            return link.newest_snapshot() is not None

        assert wait_until(sees)


def put(config: LinkConfig, host: HostLink, topic: str, messages: Sequence[bytes]) -> None:
    """Send bytes as they are, as someone would who got through to the link, each until it is refused."""
    with contextlib.closing(open_session(config, listen=False)) as session:
        publisher = session.declare_publisher(config.topic(topic), express=True)
        for message in messages:
            refused = host.refused

            def is_refused(message: bytes = message, refused: int = refused) -> bool:
                publisher.put(message)
                return wait_until(lambda: host.refused > refused, 0.1)

            assert wait_until(is_refused)


def record(config: LinkConfig, host: HostLink, topic: str) -> tuple[list[bytes], Any]:
    """Listen to what comes on a topic, as one who hears the network would."""
    heard: list[bytes] = []
    return heard, host._session.declare_subscriber(
        config.topic(topic), lambda message: heard.append(message.payload.to_bytes())
    )


def test_messages_that_are_sent_again_are_refused(config: LinkConfig, host: HostLink) -> None:
    samples, _ = record(config, host, "operator")
    stops, _ = record(config, host, "stop")
    leases, _ = record(config, host, "lease")
    with driving(config, host) as link:
        link.send(sample(2, stop=Stop.HOLD))
        assert wait_until(lambda: tells_stop(link, host, Stop.HOLD))
        assert wait_until(lambda: arrives(link, host, 3))
        newest = host.newest_input()
        assert host.refused == 0
        assert min(len(samples), len(stops), len(leases)) > 0
        for topic, messages in (("operator", samples), ("stop", stops), ("lease", leases)):
            put(config, host, topic, messages[-20:])
        assert host.status.refused.keys() == {Refusal.REPLAYED}
        assert host.newest_input() is newest
        assert host.next_stop() is Stop.NONE


def test_garbage_and_forgeries_are_counted_and_change_nothing(config: LinkConfig, host: HostLink) -> None:
    with driving(config, host):
        good = host.newest_input()
        stranger = Seal(make_key(), config.topic("operator"))
        forged = stranger.close(operator_codec().encode(sample(2**40), Stamp(1, 2**40, time.monotonic())))
        messages = (b"", b"\xff" * 100, bytes(MAX_OPERATOR_BYTES + 1), forged)
        for topic in ("operator", "stop", "lease"):
            put(config, host, topic, messages)
        assert host.newest_input() is good
        assert host.next_stop() is Stop.NONE
        assert host.status.refused.keys() == {Refusal.FORGED}
        assert any("someone else sends to this robot" in message for message in host.describe())


def test_authentic_messages_that_cannot_be_read_are_counted(config: LinkConfig, host: HostLink) -> None:
    with driving(config, host) as link:
        good = host.newest_input()
        for topic in ("operator", "stop", "lease"):
            put(config, host, topic, [Seal(config.key, config.topic(topic)).close(b"nonsense")])
        assert host.status.refused.keys() == {Refusal.UNREADABLE}
        refused = host.refused
        link._samples._codec = status_codec()  # type: ignore[assignment]
        link._samples.send(LinkStatus(), link._heard)  # type: ignore[arg-type]
        assert wait_until(lambda: host.newest_input() is good and host.refused == refused + 1)


@pytest.mark.parametrize("topic", ["operator", "stop", "lease"])
def test_who_does_not_have_the_key_gets_no_connection(config: LinkConfig, host: HostLink, topic: str) -> None:
    stranger = replace(config, key=make_key())
    with driving(config, host) as link, contextlib.closing(open_session(stranger, listen=False)) as session:
        publisher = session.declare_publisher(config.topic(topic))
        for sequence in range(2, 40):
            publisher.put(b"let me in")
            assert wait_until(lambda sequence=sequence: arrives(link, host, sequence))
        assert list(session.info.peers_zid()) == []
        assert host.refused == 0


def test_a_station_that_floods_starves_neither_the_samples_nor_a_stop_of_another(config: LinkConfig, host: HostLink) -> None:
    with driving(config, host) as link, flooding(config, host):
        for sequence in range(2, 30):
            assert wait_until(lambda sequence=sequence: arrives(link, host, sequence))
        link.send(sample(100, stop=Stop.HOLD))
        assert wait_until(lambda: host.next_stop() == Stop.HOLD)


@contextmanager
def flooding(config: LinkConfig, host: HostLink) -> Iterator[None]:
    """Let one with a connection but without the key send as much as he can on all topics."""
    refused = host.refused
    with contextlib.closing(open_session(config, listen=False)) as session:
        publishers = [session.declare_publisher(config.topic(topic)) for topic in ("operator", "stop", "lease")]
        stopped = threading.Event()

        def flood() -> None:
            while not stopped.is_set():
                for publisher in publishers:
                    publisher.put(bytes(800))

        thread = threading.Thread(target=flood)
        thread.start()
        try:
            assert wait_until(lambda: host.refused > refused + 100)
            yield
        finally:
            stopped.set()
            thread.join()


def test_one_station_drives_and_another_is_told_who(config: LinkConfig, host: HostLink) -> None:
    with driving(config, host, "ann") as ann, StationLink(config, time.monotonic, name="bob") as bob:

        def told() -> bool:
            newest_sequence(host)
            bob.send(sample(50))
            time.sleep(0.01)
            return bool(bob.describe())

        assert wait_until(told)
        assert ann.drives
        assert not bob.drives
        assert bob.describe() == ("ann drives this robot: ask to drive, or take over, which stops it first",)
        assert ann.describe() == ()
        assert wait_until(lambda: arrives(ann, host, 2))
        assert host.refused == 0, "who does not drive does not send"


def test_a_take_over_stops_the_robot_and_then_the_other_drives(config: LinkConfig, host: HostLink) -> None:
    with driving(config, host, "ann") as ann, StationLink(config, time.monotonic, name="bob") as bob:
        assert wait_until(lambda: newest_sequence(host) == 1 and bob.status is not None)
        bob.send(sample(6, request="switch:lease take over"))
        assert wait_until(lambda: host.next_stop() == Stop.HOLD)
        assert wait_until(lambda: arrives(bob, host, 7))
        ann.send(sample(8))
        assert wait_until(lambda: newest_sequence(host) == 7 and not ann.drives)
        assert ann.describe()[0].startswith("bob drives")


def test_the_robot_is_handed_over_to_who_asks_and_stops_for_it(config: LinkConfig, host: HostLink) -> None:
    with driving(config, host, "ann") as ann, StationLink(config, time.monotonic, name="bob") as bob:
        assert wait_until(lambda: newest_sequence(host) == 1 and bob.status is not None)

        def asked() -> bool:
            bob.send(sample(6, request="switch:lease ask"))
            bob.send(sample(7))
            assert wait_until(lambda: arrives(ann, host, newest_sequence(host) + 1))
            return ann.status is not None and ann.status.applicant is not None

        assert wait_until(asked)
        assert host.describe() == ("bob asks to drive: hand over, or go on",)
        assert [switch.title for switch in ann.offer()] == ["Hand over to bob (stops it)"]
        ann.send(sample(400, request="switch:lease hand over"))
        assert wait_until(lambda: host.next_stop() == Stop.HOLD)
        assert wait_until(lambda: arrives(bob, host, 500))


def test_a_station_that_leaves_frees_the_robot_for_the_next(config: LinkConfig, host: HostLink) -> None:
    for _ in range(3):
        with driving(config, host):
            assert host.status.driver is not None
        assert wait_until(lambda: newest_sequence(host) == 1 and host.status.driver is None)
        assert wait_until(lambda: newest_sequence(host) == 1)
        host._arrival = None


def test_a_stop_of_one_sample_is_sent_until_it_is_there(config: LinkConfig, host: HostLink) -> None:
    with driving(config, host) as link:
        link.send(sample(2, stop=Stop.DAMP))
        assert wait_until(lambda: tells_stop(link, host, Stop.DAMP))
        arrival = host.newest_input()
        assert arrival is not None
        assert arrival.sample.stop is Stop.NONE, "a stop comes in its own channel alone"


def test_a_station_that_watches_stops_but_does_not_resume(config: LinkConfig, host: HostLink) -> None:
    with driving(config, host) as ann, StationLink(config, time.monotonic, name="bob") as bob:
        assert wait_until(lambda: newest_sequence(host) == 1 and bob.status is not None)
        bob.send(sample(1, stop=Stop.HOLD))
        assert wait_until(lambda: tells_stop(bob, host, Stop.HOLD))

        def is_refused() -> bool:
            bob.send(sample(2, stop=Stop.RESUME))
            bob.send(sample(3))
            newest_sequence(host)
            assert host.next_stop() is Stop.NONE
            return host.status.refused.get(Refusal.NOT_DRIVING, 0) > 0

        assert wait_until(is_refused)

        def resumes() -> bool:
            ann.send(sample(9, stop=Stop.RESUME))
            ann.send(sample(10))
            newest_sequence(host)
            return host.next_stop() == Stop.RESUME

        assert wait_until(resumes)


@pytest.mark.alone
def test_a_frozen_station_shows_as_a_growing_age_and_does_not_hold_up_the_host(config: LinkConfig, host: HostLink) -> None:
    with station(config) as process:
        assert wait_until(lambda: newest_sequence(host) > 0)
        process.send_signal(signal.SIGSTOP)
        frozen = wait_for_last(host)
        times = [time.monotonic()]
        for _ in range(3000):
            host.send_snapshot(random_snapshot_of_talos)
            times.append(time.monotonic())
        # 10 MB fill every buffer of the link; sending one takes 0.02 ms, waiting for room would take 1 ms and more
        assert np.median(np.diff(times)) < 0.6e-3
        assert host.newest_input() is frozen
        process.send_signal(signal.SIGCONT)
        assert frozen is not None
        assert wait_until(lambda: newest_sequence(host) > frozen.sample.sequence)


def wait_for_last(host: HostLink) -> Arrival | None:
    """Return the last sample of a station that was frozen: none has come in 100 looks 5 ms apart."""
    looks = [host.newest_input()]

    def is_last() -> bool:
        looks.append(host.newest_input())
        return len(looks) > 100 and all(look is looks[-1] for look in looks[-100:])

    assert wait_until(is_last)
    return looks[-1]


random_snapshot_of_talos = random_snapshot(2)


def test_a_station_survives_the_restart_of_the_host(config: LinkConfig) -> None:
    with station(config):
        for _ in range(2):
            with HostLink(config, time.monotonic) as host:
                assert wait_until(lambda host=host: newest_sequence(host) > 0)


def test_pulses_reach_the_station(config: LinkConfig, host: HostLink) -> None:
    pulse = HapticPulse(hand="left", amplitude=1.0, duration=0.05)
    with driving(config, host) as link:

        def sent_and_felt() -> bool:
            host.send_pulse(pulse)
            time.sleep(0.01)
            return pulse in link.pulses()

        assert wait_until(sent_and_felt)


def test_a_snapshot_tells_when_it_was_measured_and_not_when_it_was_asked_for(config: LinkConfig, host: HostLink) -> None:
    with driving(config, host) as link:
        measured, arrived = set(), None

        def sent_and_there() -> bool:
            nonlocal arrived
            now = time.monotonic()
            measured.add(now)
            host.send_snapshot(replace(random_snapshot_of_talos, measured_at=now))
            time.sleep(0.05)
            arrived = link.newest_snapshot()
            return arrived is not None

        assert wait_until(sent_and_there)
        assert arrived is not None
        assert arrived.measured_at in measured


def test_a_taken_port_is_one_clear_line(config: LinkConfig, host: HostLink) -> None:
    with pytest.raises(LinkError, match=f"port {config.port} .* in use; stop what uses it") as caught:
        HostLink(config, time.monotonic)
    assert "\n" not in str(caught.value)


def test_a_host_listens_on_loopback_and_nowhere_else(config: LinkConfig, host: HostLink) -> None:
    listening = [
        line.split()[1].split(":")[0]
        for table in ("/proc/net/tcp", "/proc/net/tcp6")
        for line in Path(table).read_text(encoding="ascii").splitlines()[1:]
        if line.split()[1].endswith(f":{config.port:04X}") and line.split()[3] == "0A"
    ]
    assert listening == ["0100007F"]
