"""Kills hosts while they record and measures what their logs have lost.

The loss of a log is the host's time at the kill minus the host's time of the last cycle that can be read from it.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from handhold.app.errors import AppError
from handhold.app.lab.safety.recorded_host import TIMES
from handhold.app.logs.reader import LogError, LogReader
from handhold.app.logs.recording import CycleRecord

SPANS = (0.1, 1.0, 3.0, 3.0)
"""A kill falls evenly into one of these times after the first cycle, each as often as the others [s]."""

START_SPAN = 0.05
"""One kill in five falls evenly into this time after the host began to make its log [s]: cycles may have begun or not."""

BUSY_BYTES = 1 << 26
"""Size of the files that keep the disk busy."""


class LogBroken(AppError):
    """A killed log cannot be read as far as it should."""


@dataclass(frozen=True, slots=True)
class KilledLogs:
    """What killed logs have lost.

    Attributes:
        losses: Loss of each log, in the order of the kills [s].
        moments: When each was killed, after its first cycle [s].
        before_first: How many more were killed before their first cycle: they had none to lose.
    """

    losses: tuple[float, ...]
    moments: tuple[float, ...]
    before_first: int

    @property
    def worst(self) -> float:
        """The largest loss [s]."""
        return max(self.losses)


def kill_logs(count: int, seed: int, folder: Path, *, busy_disk: bool) -> KilledLogs:
    """Kill processes that record Talos at 1 kHz, at random moments, and read what they have left.

    Args:
        count: How many are killed that have begun a cycle.
        seed: Seed of the moments.
        folder: Folder for the logs, on the disk to be tried; each log is removed once it is read.
        busy_disk: Whether another process writes and syncs big files in the same folder all the time.

    Raises:
        LogBroken: A log misses cycles in between, or has some where none had begun, or a host did not come up.
    """
    draw = random.Random(seed)
    losses: list[float] = []
    moments: list[float] = []
    before_first = 0
    with _busy_disk(folder, busy_disk), RecordedHosts(folder) as hosts:
        while len(losses) < count:
            number = len(losses) + before_first
            name, at_start = f"killed-{number}", number % 5 == 4
            moment = draw.uniform(0.0, START_SPAN if at_start else draw.choice(SPANS))
            first, last = hosts.kill_one(name, moment, at_start=at_start)
            log = folder / f"{name}.mcap"
            if last == 0.0:
                before_first += 1
                read_without_cycles(log)
            else:
                losses.append(measure_loss(log, first, last))
                moments.append(last - first)
            for part in (log, *folder.glob(f"{name}.*.mcap")):
                part.unlink(missing_ok=True)
    return KilledLogs(tuple(losses), tuple(moments), before_first)


def read_without_cycles(log: Path) -> None:
    """Read a log whose host was killed before its first cycle: what there is of it, if anything, says that it was cut off.

    Raises:
        LogBroken: It has a cycle, or says that it is whole.
    """
    try:
        for entry in LogReader(log).entries():
            if isinstance(entry, CycleRecord):
                raise LogBroken(f"{log}: cycle {entry.cycle} of a host that had not begun any")
    except LogError:  # there is none yet, or it was cut off, within its head or after it
        return
    raise LogBroken(f"{log}: a log that was cut off says that it is whole")


def measure_loss(log: Path, first: float, killed: float) -> float:
    """Read a killed log and return what it has lost [s].

    Args:
        log: The log.
        first: Host time of its first cycle [s].
        killed: Host time at the kill [s].

    Raises:
        LogBroken: It misses cycles in between.
    """
    count, last = 0, None
    try:  # one that was cut off within its head has lost all there was
        for entry in LogReader(log).entries():
            if not isinstance(entry, CycleRecord):
                continue
            if entry.cycle != count:
                raise LogBroken(f"{log}: cycle {entry.cycle} follows cycle {count - 1}")
            count, last = count + 1, entry.host_time
    except LogError:
        pass
    return killed - (first if last is None else last)


class RecordedHosts:
    """The process that forks hosts to be killed (``handhold.app.lab.safety.recorded_host``)."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._host: int | None = None
        self._process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "handhold.app.lab.safety.recorded_host", str(folder)],
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def __enter__(self) -> RecordedHosts:
        if self._read() != "ready":
            raise LogBroken("the hosts to be killed did not come up")
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        if self._host is not None:
            os.kill(self._host, signal.SIGKILL)
        self._process.kill()
        self._process.communicate()

    def kill_one(self, name: str, moment: float, *, at_start: bool = False) -> tuple[float, float]:
        """Start a host, kill it and return the host times of its first and of its last cycle [s], 0 where none had begun.

        Args:
            name: Name of its log.
            moment: When it is killed, after its first cycle [s].
            at_start: Count the moment from when it begins to make its log.
        """
        times = self._folder / f"{name}.times"
        times.write_bytes(bytes(TIMES.size))
        self._host = process = int(self._ask(f"{name}\n"))
        while not at_start and TIMES.unpack(times.read_bytes())[1] == 0.0:
            time.sleep(1e-3)
        time.sleep(moment)
        os.kill(process, signal.SIGKILL)
        self._ask("\n")
        self._host = None
        first, last = TIMES.unpack(times.read_bytes())
        times.unlink()
        return first, last

    def _ask(self, words: str) -> str:
        assert self._process.stdin is not None
        self._process.stdin.write(words)
        self._process.stdin.flush()
        return self._read()

    def _read(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


@contextmanager
def _busy_disk(folder: Path, busy: bool) -> Iterator[None]:
    if not busy:
        yield
        return
    process = subprocess.Popen([sys.executable, "-c", _BUSY, str(folder), str(BUSY_BYTES)])
    try:
        yield
    finally:
        process.kill()
        process.wait()
        for file in folder.glob("busy-*.bin"):
            file.unlink()


_BUSY = """
import itertools, os, sys
block = os.urandom(1 << 20)
for number in itertools.count():
    with open(f"{sys.argv[1]}/busy-{number % 4}.bin", "wb") as file:
        for _ in range(int(sys.argv[2]) // len(block)):
            file.write(block)
        file.flush()
        os.fsync(file.fileno())
"""
