"""The processes of a session: one table, and the supervisor that starts, watches and stops them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from handhold.app.session import SessionConfig

STOP_TIME = 10.0
"""What a process may take to stop before it is killed [s]; a host writes the end of its log."""

SHORT_LIFE = 5.0
"""A process that ends sooner than this [s] after its start would end so again."""

MAX_RESTARTS = 20

POLL_PERIOD = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessSpec:
    """A process of a session.

    Attributes:
        name: Its name, for messages.
        module: Module that is run as a program, with the session's configuration as its argument.
        wanted: Whether a session needs it.
        restarted: Whether it is started again when it dies; otherwise the session ends with it.
        environment: What it needs in its environment.
    """

    name: str
    module: str
    wanted: Callable[[SessionConfig], bool] = lambda _config: True
    restarted: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)


_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
"""Matrices this small are slower on more threads, and those take the core of the other processes."""

PROCESSES = (
    ProcessSpec(name="robot host", module="handhold.app.host", environment=_ONE_THREAD),
    ProcessSpec(name="station", module="handhold.app.station", restarted=True, environment=_ONE_THREAD),
)


@dataclass(slots=True)
class _Running:
    spec: ProcessSpec
    process: subprocess.Popen[bytes]
    started: float
    restarts: int = 0


class Supervisor:
    """Runs the processes of one session."""

    def __init__(
        self, config: SessionConfig, say: Callable[[str], None], processes: Sequence[ProcessSpec] = PROCESSES
    ) -> None:
        """Start nothing yet."""
        self._argument = msgspec.json.encode(config).decode()
        self._say = say
        self._specs = [spec for spec in processes if spec.wanted(config)]
        self._running: list[_Running] = []

    def run(self) -> int:
        """Start all processes and watch them until one ends that ends the session; then stop all and return its exit code.

        An interrupt (Ctrl-C) in between stops all of them too.
        """
        try:
            self._running = [_Running(spec, self._start(spec), time.monotonic()) for spec in self._specs]
            return self._watch()
        finally:
            self.stop()

    def stop(self) -> None:
        """Stop all processes, the last one first; one that does not listen is killed."""
        for running in reversed(self._running):
            _stop(running.process)

    def _start(self, spec: ProcessSpec) -> subprocess.Popen[bytes]:
        # a session of its own: Ctrl-C in the terminal is for the supervisor, which stops the others in order
        return subprocess.Popen(
            [sys.executable, "-W", "ignore::UserWarning", "-m", spec.module, self._argument],
            env={**os.environ, **spec.environment},
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )

    def _watch(self) -> int:
        while True:
            for running in self._running:
                code = running.process.poll()
                if code is not None and not self._revive(running, code):
                    return code if code >= 0 else 1
            time.sleep(POLL_PERIOD)

    def _revive(self, running: _Running, code: int) -> bool:
        lived = time.monotonic() - running.started
        if not running.spec.restarted or (code >= 0 and lived < SHORT_LIFE) or running.restarts >= MAX_RESTARTS:
            if code < 0:
                self._say(f"{running.spec.name}: ended by signal {-code}; the session ends")
            return False
        self._say(f"{running.spec.name}: ended ({code}); starting it again; the clutch is needed before anything moves")
        running.process = self._start(running.spec)
        running.started = time.monotonic()
        running.restarts += 1
        return True


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(STOP_TIME)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
