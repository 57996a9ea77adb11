"""The processes of a session: one table, and the supervisor that starts, watches and stops them."""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import FrameType
from typing import Any

import msgspec

from handhold.app.logs.store import STAMP
from handhold.app.session.config import (
    AUTO,
    NO_CAMERA,
    PERFECT,
    SIMULATED,
    SIMULATED_BODY,
    UNITREE,
    SessionConfig,
    has_camera,
    knows_surfaces,
)
from handhold.app.session.lost_host import describe_lost_host
from handhold.app.session.process import start_process
from handhold.app.session.session_choice import CHOSEN, SessionChoice, receive_choice
from handhold.robots.description import load_description

STOP_TIME = 10.0
"""What a process may take to stop before it is killed [s]; a host writes the end of its log."""

HANDING_BACK = 35.0
"""What it takes besides to hand a maker's robot back [s]: it is held until its maker's controller has it."""

PROVEN_AFTER = 60.0
"""A process that lived so long [s] once is started again whatever it dies of: a robot that stands must not lose its host.

Long enough for a first start to have loaded everything: a headset that is not there is found only then, and ends the session.
"""

MAX_DEATHS = 3
"""A process that never lived that long and dies so often ends the session: it cannot be started here."""

MAX_PAUSE = 30.0
"""The pause before a process is started again doubles with each death in a row, from none to this [s]."""

CRASH = 1
"""Exit code of a Python program that ends with a traceback; other codes say what is wrong and would do so again."""

SESSION_FAILED = 8
"""Exit code of a session that a process has ended by dying: that of the application's own errors."""

IN_ORDER = (0, CHOSEN, -signal.SIGTERM)
"""How a process ends that was asked to: one that has hardly begun is ended by the signal itself."""

POLL_PERIOD = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessSpec:
    """A process of a session.

    Attributes:
        name: Its name, for messages.
        module: Module that is run as a program, with the session's configuration on its standard input.
        needed: Whether a session needs it.
        restarted: Whether it is started again when it dies; otherwise the session ends with it. A station must never take the
            robot's host along.
        environment: What it needs in its environment.
        describe_loss: Says what it was doing when it died, given the session and when it was started (``STAMP``).
        chooses: Whether its operator may choose another session.
        find_stop_time: What it may take to stop before it is killed [s].
    """

    name: str
    module: str
    needed: Callable[[SessionConfig], bool] = lambda _config: True
    restarted: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)
    describe_loss: Callable[[SessionConfig, str], Sequence[str]] = lambda _config, _since: ()
    chooses: bool = False
    find_stop_time: Callable[[SessionConfig], float] = lambda _config: STOP_TIME

    def start(self, config: SessionConfig, **options: Any) -> subprocess.Popen[bytes]:
        """Start it for a session, with options of ``subprocess.Popen``.

        Away from the terminal: Ctrl-C there is for who started it, and stops it in order.
        """
        words = (sys.executable, "-W", "ignore::UserWarning", "-m", self.module)
        return start_process(words, config, env={**os.environ, **self.environment}, start_new_session=True, **options)


_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
"""Matrices this small are slower on more threads, and those take the core of the other processes."""

GUARD = ProcessSpec(
    name="guard", module="handhold.app.guard.program", needed=lambda config: config.body == UNITREE, environment=_ONE_THREAD
)
HOST = ProcessSpec(
    name="robot host",
    module="handhold.app.host.program",
    environment=_ONE_THREAD,
    describe_loss=describe_lost_host,
    find_stop_time=lambda config: STOP_TIME + (0.0 if config.body == SIMULATED_BODY else HANDING_BACK),
)
STATION = ProcessSpec(name="station", module="handhold.app.station.program", restarted=True, environment=_ONE_THREAD)
CAMERA = ProcessSpec(
    name="camera", module="handhold.app.camera.program", needed=has_camera, restarted=True, environment=_ONE_THREAD
)
PROPOSALS = ProcessSpec(
    name="proposals", module="handhold.app.proposals.program", needed=knows_surfaces, restarted=True, environment=_ONE_THREAD
)
PROCESSES = (GUARD, HOST, dataclasses.replace(STATION, chooses=True), CAMERA, PROPOSALS)


def supervise(
    config: SessionConfig,
    say: Callable[[str], None],
    processes: Sequence[ProcessSpec] = PROCESSES,
    publish: Callable[[SessionConfig], AbstractContextManager[object]] = lambda _config: nullcontext(),
) -> int:
    """Run the processes of a session until one ends it, or Ctrl-C or a SIGTERM does; returns the exit code.

    It is not 0 where one of them failed, though it was asked to stop. Where the operator chooses another robot or world, that
    session follows.

    Args:
        config: The session.
        say: Tells people how far things are.
        processes: What it is made of.
        publish: Makes a session known while it runs.
    """
    signal.signal(signal.SIGTERM, _interrupt)
    # who starts a session with nohup wants it to outlive the terminal
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, _interrupt)
    while True:
        supervisor = None
        try:
            settled = settle_camera(config)
            supervisor = Supervisor(settled, say, processes)
            with publish(settled):
                code = supervisor.run()
        except KeyboardInterrupt:
            say("stopped")
            return 0 if supervisor is None else supervisor.failure
        if supervisor.chosen is None:
            return code
        config = supervisor.chosen.apply(config)
        say(f"another session, chosen on the page: {config.robot} in '{config.world}'")


def settle_camera(config: SessionConfig) -> SessionConfig:
    """Return a session with the cameras that its robot has, where it says ``auto``.

    Raises:
        DescriptionError: The robot's description cannot be had.
    """
    if config.camera != AUTO:
        return config
    if config.body != SIMULATED_BODY:
        # What a simulation shows is not what is about a robot that stands somewhere.
        return msgspec.structs.replace(config, camera=NO_CAMERA)
    return msgspec.structs.replace(config, camera=SIMULATED if load_description(config.robot).cameras else PERFECT)


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


@dataclass(slots=True)
class _Running:
    spec: ProcessSpec
    process: subprocess.Popen[bytes]
    started: float
    deaths: int = 0
    proven: bool = False
    start_at: float | None = None
    is_told: bool = False


class Supervisor:
    """Runs the processes of one session."""

    def __init__(
        self, config: SessionConfig, say: Callable[[str], None], processes: Sequence[ProcessSpec] = PROCESSES
    ) -> None:
        """Start nothing yet."""
        self._config = config
        self._say = say
        self._specs = [spec for spec in processes if spec.needed(config)]
        self._running: list[_Running] = []
        self._pipe: tuple[int, ...] = ()
        self.chosen: SessionChoice | None = None
        """The session that the operator has chosen to follow, once this one has ended."""
        self.failure = 0
        """Exit code that the first process to fail while it was stopped gives the session; 0 where all ended in order."""

    def run(self) -> int:
        """Start all processes and watch them until one ends that ends the session; then stop all and return its exit code.

        A process that died, of whatever, gives ``SESSION_FAILED``, and so does one that fails while it is stopped, where what
        ended the session did not.

        An interrupt (Ctrl-C) in between stops all of them too; ``failure`` then says how they ended.
        """
        try:
            self._started = f"{datetime.now(UTC):{STAMP}}"
            self._pipe = os.pipe()
            # A station that ends with nothing said must not be waited for: this side holds the pipe open itself.
            os.set_blocking(self._pipe[0], False)
            self._running = [_Running(spec, self._start(spec, self._config), time.monotonic()) for spec in self._specs]
            code = self._watch()
            if code == CHOSEN:
                self.chosen = receive_choice(self._pipe[0])
        finally:
            self.stop()
            for end in self._pipe:
                os.close(end)
            self._pipe = ()
        return code or self.failure

    def stop(self) -> None:
        """Stop all processes, the last one first; one that does not listen is killed."""
        for running in reversed(self._running):
            try:
                in_time = _stop(running.process, running.spec.find_stop_time(self._config))
            except KeyboardInterrupt:
                # Asked twice, a host leaves out the wait for whoever takes its robot.
                in_time = _stop(running.process, STOP_TIME)
            if in_time and running.start_at is None and not running.is_told:
                self._note_end(running.spec.name, running.process.returncode)

    def _note_end(self, name: str, code: int) -> None:
        """Keep how the first process failed that nobody has been told of."""
        if code in IN_ORDER:
            return
        if _has_died(code):
            self._say(f"{name}: died ({_describe(code)}) while it was stopped")
        self.failure = self.failure or (SESSION_FAILED if _has_died(code) else code)

    def _start(self, spec: ProcessSpec, config: SessionConfig) -> subprocess.Popen[bytes]:
        # A maker's robot is what it is: another one is not chosen on a page.
        passed_fds = self._pipe[1:] if spec.chooses and config.body == SIMULATED_BODY else ()
        config = msgspec.structs.replace(config, choice_pipe=passed_fds[0] if passed_fds else None)
        return spec.start(config, pass_fds=passed_fds)

    def _watch(self) -> int:
        while True:
            for running in self._running:
                now = time.monotonic()
                if running.start_at is not None:
                    self._start_again(running, now)
                    continue
                code = running.process.poll()
                if code is not None and not self._plan_again(running, code, now):
                    running.is_told = True
                    return SESSION_FAILED if _has_died(code) else code
            time.sleep(POLL_PERIOD)

    def _plan_again(self, running: _Running, code: int, now: float) -> bool:
        """Decide when to start a process that has died again; says whether it is."""
        # the operator has ended it from his headset, as by Ctrl-C from the terminal, or chosen another session
        if code == 0 or (running.spec.chooses and code == CHOSEN):
            return False
        name, died = running.spec.name, _has_died(code)
        lived = now - running.started >= PROVEN_AFTER
        running.proven = running.proven or lived
        running.deaths = 1 if lived else running.deaths + 1
        hopeless = not running.proven and (not died or running.deaths > MAX_DEATHS)
        if not running.spec.restarted or hopeless:
            if died:
                self._say(f"{name}: died ({_describe(code)}); the session ends")
            for line in running.spec.describe_loss(self._config, self._started):
                self._say(f"{name}: {line}")
            return False
        pause = 0.0 if running.deaths == 1 else min(MAX_PAUSE, 2.0 ** (running.deaths - 2))
        when = f"in {pause:.0f} s" if pause else "again"
        self._say(f"{name}: died ({_describe(code)}); starting it {when}; squeeze again before anything moves")
        running.start_at = now + pause
        return True

    def _start_again(self, running: _Running, now: float) -> None:
        if running.start_at is not None and now >= running.start_at:
            # whoever took the robot over did so once: a station that is started again takes nothing
            config = msgspec.structs.replace(self._config, take_over=False)
            running.process, running.started, running.start_at = self._start(running.spec, config), now, None


def _has_died(code: int) -> bool:
    return code < 0 or code == CRASH


def _describe(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def _stop(process: subprocess.Popen[bytes], patience: float) -> bool:
    """Stop a process; says whether it ended by itself, rather than being killed."""
    if process.poll() is not None:
        return True
    process.terminate()
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        _kill(process)
        return False
    return True


def _kill(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
