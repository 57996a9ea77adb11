"""A station that dies, freezes or is cut off by a late network in mid-reach: the robot holds in time, until the clutch.

The real robot host, control cycle, link and log; the station is a process with a scripted operator. What is judged is what
the host recorded, by the host's own clock.
"""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest
from hosts import Watcher, host, log_of
from stations import station, wait_until

from handhold.app.lab.figures import Figure, Outcome
from handhold.app.lab.safety.delay_relay import Network, late_network
from handhold.app.logs.reader import LogReader
from handhold.app.logs.recording import CycleRecord
from handhold.app.session.commit import current_commit
from handhold.app.session.config import SessionConfig, find_free_port

pytestmark = pytest.mark.alone

HOLD_TIME = 0.100
"""Time from the last message's arrival to the command with which the robot holds [s]."""

MOVED_AFTER_HOLD = 0.005
"""What the reference of a hand may still move once the robot holds [m]: it comes to rest from the last 0.1 m/s."""

MOVED_BEFORE_CLUTCH = 0.001
"""What the reference of a hand may move before the operator has clutched again [m]."""

MAX_SQUEEZE = 0.5
"""How long a new station is squeezed from its first sample on, as an operator would who has noticed nothing [s]."""

SQUEEZED_AGAIN = MAX_SQUEEZE + 0.3
"""When it is squeezed again [s]."""

AT_REST = 1.0
"""How long after an accident the robot has come to rest [s]."""

LATENESS = (0.06, 0.9)
"""What a network may be late by [s]: what it holds back has come by the time that the robot is at rest."""

ACCIDENTS_A_LOG = 10
"""A log of ten accidents takes 0.2 GB."""


@dataclass(slots=True)
class Losses:
    """What came of the accidents, one number each: times [s], ways [m]."""

    hold_times: list[float] = field(default_factory=list)
    moved_after_hold: list[float] = field(default_factory=list)
    moved_before_clutch: list[float] = field(default_factory=list)


@pytest.fixture(scope="module")
def all_losses() -> dict[str, Losses]:
    """What came of the accidents so far, by their kind."""
    return {}


@pytest.fixture
def seeded() -> np.random.Generator:
    """Random numbers of moments to kill."""
    return np.random.default_rng(20230601)


@dataclass(slots=True, kw_only=True)
class Stage:
    """What an accident may happen to."""

    process: subprocess.Popen[str]
    network: Network
    watcher: Watcher
    random: np.random.Generator


def kill(stage: Stage) -> None:
    stage.process.kill()
    stage.watcher.wait_for(AT_REST)


def freeze(stage: Stage) -> None:
    """Freeze a station, and let it go on squeezing for a while once the robot is at rest."""
    stage.process.send_signal(signal.SIGSTOP)
    stage.watcher.wait_for(AT_REST)
    stage.process.send_signal(signal.SIGCONT)
    stage.watcher.wait_for_samples(MAX_SQUEEZE)
    assert not stage.watcher.engaged


def late(stage: Stage) -> None:
    """Let the network be late by one time from now on, and in time again once the robot is at rest."""
    stage.network.delay(stage.random.uniform(*LATENESS), 0.0)
    stage.watcher.wait_for(AT_REST)
    stage.network.delay(0.0, 0.0)
    stage.watcher.wait_for_samples(MAX_SQUEEZE)
    assert not stage.watcher.engaged


@pytest.mark.timeout(7200)
@pytest.mark.usefixtures("busy")
@pytest.mark.parametrize("accident", [kill, freeze, late])
def test_the_robot_holds_in_time_and_needs_the_clutch(
    accident: Callable[[Stage], None],
    repeats: int,
    seeded: np.random.Generator,
    tmp_path: Path,
    all_losses: dict[str, Losses],
    report_outcome: Callable[[Outcome], None],
    pytestconfig: pytest.Config,
) -> None:
    start = time.monotonic()
    losses = all_losses[accident.__name__] = Losses()
    for first in range(0, repeats, ACCIDENTS_A_LOG):
        count = min(ACCIDENTS_A_LOG, repeats - first)
        config = SessionConfig(link_port=find_free_port(), log_folder=str(tmp_path / str(first)))
        have_accidents(config, accident, count, seeded)
        judge(log_of(config), count, losses)
        log_of(config).unlink()
    outcome = describe(all_losses, repeats, time.monotonic() - start, loaded=bool(pytestconfig.getoption("--busy")))
    report_outcome(outcome)
    print(outcome.to_json())
    assert all(figure.holds for figure in outcome.figures), outcome.to_json()


def have_accidents(config: SessionConfig, accident: Callable[[Stage], None], count: int, random: np.random.Generator) -> None:
    """Let a station reach and have its accident, again and again, on one robot."""
    port = find_free_port()
    with host(config) as watcher, late_network(port, config.link_port) as network:
        link = replace(config.link, port=port) if accident is late else config.link
        for number in range(count):
            with station(link, f"scripted/{number}", MAX_SQUEEZE, SQUEEZED_AGAIN) as process:
                assert wait_until(lambda: watcher.engaged)
                watcher.wait_for(random.uniform(0.3, 1.3))
                accident(Stage(process=process, network=network, watcher=watcher, random=random))


def judge(file: Path, count: int, losses: Losses) -> None:
    """Find the accidents of a log and measure each."""
    records = [entry for entry in LogReader(file).entries() if isinstance(entry, CycleRecord)]
    reaches = list(find_reaches(records))
    assert len(reaches) == count, "each station has reached once, after it has let go and squeezed again"
    for (_, end), (following, _) in zip(reaches, [*reaches[1:], (len(records), 0)], strict=True):
        losses.hold_times.append(measure_hold_time(records, end))
        rest = find_rest(records, end)
        losses.moved_after_hold.append(measure_way(records[end:rest]))
        losses.moved_before_clutch.append(measure_way(records[rest:following]))


def find_reaches(records: list[CycleRecord]) -> Iterator[tuple[int, int]]:
    """Return the first cycle of each stretch in which the hand is engaged, and the first behind it."""
    engaged = np.array([False, *(record.engaged[1] for record in records), False])
    changes = np.flatnonzero(engaged[1:] != engaged[:-1])
    yield from zip(changes[::2].tolist(), changes[1::2].tolist(), strict=True)


def measure_hold_time(records: list[CycleRecord], end: int) -> float:
    """Return the time [s] from the last message's arrival until the first holding cycle has sent its command."""
    last, holding = records[end - 1], records[end]
    assert last.sample is holding.sample, "the hand was let go because of a message, not because of their absence"
    return holding.host_time + holding.cpu_time - (last.host_time - last.age)


def find_rest(records: list[CycleRecord], end: int) -> int:
    """Return the first cycle by which the robot has to be at rest."""
    until = records[end].host_time + 0.5 * AT_REST
    return next(index for index in range(end, len(records)) if records[index].host_time >= until)


def measure_way(records: list[CycleRecord]) -> float:
    """Return the largest distance [m] of any effector's reference from where it was first."""
    positions = np.array([record.reference.effector_poses[:, :3, 3] for record in records])
    return float(np.linalg.norm(positions - positions[0], axis=2).max())


def describe(all_losses: dict[str, Losses], repeats: int, duration: float, *, loaded: bool) -> Outcome:
    figures = [Figure("repeats", repeats, "-", larger_is_better=True)]
    for kind, losses in all_losses.items():
        times = 1e3 * np.array(losses.hold_times)
        figures += [
            Figure(f"{kind}_hold_time_max", float(times.max()), "ms", must=1e3 * HOLD_TIME),
            Figure(f"{kind}_hold_time_median", float(np.median(times)), "ms"),
            Figure(f"{kind}_moved_after_hold", max(losses.moved_after_hold), "m", must=MOVED_AFTER_HOLD),
            Figure(f"{kind}_moved_before_clutch", max(losses.moved_before_clutch), "m", must=MOVED_BEFORE_CLUTCH),
        ]
    times = [1e3 * time for losses in all_losses.values() for time in losses.hold_times]
    figures.append(Figure("hold_time_loaded" if loaded else "hold_time", max(times), "ms", must=1e3 * HOLD_TIME))
    return Outcome(
        name="station-loss",
        robot="talos",
        engine="mujoco",
        seed=20230601,
        commit=current_commit(),
        duration_s=duration,
        fell=False,
        figures=figures,
    )
