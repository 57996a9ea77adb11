"""The real robot host in a process of its own, and an operator beside it who does what a script says."""

from __future__ import annotations

import contextlib
import math
import os
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pinocchio as pin

from handhold.app.errors import AppError
from handhold.app.link import LinkConfig, StationLink
from handhold.app.logs.reader import LogReader
from handhold.app.logs.recording import CycleRecord
from handhold.app.session.config import SessionConfig
from handhold.app.session.priority import STATION_NICENESS
from handhold.app.session.processes import HOST
from handhold.devices.operator_input import HandInput, OperatorInput
from handhold.devices.stop import Stop
from handhold.render.snapshot import Snapshot

MAX_WAIT = 300.0
"""Time after which what is waited for will not come any more [s]: a host's first start compiles for a minute."""

PERIOD = 1.0 / 90.0
"""Period of a headset's frames [s]."""

POLL = 0.002
"""How often something that is waited for is looked for [s]."""


class NeverHappened(AppError):
    """Something that an experiment waits for has not happened."""

    def __init__(self, what: str) -> None:
        self.what = what
        super().__init__(f"the experiment cannot go on: {what} did not happen within {MAX_WAIT:.0f} s")


def wait_for(what: str, condition: Callable[[], bool]) -> None:
    """Wait until something has happened.

    Raises:
        NeverHappened: It has not.
    """
    deadline = time.monotonic() + MAX_WAIT
    while not condition():
        if time.monotonic() > deadline:
            raise NeverHappened(what)
        time.sleep(POLL)


def swing_hand(elapsed: float, *, squeezed: bool) -> HandInput:
    """Return a right hand that goes back and forth along x by 0.2 m every 2 s, ``elapsed`` [s] after it began."""
    x = 0.4 + 0.1 * (1.0 - math.cos(math.pi * elapsed))
    pose = pin.SE3(np.eye(3), np.array([x, -0.3, 1.0]))
    return HandInput(pose=pose, aim=pose, squeeze=float(squeezed))


class RigOperator:
    """A station whose operator moves the right hand back and forth along x by 0.2 m every 2 s, 90 times a second.

    Attributes:
        squeezed: Whether the right hand is squeezed.
        snapshot: What was last seen of the robot, or None.
        stop_times: When each stop left the operator's hands, by the monotonic clock [s].
        resumes_asked: Resumes that the operator has asked for.
    """

    def __init__(self, config: LinkConfig, name: str = "rig") -> None:
        """Connect, and begin to send."""
        self.squeezed = False
        self.snapshot: Snapshot | None = None
        self.stop_times: list[float] = []
        self.resumes_asked = 0
        self._words: deque[Stop] = deque()
        self.link = StationLink(config, time.monotonic, name=name)
        self._device = f"{name} {time.monotonic():.6f}"
        self._sequence = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    @property
    def engaged(self) -> bool:
        """Whether the robot's right hand follows the operator."""
        return self.snapshot is not None and self.snapshot.right.engaged

    @property
    def stopped(self) -> Stop:
        """The stop that is latched, as in ``Snapshot``."""
        return Stop.NONE if self.snapshot is None else self.snapshot.stop

    @property
    def sent(self) -> int:
        """Samples sent so far."""
        return self._sequence

    @property
    def stops_asked(self) -> int:
        """Stops that the operator has asked for."""
        return len(self.stop_times)

    def ask_stop(self, word: Stop) -> None:
        """Ask for a stop or a resume in the next sample, and in no other."""
        asked = self._sequence
        self._words.append(word)
        wait_for("the operator's stop is sent", lambda: not self._words and self._sequence > asked + 1)

    def engage(self) -> None:
        """Release, squeeze, and wait until the robot's hand follows."""
        self.release()
        self.squeezed = True
        wait_for("the hand engages", lambda: self.engaged)

    def release(self) -> None:
        """Release the squeeze for as long as the robot needs to notice it."""
        self.squeezed = False
        wait_for("the station drives", lambda: self.link.drives)
        wait_for("the hand disengages", lambda: not self.engaged)
        self.wait_samples(9)

    def wait_samples(self, count: int) -> None:
        """Wait until so many further samples have been sent."""
        end = self._sequence + count
        wait_for("the operator's samples are sent", lambda: self._sequence >= end)

    def close(self) -> None:
        """Stop sending."""
        self._ended.set()
        self._thread.join()
        self.link.close()

    def _run(self) -> None:
        # as a station does; of this thread alone
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), STATION_NICENESS)
        start = time.monotonic()
        while not self._ended.wait(PERIOD):
            self.snapshot = self.link.newest_snapshot() or self.snapshot
            self._sequence += 1
            self.link.send(self._sample(time.monotonic() - start, self._next_word()))

    def _next_word(self) -> Stop:
        word = self._words.popleft() if self._words else Stop.NONE
        if word is Stop.HOLD:
            self.stop_times.append(time.monotonic())
        self.resumes_asked += word is Stop.RESUME
        return word

    def _sample(self, elapsed: float, stop: Stop) -> OperatorInput:
        right = swing_hand(elapsed, squeezed=self.squeezed)
        return OperatorInput(time=time.monotonic(), sequence=self._sequence, device=self._device, right=right, stop=stop)


@contextmanager
def operator_of(config: LinkConfig, name: str = "rig") -> Iterator[RigOperator]:
    """Let an operator drive while the block lasts."""
    with contextlib.closing(RigOperator(config, name)) as operator:
        yield operator


@contextmanager
def robot_host(config: SessionConfig) -> Iterator[subprocess.Popen[bytes]]:
    """Run the real robot host; its robot stands when the block begins, its log is closed when it ends.

    Raises:
        NeverHappened: It does not start, or does not stop.
    """
    process = HOST.start(config, stdout=subprocess.DEVNULL)
    try:
        with StationLink(config.link, time.monotonic, name="watcher") as watcher:
            wait_for("the robot stands", lambda: watcher.newest_snapshot() is not None or process.poll() is not None)
            yield process
        process.terminate()
        wait_for("the host stops", lambda: process.poll() is not None)
    finally:
        process.kill()
        process.wait()


def read_cycles(config: SessionConfig) -> list[CycleRecord]:
    """Return the cycles of the one log that a session has left."""
    (file,) = Path(config.log_folder).glob("*.mcap")
    return [entry for entry in LogReader(file).entries() if isinstance(entry, CycleRecord)]


def measure_displacement(records: list[CycleRecord]) -> float:
    """Return the largest distance of any effector's reference from where it was in the first of some cycles [m]."""
    if not records:
        return 0.0
    positions = np.array([record.reference.effector_poses[:, :3, 3] for record in records])
    return float(np.linalg.norm(positions - positions[0], axis=2).max())
