"""Two zenoh peers in two processes: what arrives, what is refused, what survives."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import zenoh
from random_values import random_snapshot
from stations import free_port, station, wait_until

from handhold.app.link import HostLink, LinkConfig, LinkError, StationLink
from handhold.app.messages import MAX_OPERATOR_BYTES
from handhold.devices.device import HapticPulse
from handhold.devices.operator_input import OperatorInput

pytestmark = pytest.mark.alone


@pytest.fixture
def config() -> LinkConfig:
    return LinkConfig(robot="talos", port=free_port())


@pytest.fixture
def host(config: LinkConfig) -> Iterator[HostLink]:
    with HostLink(config, time.monotonic) as link:
        yield link


def newest_sequence(host: HostLink) -> int:
    arrival = host.newest_input()
    return -1 if arrival is None else arrival.sample.sequence


def test_samples_of_another_process_arrive_and_snapshots_reach_it(config: LinkConfig, host: HostLink) -> None:
    with station(config) as process:
        assert process.stdout is not None
        assert wait_until(lambda: newest_sequence(host) > 0)
        first = newest_sequence(host)
        deadline = time.monotonic() + 3.0
        while time.monotonic() < deadline:
            host.send_snapshot(random_snapshot(1))
            time.sleep(0.01)
        assert newest_sequence(host) > first
        assert process.stdout.readline() == "snapshot\n"
    assert host.refused == 0


def test_only_the_newest_sample_is_kept_with_its_time_of_arrival(config: LinkConfig, host: HostLink) -> None:
    with StationLink(config, time.monotonic) as link:
        assert wait_until(lambda: _send_and_look(link, host, 1))
        before = time.monotonic()
        for sequence in range(2, 40):
            link.send(OperatorInput(time=0.0, device="one", sequence=sequence))
        assert wait_until(lambda: newest_sequence(host) == 39)
        arrival = host.newest_input()
        assert arrival is not None
        assert before <= arrival.time <= time.monotonic()


def test_a_station_whose_subscription_never_reached_the_host_asks_again(config: LinkConfig, host: HostLink) -> None:
    with StationLink(config, time.monotonic) as link:
        assert wait_until(lambda: _send_and_look(link, host, 1))
        for subscriber in link._subscribers:
            subscriber.undeclare()  # type: ignore[no-untyped-call]
        link._subscribers = (link._session.declare_subscriber("elsewhere", lambda _sample: None),)

        def sees() -> bool:
            host.send_snapshot(random_snapshot(1))
            return link.newest_snapshot() is not None

        assert wait_until(sees)


def _send_and_look(link: StationLink, host: HostLink, sequence: int) -> bool:
    link.send(OperatorInput(time=0.0, device="one", sequence=sequence))
    time.sleep(0.01)
    return newest_sequence(host) == sequence


def test_a_sample_that_is_sent_again_is_refused(config: LinkConfig, host: HostLink) -> None:
    with StationLink(config, time.monotonic) as link:
        assert wait_until(lambda: _send_and_look(link, host, 5))
        first = host.newest_input()
        refused = host.refused
        link.send(OperatorInput(time=1.0, device="one", sequence=4))
        assert wait_until(lambda: host.newest_input() is not None and host.refused == refused + 1)
        assert host.newest_input() is first


def test_garbage_is_counted_and_changes_nothing(config: LinkConfig, host: HostLink) -> None:
    with StationLink(config, time.monotonic) as link:
        assert wait_until(lambda: _send_and_look(link, host, 1))
        good = host.newest_input()
        refused = host.refused
        publisher = link._session.declare_publisher(
            config.key("operator"), express=True, congestion_control=zenoh.CongestionControl.BLOCK
        )
        for count, garbage in enumerate((b"", b"\xff" * 100, bytes(MAX_OPERATOR_BYTES + 1)), start=1):
            publisher.put(garbage)
            assert wait_until(lambda count=count: host.newest_input() is good and host.refused == refused + count)


def test_a_frozen_station_shows_as_a_growing_age_and_does_not_hold_up_the_host(config: LinkConfig, host: HostLink) -> None:
    with station(config) as process:
        assert wait_until(lambda: newest_sequence(host) > 0)
        process.send_signal(signal.SIGSTOP)
        time.sleep(0.2)
        frozen = host.newest_input()
        start = time.monotonic()
        for _ in range(3000):
            host.send_snapshot(random_snapshot_of_talos)
        # 10 MB fill every buffer of the link; sending one takes 0.02 ms, waiting for room would take 1 ms and more
        assert time.monotonic() - start < 2.0
        assert host.newest_input() is frozen
        process.send_signal(signal.SIGCONT)
        assert frozen is not None
        assert wait_until(lambda: newest_sequence(host) > frozen.sample.sequence)


random_snapshot_of_talos = random_snapshot(2)


def test_a_station_survives_the_restart_of_the_host(config: LinkConfig) -> None:
    with station(config):
        for _ in range(2):
            with HostLink(config, time.monotonic) as host:
                assert wait_until(lambda host=host: newest_sequence(host) > 0)


def test_pulses_reach_the_station(config: LinkConfig, host: HostLink) -> None:
    pulse = HapticPulse(hand="left", amplitude=1.0, duration=0.05)
    with StationLink(config, time.monotonic) as link:

        def sent_and_felt() -> bool:
            host.send_pulse(pulse)
            time.sleep(0.01)
            return pulse in link.pulses()

        assert wait_until(sent_and_felt)


def test_a_snapshot_tells_when_it_was_measured_and_not_when_it_was_asked_for(config: LinkConfig, host: HostLink) -> None:
    with StationLink(config, time.monotonic) as link:
        measured, arrived = -1.0, None

        def sent_and_there() -> bool:
            nonlocal measured, arrived
            measured = time.monotonic()
            host.send_snapshot(replace(random_snapshot_of_talos, measured_at=measured))
            time.sleep(0.05)
            arrived = link.newest_snapshot()
            return arrived is not None

        assert wait_until(sent_and_there)
        assert arrived is not None
        assert arrived.measured_at == measured


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
