"""A host that freezes for a while in mid-reach: it wakes up holding, and moves only for a new clutch."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from handhold.app.lab.safety.rig import RigOperator, measure_displacement, operator_of, read_cycles, robot_host
from handhold.app.logs.recording import CycleRecord
from handhold.app.session.config import SessionConfig, find_free_port
from handhold.retarget.engagement.presence import LINK_LOST_AFTER

MIN_FREEZE, MAX_FREEZE = 0.1, 2.0
"""How long the host is frozen [s]."""

FREEZES_A_LOG = 10
"""A log of ten takes 0.3 GB."""

MAX_TRIES = 2
"""Freezes tried for each one that is asked for, at most."""

REST_DELAY = 0.5
"""How long after it woke the robot has come to rest [s]."""

SQUEEZED_ON = 80
"""Samples for which the operator, who has noticed nothing, squeezes on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrozenHostReport:
    """What became of the freezes.

    Attributes:
        freezes: Freezes that were found in the logs.
        engaged: Freezes after which a hand was engaged though its squeeze had not been released.
        moved: Largest displacement of a reference between rest and the next clutch [m].
        stopping: Largest displacement of a reference from waking up to rest [m].
    """

    freezes: int
    engaged: int
    moved: float
    stopping: float


def freeze_hosts(count: int, seed: int = 0) -> FrozenHostReport:
    """Freeze a real host in mid-reach so many times, each for 0.1 to 2 s.

    A freeze that finds no hand engaged, because the machine was too busy for the link a moment before, is none and repeated.
    """
    random = np.random.default_rng(seed)
    wakes: list[_Wake] = []
    tries = 0
    while len(wakes) < count and tries < MAX_TRIES * count:
        with tempfile.TemporaryDirectory(prefix="handhold-") as folder:
            config = SessionConfig(link_port=find_free_port(), log_folder=folder)
            with robot_host(config) as host, operator_of(config.link) as operator:
                for _ in range(min(FREEZES_A_LOG, count - len(wakes))):
                    _freeze(host.pid, operator, random)
                    tries += 1
            wakes += _find_wakes(read_cycles(config))
            for file in Path(folder).iterdir():
                file.unlink()
    return FrozenHostReport(
        freezes=len(wakes),
        engaged=sum(wake.engaged for wake in wakes),
        moved=max((wake.moved for wake in wakes), default=float("nan")),
        stopping=max((wake.stopping for wake in wakes), default=float("nan")),
    )


def _freeze(host: int, operator: RigOperator, random: np.random.Generator) -> None:
    operator.engage()
    operator.wait_samples(int(random.integers(20, 90)))
    os.kill(host, signal.SIGSTOP)
    time.sleep(random.uniform(MIN_FREEZE, MAX_FREEZE))
    os.kill(host, signal.SIGCONT)
    operator.wait_samples(SQUEEZED_ON)
    operator.release()


@dataclass(frozen=True, slots=True)
class _Wake:
    """What came of one freeze."""

    engaged: bool
    moved: float
    stopping: float


def _find_wakes(records: list[CycleRecord]) -> Iterator[_Wake]:
    """Judge each gap in the host's time while a hand was engaged, until the operator has released it."""
    times = np.array([record.host_time for record in records])
    for gap in np.flatnonzero(np.diff(times) >= LINK_LOST_AFTER):
        if not records[gap].engaged[1]:
            continue
        first = int(gap) + 1
        at_rest = int(np.searchsorted(times, times[first] + REST_DELAY))
        last = next(i for i in range(at_rest, len(records)) if records[i].sample.right.squeeze == 0.0)
        yield _Wake(
            engaged=any(any(record.engaged) for record in records[first:last]),
            moved=measure_displacement(records[at_rest:last]),
            stopping=measure_displacement(records[first:at_rest]),
        )
