"""What the host's loop does about its own time: a host that stood still has lost its operator, and says nothing stale."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sessions import HEADER
from small_cycle import SmallCycle, small_state

from handhold.app.host.cadence import Cadence
from handhold.app.host.command_rate import WINDOW
from handhold.app.host.driven_robot import DrivenRobot, OwnTimeRobot, SteppedRobot
from handhold.app.host.loop_clocks import LoopClocks, read_boot_clock
from handhold.app.host.program import RATE_TOO_LOW, ControlLoop
from handhold.app.link import Arrival
from handhold.app.logs.reader import Event, LogReader
from handhold.app.logs.recording import CycleRecord, Recorder
from handhold.devices.operator_input import OperatorInput
from handhold.devices.stop import Stop
from handhold.retarget.engagement.presence import LINK_LOST_AFTER
from handhold.robots.health import HealthLimits, RobotHealth
from handhold.robots.robot import MAX_PERIOD

WAITING = 100
"""Messages of the log that may wait for the thread that writes them."""

DT = 1e-3


class Clock:
    def __init__(self) -> None:
        self.now = 10.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, duration: float) -> None:
        self.now += duration


class FakeLink:
    """A link whose operator sends a fresh sample every cycle."""

    refused = 0
    newest_sighting = newest_proposal = None

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.stops: list[Stop] = []
        self.told: tuple[str, ...] = ()
        self.snapshots: list[Any] = []
        self.sequence = 0

    def newest_input(self) -> Arrival:
        self.sequence += 1
        return Arrival(OperatorInput(time=0.0, device="one", sequence=self.sequence), self.clock.now - 0.002)

    def next_stop(self) -> Stop:
        return self.stops.pop(0) if self.stops else Stop.NONE

    def describe(self) -> tuple[str, ...]:
        return self.told

    def send_snapshot(self, snapshot: Any) -> None:
        self.snapshots.append(snapshot)

    def send_pulse(self, pulse: Any) -> None:
        pass


class FakeRobot:
    """A robot that counts what reaches it."""

    is_truthful = True

    def __init__(self) -> None:
        self.model, self.world, self.period = SimpleNamespace(effectors=()), SimpleNamespace(solids=()), DT
        self.sent = self.advanced = 0

    def read(self) -> Any:
        return small_state(self.sent)

    def send(self, _command: Any) -> None:
        self.sent += 1

    def advance(self, _dt: float) -> None:
        self.advanced += 1


class RobotOfOwnTime(FakeRobot):
    """One that tells its state each period, whoever is late, and is well."""

    damped = returned = False
    is_given_up = True
    health_limits = HealthLimits(warm=75.0, hot=85.0, cooling=5.0, low=45.5, empty=42.9, charging=1.0)
    health = RobotHealth(hottest="left knee", temperature=40.0, voltage=50.0)

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self.clock = clock

    def wait(self) -> None:
        self.clock.now += DT

    def read(self) -> Any:
        return replace(small_state(self.sent), time=self.clock.now)


class Host:
    """A loop of real parts around a cycle that a test may hold up."""

    def __init__(self, folder: Path) -> None:
        self.clock = Clock()
        self.link, self.robot = FakeLink(self.clock), FakeRobot()
        self.cycle = SmallCycle(small_state(0))
        self.recorder = Recorder(folder, "session", HEADER, small_state(0))
        self.cycles = 0
        self.hold_up: dict[int, float] = {}
        self.freeze: dict[int, float] = {}
        self.sleep_at: dict[int, float] = {}
        self.slept = 0.0
        self.said: list[str] = []
        self.advance, self.cycle.advance = self.cycle.advance, self._advance  # type: ignore[method-assign]
        self.changes: dict[int, dict[str, Any]] = {}

    def _advance(self, *arguments: Any) -> Any:
        result = self.advance(*arguments)
        self.cycle.snapshot = replace(self.cycle.snapshot, **self.changes.get(self.cycles, {}))
        self.clock.now += self.hold_up.get(self.cycles, 0.0)
        self.cycles += 1
        self._let_log_be_written()
        return result

    def _let_log_be_written(self) -> None:
        """Wait for the thread that writes: this clock runs many times as fast as any disk was promised to be."""
        while self.recorder._queue.qsize() > WAITING:
            time.sleep(1e-3)

    def sleep(self, duration: float) -> None:
        self.clock.now += duration + self.freeze.get(self.cycles, 0.0)
        self.slept += self.sleep_at.pop(self.cycles, 0.0)

    def run(self, cycles: int, driven: Callable[[Any, LoopClocks], DrivenRobot] = SteppedRobot) -> list[CycleRecord]:
        clocks = LoopClocks(monotonic=self.clock, boot=lambda: self.clock.now + self.slept, sleep=self.sleep)
        loop = ControlLoop(
            driven(self.robot, clocks),
            self.cycle,
            self.link,
            self.recorder,
            Cadence(DT),
            clocks=clocks,
            say=self.said.append,
        )
        loop.run(lambda: self.cycles >= cycles)
        return [entry for entry in LogReader(self.recorder.file).entries() if isinstance(entry, CycleRecord)]


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)


def test_a_sample_is_as_old_as_its_link_says(host: Host) -> None:
    assert [record.age for record in host.run(20)] == pytest.approx([0.002] * 20)


def test_a_host_that_stood_still_has_lost_its_link_for_a_cycle_whatever_has_arrived(host: Host) -> None:
    host.freeze[7] = 0.6
    ages = [record.age for record in host.run(20)]
    assert ages[7] == pytest.approx(0.6, abs=2 * DT)
    assert ages[:7] + ages[8:] == pytest.approx([0.002] * 19)


def test_a_host_whose_machine_slept_has_lost_its_link_though_its_clock_slept_too(host: Host) -> None:
    host.sleep_at[7] = 30.0
    ages = [record.age for record in host.run(20)]
    assert ages[7] == pytest.approx(30.0, abs=2 * DT)
    assert ages[:7] + ages[8:] == pytest.approx([0.002] * 19)


def test_the_boot_clock_goes_on() -> None:
    assert read_boot_clock() >= time.monotonic() - 1.0
    assert read_boot_clock() <= read_boot_clock()


def test_a_host_that_was_only_a_little_late_goes_on(host: Host) -> None:
    host.freeze[7] = LINK_LOST_AFTER - 2 * DT
    assert max(record.age for record in host.run(20)) < 0.003


def test_a_command_that_a_host_has_sat_on_is_not_sent_and_the_next_cycle_holds(host: Host) -> None:
    host.hold_up[5] = LINK_LOST_AFTER
    ages = [record.age for record in host.run(20)]
    assert (host.robot.sent, host.robot.advanced) == (19, 19)
    assert ages[6] >= LINK_LOST_AFTER


def test_a_cycle_in_which_the_robot_told_nothing_is_as_long_as_it_really_was(host: Host) -> None:
    told = [0, 1, 2, 3, 4, 4, 5, 6, 7, 8, 9, 10, 10, 11, 12]
    host.robot.read = lambda: small_state(told[host.cycles])  # type: ignore[method-assign]
    host.freeze[5], host.freeze[12] = 3.0 * DT, 10.0 * MAX_PERIOD
    periods = [record.dt for record in host.run(len(told))]
    assert periods == pytest.approx([*[DT] * 5, 4.0 * DT, *[DT] * 6, MAX_PERIOD, *[DT] * 2])


def test_a_stop_is_told_to_one_cycle_in_the_order_in_which_it_came(host: Host) -> None:
    host.link.stops = [Stop.HOLD, Stop.RESUME, Stop.DAMP]
    stops = [record.sample.stop for record in host.run(8)]
    assert stops == [Stop.HOLD, Stop.RESUME, Stop.DAMP, *[Stop.NONE] * 5]


def test_what_the_link_says_reaches_the_operator_and_the_log(host: Host) -> None:
    host.link.told = ("the link is late",)
    host.link.refused = 3
    host.run(20)
    assert host.link.snapshots[-1].messages[-1] == "the link is late"
    assert host.link.snapshots[-1].counters.refused_messages == 3
    events = [str(entry) for entry in LogReader(host.recorder.file).entries() if "the link is late" in str(entry)]
    assert len(events) == 1


def test_a_machine_that_is_too_slow_is_told_the_operator_the_log_and_once_the_terminal(host: Host) -> None:
    for cycle in range(600):
        host.hold_up[cycle] = host.hold_up[cycle + 3000] = 0.02
    host.run(4000)
    slow = [any("of real time" in message for message in each.messages) for each in host.link.snapshots]
    assert slow[-1]
    assert sum(now != then for then, now in pairwise(slow)) == 3
    assert len(find_events(host, "of real time")) == 2
    (said,) = host.said
    assert "of real time" in said


def test_a_robot_that_is_commanded_too_rarely_holds_and_the_operator_and_the_log_are_told(host: Host) -> None:
    host.robot = RobotOfOwnTime(host.clock)
    rare, often = round(WINDOW / (3.0 * DT)), round(2.0 * WINDOW / DT)
    host.hold_up = dict.fromkeys(range(often, often + rare), 2.0 * DT)
    focused = [record.sample.focused for record in host.run(2 * often + rare, OwnTimeRobot)]
    assert all(focused[:often])
    assert not all(focused[often : often + rare])
    assert focused[-1]
    assert sum(now != then for then, now in pairwise(focused)) == 2
    assert any(RATE_TOO_LOW in snapshot.messages for snapshot in host.link.snapshots)
    assert RATE_TOO_LOW not in host.link.snapshots[-1].messages
    assert len(find_events(host, RATE_TOO_LOW)) == 1


def find_events(host: Host, words: str) -> list[float]:
    entries = LogReader(host.recorder.file).entries()
    return [entry.host_time for entry in entries if isinstance(entry, Event) and words in entry.text]


def test_a_stop_and_a_clutch_are_logged_in_their_cycle(host: Host) -> None:
    hand = host.cycle.snapshot.left
    host.changes = {5: {"stop": Stop.DAMP if host.cycle.snapshot.stop == Stop.HOLD else Stop.HOLD}, 9: {}}
    host.changes[9] = {"left": replace(hand, engaged=not hand.engaged)}
    host.run(14)
    assert find_events(host, "stop ") == pytest.approx([10.0 + 5 * DT], abs=1e-6)
    assert find_events(host, "left hand") == pytest.approx([10.0 + 9 * DT], abs=1e-6)


def test_what_changes_between_two_snapshots_is_logged_with_the_next_one_and_at_the_end(host: Host) -> None:
    counters = host.cycle.snapshot.counters
    host.changes = {5: {"counters": replace(counters, lost_link=counters.lost_link + 1)}}
    host.changes[24] = {"counters": replace(counters, lost_link=counters.lost_link + 2)}
    host.run(25)
    told = find_events(host, "lost_link")
    assert len(told) == 2
    assert 10.0 + 5 * DT < told[0] <= 10.0 + 18 * DT
    assert told[1] > 10.0 + 23.5 * DT
