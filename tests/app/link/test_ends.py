"""Both ends of the link, message by message, at times that the test tells."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest
from bus import Bus, Session
from random_values import random_snapshot

from handhold.app.link import host_link, station_link
from handhold.app.link.authority import LeaseAct, LeaseRequest, Refusal
from handhold.app.link.codecs import lease_codec, status_codec
from handhold.app.link.config import KEY_BYTES, LinkConfig
from handhold.app.link.gate import LATE_AFTER, MAX_PEERS
from handhold.app.link.host_link import MAX_STOPS, STATUS_PERIOD, HostLink
from handhold.app.link.lease import LEASE_TIME, Station
from handhold.app.link.messages import Heard, Stamp, event_codec, operator_codec, snapshot_codec
from handhold.app.link.seal import Seal
from handhold.app.link.station_link import ASK_PERIOD, MAX_PULSES, SUBSCRIBE_AGAIN, StationLink
from handhold.devices.device import HapticPulse
from handhold.devices.operator_input import OperatorInput
from handhold.devices.stop import Stop

CONFIG = LinkConfig(robot="talos", key=bytes(range(KEY_BYTES)))
TICK = 1.0 / 128
"""A period that sums up without rounding [s]."""


@dataclass
class World:
    """A host, its stations, their network and their clock."""

    bus: Bus = field(default_factory=Bus)
    now: float = 100.0
    host: HostLink = None  # type: ignore[assignment]
    sequence: int = 0
    opened: list[tuple[LinkConfig, bool]] = field(default_factory=list)

    def open_session(self, config: LinkConfig, *, listen: bool) -> Session:
        self.opened.append((config, listen))
        return Session(self.bus)

    def clock(self) -> float:
        return self.now

    def station(self, name: str = "ann", **options: Any) -> StationLink:
        return StationLink(CONFIG, self.clock, name=name, **options)

    def beat(self, *stations: StationLink, **fields: Any) -> None:
        """Let a tick pass in which the host runs, and then every station sends a sample."""
        self.now += TICK
        self.host.newest_input()
        self.sequence += 1
        for station in stations:
            station.send(OperatorInput(time=self.now, device="one", sequence=self.sequence, **fields))

    def until(self, condition: Callable[[], bool], *stations: StationLink) -> None:
        """Let ticks pass until something has happened."""
        for _ in range(1000):
            if condition():
                return
            self.beat(*stations)
        pytest.fail("it never happened")

    def driver(self, name: str = "ann") -> StationLink:
        """Return a station that drives and whose newest sample has arrived."""
        station = self.station(name)
        self.until(lambda: station.drives and self.host.newest_input() is not None, station)
        return station

    def newest(self) -> OperatorInput:
        arrival = self.host.newest_input()
        assert arrival is not None
        return arrival.sample


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    world = World()
    for module in (host_link, station_link):
        monkeypatch.setattr(module, "open_session", world.open_session)
    with HostLink(CONFIG, world.clock, run=7) as world.host:
        yield world


def seal(name: str, message: bytes) -> bytes:
    return Seal(CONFIG.key, CONFIG.topic(name)).close(message)


def put(world: World, name: str, data: bytes) -> None:
    world.bus.put(CONFIG.topic(name), data)


# The host's end


def test_there_is_no_sample_before_the_first(world: World) -> None:
    assert world.host.newest_input() is None
    assert world.host.next_stop() is Stop.NONE
    assert world.host.describe() == ()
    assert world.host.refused == 0


def test_a_sample_arrives_with_the_time_it_was_sent_and_the_run_of_its_station(world: World) -> None:
    station = world.driver()
    sample = world.newest()
    assert sample.sequence == world.sequence
    assert sample.device == f"one {station._run:x}"
    arrival = world.host.newest_input()
    assert arrival is not None
    assert arrival.time == pytest.approx(world.now, abs=2 * TICK)
    assert world.host.newest_input() is arrival, "the same object while nothing newer has come"


def test_the_newest_sample_is_told_anew_each_time_one_comes(world: World) -> None:
    station = world.driver()
    for _ in range(5):
        world.beat(station)
        assert world.newest().sequence == world.sequence


def test_a_sample_taken_before_it_was_sent_is_as_old_as_it_says_and_one_from_the_future_no_younger(world: World) -> None:
    station = world.driver()
    world.host.newest_input()
    for ahead, expected in ((-0.3, -0.3), (5.0, 0.0)):
        world.sequence += 1
        station.send(OperatorInput(time=world.now + ahead, device="one", sequence=world.sequence))
        arrival = world.host.newest_input()
        assert arrival is not None
        assert arrival.time - world.now == pytest.approx(expected, abs=2 * TICK)


def test_stations_are_told_of_the_link_at_20_hz(world: World) -> None:
    for _ in range(128):
        world.beat()
    assert world.bus.count("status") == pytest.approx(20, abs=1)


def test_a_host_that_was_held_up_tells_once_and_not_what_it_has_missed(world: World) -> None:
    world.beat()
    world.now += 10.0
    before = world.bus.count("status")
    for _ in range(50):
        world.host.newest_input()
    assert world.bus.count("status") <= before + 2
    world.now += 1.01 * STATUS_PERIOD
    world.host.newest_input()
    assert world.bus.count("status") == before + 3


def test_what_nobody_with_the_key_has_sent_is_refused_as_forged(world: World) -> None:
    station = world.driver()
    good = world.host.newest_input()
    for name in ("operator", "stop", "lease"):
        put(world, name, b"nonsense")
        put(world, name, seal("elsewhere", b"nonsense"))
    assert world.host.status.refused == {Refusal.FORGED: 6}
    assert world.host.refused == 6
    assert world.host.newest_input() is good
    assert world.host.describe()[0].endswith("someone else sends to this robot")
    assert station.drives


def test_what_cannot_be_read_is_refused(world: World) -> None:
    world.driver()
    good = world.host.newest_input()
    for name in ("operator", "stop", "lease"):
        put(world, name, seal(name, b"nonsense"))
    assert world.host.status.refused == {Refusal.UNREADABLE: 3}
    assert world.host.newest_input() is good


def test_a_sample_whose_payload_cannot_be_read_is_refused_once_and_the_last_one_stays(world: World) -> None:
    station = world.driver()
    good = world.host.newest_input()
    stamp = Stamp(station._run, 10**6, world.now, station._heard)
    pulse = HapticPulse(hand="left", amplitude=1.0, duration=0.1)
    put(world, "operator", seal("operator", event_codec().encode(pulse, stamp)))
    for _ in range(3):
        assert world.host.newest_input() is good
    assert world.host.status.refused == {Refusal.UNREADABLE: 1}


def test_stops_come_one_by_one_in_their_order_and_a_stop_of_a_sample_itself_is_none(world: World) -> None:
    station = world.driver()
    world.beat(station, stop=Stop.HOLD)
    world.beat(station)
    world.beat(station, stop=Stop.DAMP)
    assert [world.host.next_stop() for _ in range(3)] == [Stop.HOLD, Stop.DAMP, ""]
    assert world.newest().stop is Stop.NONE
    smuggled = operator_codec().encode(
        OperatorInput(time=world.now, device="one", stop=Stop.RESUME), Stamp(station._run, 10**6, world.now, station._heard)
    )
    put(world, "operator", seal("operator", smuggled))
    assert world.newest().stop is Stop.NONE


def test_a_stop_that_waits_needs_no_second_one(world: World) -> None:
    stations = [world.station(name) for name in "abc"]
    for station in stations:
        station.send(OperatorInput(time=world.now, stop=Stop.HOLD))
    assert [world.host.next_stop() for _ in range(2)] == [Stop.HOLD, ""]


def test_stops_that_no_cycle_follows_are_bounded_and_the_last_ones_stay(world: World) -> None:
    station = world.driver()
    for number in range(3 * MAX_STOPS):
        world.until(lambda: station._outbox._pending is None, station)
        world.beat(station, stop=Stop.HOLD if number % 2 else Stop.DAMP)
    stops = [world.host.next_stop() for _ in range(MAX_STOPS + 1)]
    assert stops[-2:] == [Stop.HOLD, ""]
    assert "" not in stops[:-1]


def test_the_link_says_how_late_commands_are(world: World) -> None:
    station = world.driver()
    world.bus.lost.add("operator")
    world.beat(station)
    late = world.bus.sent[-1][1]
    world.bus.lost.clear()
    world.now += 4.0 * LATE_AFTER
    good = world.host.newest_input()
    put(world, "operator", late)
    assert world.host.newest_input() is good
    assert world.host.describe()[0].startswith("commands arrive 200 ms late")


def test_both_ends_close_their_sessions(world: World) -> None:
    with world.station():
        pass
    world.host.close()
    assert world.bus.closed == 2


# The station's end


def test_a_station_is_called_by_its_user_and_machine_where_nobody_names_it(world: World) -> None:
    assert "@" in StationLink(CONFIG, world.clock).name
    assert world.station("ann").name == "ann"


def test_a_station_that_has_heard_of_no_host_neither_asks_nor_sends_but_stops(world: World) -> None:
    station = world.station()
    for _ in range(50):
        world.now += TICK
        station.send(OperatorInput(time=world.now, device="one"))
    assert world.bus.sent == []
    station.send(OperatorInput(time=world.now, device="one", stop=Stop.HOLD))
    assert world.host.next_stop() == Stop.HOLD


def test_a_station_asks_at_10_hz_until_it_drives_and_then_no_more(world: World) -> None:
    station = world.station()
    world.bus.lost.add("lease")
    begin = world.now
    world.until(lambda: world.bus.count("lease") == 10, station)
    assert world.now - begin == pytest.approx(10 * ASK_PERIOD, abs=10 * TICK)
    world.bus.lost.clear()
    world.until(lambda: station.drives, station)
    asked = world.bus.count("lease")
    for _ in range(100):
        world.beat(station)
    assert world.bus.count("lease") == asked


def test_a_station_that_does_not_drive_sends_no_samples_and_says_who_does(world: World) -> None:
    ann, bob = world.driver("ann"), world.station("bob")
    world.until(lambda: bob.status is not None, ann, bob)
    sent = world.bus.count("operator")
    for _ in range(10):
        world.beat(bob)
    assert world.bus.count("operator") == sent
    assert not bob.drives
    assert bob.describe() == ("ann drives this robot: ask to drive, or take over, which stops it first",)
    assert ann.describe() == ()
    assert ann.offer() == ()
    for _ in range(100):
        world.beat(ann, bob)
    assert ann.drives, "nobody takes over unless told to"
    assert world.station("eve").describe() == ()


def test_a_station_that_is_told_to_take_over_does_so_once(world: World) -> None:
    ann = world.driver("ann")
    bob = world.station("bob", takes_over=True)
    world.until(lambda: bob.drives, ann, bob)
    assert world.host.next_stop() == Stop.HOLD
    world.until(lambda: not ann.drives, ann, bob)
    world.beat(ann, request="switch:lease take over")
    world.until(lambda: ann.drives, ann, bob)
    for _ in range(50):
        world.beat(ann, bob)
    assert ann.drives, "bob has taken over once and does not do so again"


def test_what_an_operator_does_about_the_lease_stays_at_the_station(world: World) -> None:
    ann, bob = world.driver("ann"), world.station("bob")
    world.until(lambda: bob.status is not None, ann, bob)
    assert [offer.name for offer in bob.offer()] == [f"lease {LeaseAct.ASK}", f"lease {LeaseAct.TAKE_OVER}"]
    world.beat(ann, bob, request="switch:lease ask")
    assert world.newest().request == ""
    world.until(lambda: bool(ann.offer()), ann)
    world.beat(ann, request="switch:lease hand over")
    assert world.host.next_stop() == Stop.HOLD
    world.until(lambda: bob.drives, bob)
    world.beat(bob, request="mode:walking")
    assert world.newest().request == "mode:walking"


def test_a_driver_whose_lease_has_run_out_asks_again(world: World) -> None:
    ann = world.driver("ann")
    world.now += 1.1 * LEASE_TIME
    world.until(lambda: not ann.drives, ann)
    world.until(lambda: ann.drives, ann)


def test_who_drives_lets_go_on_leaving_and_who_watches_does_not(world: World) -> None:
    ann, bob = world.driver("ann"), world.station("bob")
    world.until(lambda: bob.status is not None, ann, bob)
    asked = world.bus.count("lease")
    bob.close()
    assert world.bus.count("lease") == asked
    ann.close()
    assert world.host.status.driver is None


def test_a_snapshot_is_given_once_the_newest_alone_with_its_time(world: World) -> None:
    station = world.station()
    assert station.newest_snapshot() is None
    for number in range(3):
        world.now += TICK
        world.host.send_snapshot(replace(random_snapshot(number), measured_at=world.now - 0.001))
    snapshot = station.newest_snapshot()
    assert snapshot is not None
    assert np.array_equal(snapshot.q, random_snapshot(2).q)
    assert snapshot.measured_at == pytest.approx(world.now - 0.001)
    assert station.newest_snapshot() is None


def test_a_snapshot_that_does_not_say_when_it_was_measured_was_when_it_came(world: World) -> None:
    station = world.station()
    world.host.send_snapshot(replace(random_snapshot(0), measured_at=math.nan))
    arrived, world.now = world.now, world.now + 1.0
    snapshot = station.newest_snapshot()
    assert snapshot is not None
    assert snapshot.measured_at == arrived


def test_messages_that_cannot_be_read_are_counted(world: World) -> None:
    station = world.station()
    pulse = HapticPulse(hand="left", amplitude=1.0, duration=0.1)
    put(world, "snapshot", seal("snapshot", event_codec().encode(pulse, Stamp(7, 1, 0.0))))
    assert station.newest_snapshot() is None
    put(world, "event", seal("event", snapshot_codec().encode(random_snapshot(0), Stamp(7, 1, 0.0))[:100]))
    put(world, "status", seal("status", event_codec().encode(pulse, Stamp(7, 1, 0.0))))
    put(world, "event", b"forged")
    put(world, "event", seal("event", snapshot_codec().encode(random_snapshot(0), Stamp(7, 2, 0.0))))
    put(world, "snapshot", seal("snapshot", event_codec().encode(pulse, Stamp(7, 2, 0.0))))
    assert station.newest_snapshot() is None
    assert station.refused == 6
    assert station.status is None
    assert station.pulses() == ()


def test_a_status_that_cannot_be_read_leaves_the_last_one(world: World) -> None:
    station = world.driver()
    last = station.status
    pulse = HapticPulse(hand="left", amplitude=1.0, duration=0.1)
    put(world, "status", seal("status", event_codec().encode(pulse, Stamp(7, 10**6, 0.0))))
    assert station.status is last


def test_pulses_come_in_their_order_and_only_the_last_ones_wait(world: World) -> None:
    station = world.station()
    pulses = [HapticPulse(hand="left", amplitude=1.0, duration=0.01 * number) for number in range(40)]
    for pulse in pulses[:3]:
        world.host.send_pulse(pulse)
    assert station.pulses() == tuple(pulses[:3])
    assert station.pulses() == ()
    for pulse in pulses:
        world.host.send_pulse(pulse)
    assert station.pulses() == tuple(pulses[-MAX_PULSES:])


def test_a_station_that_hears_nothing_subscribes_anew_every_two_seconds(world: World) -> None:
    station = world.station()
    before = list(world.bus.subscribers)
    world.now += 0.99 * SUBSCRIBE_AGAIN
    station.newest_snapshot()
    assert world.bus.subscribers == before
    world.now += 0.02 * SUBSCRIBE_AGAIN
    station.newest_snapshot()
    anew = list(world.bus.subscribers)
    assert len(anew) == len(before)
    assert len(set(anew) & set(before)) == len(before) - 3
    world.now += 0.99 * SUBSCRIBE_AGAIN
    station.newest_snapshot()
    assert world.bus.subscribers == anew
    world.host.send_snapshot(random_snapshot(0))
    assert station.newest_snapshot() is not None
    world.now += 0.99 * SUBSCRIBE_AGAIN
    assert station.newest_snapshot() is None
    assert world.bus.subscribers == anew, "something came meanwhile"


def test_a_station_tells_what_it_last_heard_of_the_host_and_when(world: World) -> None:
    station = world.driver()
    world.until(lambda: world.bus.sent[-2][0].endswith("status"), station)
    codec = operator_codec()
    data = Seal(CONFIG.key, CONFIG.topic("operator")).open(world.bus.sent[-1][1])
    assert data is not None
    assert codec.unwrap(data).stamp.heard == Heard(7, world.now, world.now)


def test_what_a_station_publishes_can_be_listened_to(world: World) -> None:
    station = world.driver()
    heard: list[bytes] = []
    station.listen(CONFIG.topic("operator"), lambda sample: heard.append(sample.payload.to_bytes()))
    world.beat(station)
    assert heard == [world.bus.sent[-1][1]]


def test_the_host_listens_and_a_station_connects(world: World) -> None:
    world.station()
    assert world.opened == [(CONFIG, True), (CONFIG, False)]
    assert [listen for _, listen in world.opened] == [True, False]


def test_every_run_of_a_host_has_a_number_of_its_own(world: World) -> None:
    hosts = [HostLink(CONFIG, world.clock) for _ in range(2)]
    statuses = status_codec()
    runs = []
    for host in hosts:
        host.newest_input()
        data = Seal(CONFIG.key, CONFIG.topic("status")).open(world.bus.sent[-1][1])
        assert data is not None
        runs.append(statuses.unwrap(data).stamp.run)
    assert runs[0] != runs[1]


def test_a_stop_and_then_a_resume_reach_the_host_of_whoever_drives(world: World) -> None:
    station = world.driver()
    world.beat(station, stop=Stop.HOLD)
    assert world.host.next_stop() == Stop.HOLD
    for _ in range(64):  # the host says that it has the stop
        world.beat(station)
    world.beat(station, stop=Stop.RESUME)
    assert world.host.next_stop() == Stop.RESUME
    world.beat(station, stop=Stop.RESUME)
    assert world.host.next_stop() is Stop.NONE


@pytest.mark.parametrize("acquainted", [False, True])
def test_a_stop_that_is_lost_on_its_way_is_sent_again(world: World, acquainted: bool) -> None:
    station = world.driver() if acquainted else world.station()
    world.bus.lost.add("stop")
    station.send(OperatorInput(time=world.now, device="one", stop=Stop.HOLD))
    for _ in range(20):
        station.send(OperatorInput(time=world.now, device="one"))
    assert world.host.next_stop() is Stop.NONE
    world.bus.lost.clear()
    station.send(OperatorInput(time=world.now, device="one"))
    assert world.host.next_stop() == Stop.HOLD


def test_samples_carry_no_stops_and_nothing_about_the_lease_but_other_requests(world: World) -> None:
    station = world.driver()
    codec = operator_codec()
    sent = []
    for fields in ({"stop": Stop.HOLD, "request": "mode:walking"}, {"request": "switch:lease ask"}):
        world.beat(station, **fields)
        data = next(data for topic, data in reversed(world.bus.sent) if topic.endswith("/operator"))
        message = Seal(CONFIG.key, CONFIG.topic("operator")).open(data)
        assert message is not None
        sample = codec.decode(message).payload
        sent.append((sample.stop, sample.request))
    assert sent == [("", "mode:walking"), ("", "")]


def test_each_topic_of_the_host_has_numbers_of_its_own(world: World) -> None:
    station = world.station()
    for number in range(20):
        world.host.send_snapshot(random_snapshot(number))
    pulse = HapticPulse(hand="left", amplitude=1.0, duration=0.1)
    world.host.send_pulse(pulse)
    assert station.pulses() == (pulse,)


def test_sixteen_pulses_wait_at_most_and_two_seconds_are_waited_for_the_host(world: World) -> None:
    station = world.station()
    for _ in range(40):
        world.host.send_pulse(HapticPulse(hand="left", amplitude=1.0, duration=0.1))
    assert len(station.pulses()) == 16
    before = list(world.bus.subscribers)
    world.now += 1.9
    station.newest_snapshot()
    assert world.bus.subscribers == before
    world.now += 0.2
    station.newest_snapshot()
    assert world.bus.subscribers != before


@pytest.mark.parametrize("name", ["operator", "stop", "lease"])
def test_messages_that_cannot_be_read_are_told_as_soon_as_they_come(world: World, name: str) -> None:
    world.driver()
    put(world, name, seal(name, b"nonsense"))
    assert "unreadable" in world.host.describe()[0]


def test_a_sample_whose_payload_cannot_be_read_is_told(world: World) -> None:
    station = world.driver()
    pulse = HapticPulse(hand="left", amplitude=1.0, duration=0.1)
    stamp = Stamp(station._run, 10**6, world.now, station._heard)
    put(world, "operator", seal("operator", event_codec().encode(pulse, stamp)))
    world.host.newest_input()
    assert "unreadable" in world.host.describe()[0]


def test_no_name_and_no_number_of_stations_is_too_much_for_the_status(world: World) -> None:
    stations = [world.station("\U0001f916" * 500) for _ in range(2 * MAX_PEERS)]
    for station in stations:
        station.send(OperatorInput(time=world.now, device="one", stop=Stop.HOLD))
    world.until(lambda: stations[0].drives, *stations[:2])
    world.beat(stations[0], stations[1], request="switch:lease ask")
    for reason in Refusal:
        world.host._gate.refused[reason] = 2**62
    world.until(lambda: stations[1]._applies, *stations[:2])
    assert stations[1].status is not None
    assert stations[1].status.driver is not None
    assert len(stations[1].status.driver.name) == 64


@pytest.mark.parametrize("name", ["", "a\nb", "\x1b[2J", "x" * 65])
def test_a_name_that_cannot_be_shown_is_refused(world: World, name: str) -> None:
    station = world.driver()
    good = LeaseRequest(LeaseAct.ASK, "bob")
    for number, request in enumerate((good, LeaseRequest(LeaseAct.ASK, name))):
        stamp = Stamp(99, number + 1, world.now, station._heard)
        put(world, "lease", seal("lease", lease_codec().encode(request, stamp)))
    assert world.host.status.refused == {Refusal.UNREADABLE: 1}
    assert world.host.status.applicant == Station(99, "bob")


def test_a_station_that_joins_drives_only_when_its_operator_says_so(world: World) -> None:
    bob = world.station("bob", asks=False)
    for _ in range(100):
        world.beat(bob)
    assert world.host.status.driver is None
    assert [offer.title for offer in bob.offer()] == ["Drive the robot"]
    world.beat(bob, request="switch:lease ask")
    world.until(lambda: bob.drives, bob)


def test_what_is_done_about_the_lease_is_said_again_until_the_host_has_heard_it(world: World) -> None:
    ann, bob = world.driver("ann"), world.station("bob")
    world.until(lambda: bob.status is not None, ann, bob)
    world.bus.lost.add("lease")
    world.beat(ann, bob, request="switch:lease ask")
    world.bus.lost.clear()
    world.until(lambda: bool(ann.offer()), ann, bob)
    world.beat(ann, bob)
    asked = world.bus.count("lease")
    for _ in range(50):
        world.beat(ann, bob)
    assert world.bus.count("lease") == asked, "the host has heard it"
    world.bus.lost.add("lease")
    world.beat(ann, request="switch:lease hand over")
    world.bus.lost.clear()
    world.until(lambda: bob.drives, ann, bob)
    asked = world.bus.count("lease")
    for _ in range(100):
        world.beat(ann, bob)
    assert world.bus.count("lease") == asked
    world.bus.lost.add("lease")
    world.beat(bob)
    world.beat(ann, request="switch:lease take over")
    for _ in range(256):
        world.beat(ann, bob)
    said = world.bus.count("lease") - asked
    assert 9 <= said <= 11, "for a second, ten times a second"
    world.bus.lost.clear()
    for _ in range(100):
        world.beat(ann, bob)
    assert bob.drives


def test_who_applies_and_leaves_applies_no_more(world: World) -> None:
    ann, bob = world.driver("ann"), world.station("bob")
    world.until(lambda: bob.status is not None, ann, bob)
    world.beat(ann, bob, request="switch:lease ask")
    world.until(lambda: bob._applies, ann, bob)
    bob.close()
    assert world.host.status.applicant is None


def test_a_resume_that_waited_for_a_cycle_for_too_long_is_dropped_and_a_stop_is_not(world: World) -> None:
    station = world.driver()
    world.beat(station, stop=Stop.HOLD)
    for _ in range(64):
        world.beat(station)
    world.beat(station, stop=Stop.RESUME)
    world.now += 1.01 * LATE_AFTER
    assert world.host.next_stop() == Stop.HOLD
    assert world.host.next_stop() is Stop.NONE
