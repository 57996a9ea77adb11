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

MOST_DEATHS = 3
"""A process that dies so often within ``DEATHS_TIME`` is not started again."""

DEATHS_TIME = 60.0
"""[s]"""

CRASH = 1
"""Exit code of a Python program that ends with a traceback; other codes say what is wrong and would do so again."""

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
    deaths: list[float] = field(default_factory=list)


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
            self._running = [_Running(spec, self._start(spec)) for spec in self._specs]
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
        """Start a process that has died again, where that may help; says whether it did."""
        now = time.monotonic()
        running.deaths = [*(death for death in running.deaths if death > now - DEATHS_TIME), now]
        died = code < 0 or code == CRASH
        if not (running.spec.restarted and died) or len(running.deaths) > MOST_DEATHS:
            if died:
                self._say(f"{running.spec.name}: died ({_describe(code)}); the session ends")
            return False
        self._say(f"{running.spec.name}: died ({_describe(code)}); starting it again; squeeze again before anything moves")
        running.process = self._start(running.spec)
        return True


def _describe(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(STOP_TIME)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
