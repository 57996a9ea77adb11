"""What every process of a session does: read its configuration, stop when told to, end with one line where it fails."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

import msgspec

from handhold.app.errors import to_line
from handhold.app.session import SessionConfig

PARENT_CHECK_PERIOD = 0.5
"""How often a process looks whether the one that started it is still there [s]."""


class Stop:
    """Says when a process has to stop: it is told to, its time is up, or whoever started it is gone."""

    def __init__(self, parent: int) -> None:
        self._told = False
        self._running = False
        self._parent = parent
        self._next_check = 0.0

    @property
    def told(self) -> bool:
        """Whether it was told to, or whoever started it is gone: not because its time is up."""
        return self._told

    def tell(self) -> None:
        """Tell the process to stop; one that is still starting leaves at once.

        Raises:
            SystemExit: The process is still starting.
        """
        self._told = True
        if not self._running:
            raise SystemExit(0)

    def after(self, duration: float | None, clock: Callable[[], float]) -> Callable[[], bool]:
        """Return a function that says whether to stop now; ``duration`` [s] counts from here."""
        self._running = True
        end = float("inf") if duration is None else clock() + duration

        def must_stop() -> bool:
            now = clock()
            if now >= self._next_check:
                self._next_check = now + PARENT_CHECK_PERIOD
                self._told = self._told or os.getppid() != self._parent
            return self._told or now >= end

        return must_stop


Body = Callable[[SessionConfig, Stop, Callable[[str], None]], None]


def run_process(body: Body) -> None:
    """Run a process of a session whose configuration comes as JSON on standard input; never returns.

    Not on the command line: the key of the session is in it, and everybody on the machine can read command lines.
    """
    from handhold.app.main import EXIT_CODES

    config = msgspec.json.decode(sys.stdin.buffer.read(), type=SessionConfig)
    stop = Stop(os.getppid())

    def tell(_signal: int, _frame: FrameType | None) -> None:
        stop.tell()

    signal.signal(signal.SIGTERM, tell)
    # Ctrl-C reaches the whole terminal; only the process that started us answers it
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.unraisablehook = _quiet_when_told(stop, sys.unraisablehook)
    try:
        body(config, stop, say)
    except tuple(EXIT_CODES) as error:
        print(f"handhold: {to_line(error)}", file=sys.stderr, flush=True)
        sys.exit(next(code for family, code in EXIT_CODES.items() if isinstance(error, family)))
    except ImportError:
        # a compiled module that is told to stop while it is loading makes an ImportError of the SystemExit
        if not stop.told:
            raise
    sys.exit(0)


def _quiet_when_told(
    stop: Stop, show: Callable[[sys.UnraisableHookArgs], object]
) -> Callable[[sys.UnraisableHookArgs], object]:
    """Return ``show`` without the SystemExit of a stop that came inside a finaliser: the stop itself is kept."""

    def show_others(problem: sys.UnraisableHookArgs) -> object:
        is_stop = stop.told and issubclass(problem.exc_type, SystemExit)
        return None if is_stop else show(problem)

    return show_others


def say(line: str) -> None:
    """Tell people how far things are."""
    print(line, flush=True)


def start_process(words: Sequence[str], config: SessionConfig, **options: Any) -> subprocess.Popen[bytes]:
    """Start a process of a session and hand it its configuration by a pipe.

    Args:
        words: The command.
        config: The session.
        options: What else ``subprocess.Popen`` takes.
    """
    process = subprocess.Popen(words, stdin=subprocess.PIPE, **options)
    assert process.stdin is not None
    # a process that has died already says why by its exit code
    with contextlib.suppress(BrokenPipeError), process.stdin as pipe:
        pipe.write(msgspec.json.encode(config))
    return process
