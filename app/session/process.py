"""What every process of a session does: read its configuration, stop on request, end with one line where it fails."""

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
from handhold.app.session.config import SessionConfig

PARENT_CHECK_PERIOD = 0.5
"""How often a process looks whether the one that started it is still there [s]."""


class Stop:
    """Says when a process has to stop: it is requested, its time is up, or whoever started it is gone."""

    def __init__(self, parent: int) -> None:
        self._requested = self._insisted = False
        self._running = False
        self._parent = parent
        self._next_check = 0.0

    @property
    def requested(self) -> bool:
        """Whether a stop was requested, or whoever started it is gone: not because its time is up."""
        return self._requested

    @property
    def insisted(self) -> bool:
        """Whether a stop was requested twice: what takes time before the end is left out."""
        return self._insisted

    def request(self) -> None:
        """Request the process to stop; one that is still starting, and has nothing to close, exits at once.

        Without an exception: it would be raised wherever the start is, and what calls back from compiled code makes other
        exceptions of it, or prints it.
        """
        self._insisted = self._requested
        self._requested = True
        if not self._running:
            os._exit(0)

    def defer(self) -> None:
        """Only note from here on that a stop is requested: there is something to close."""
        self._running = True

    def after(self, duration: float | None, clock: Callable[[], float]) -> Callable[[], bool]:
        """Return a function that says whether to stop now; ``duration`` [s] counts from here."""
        self.defer()
        end = float("inf") if duration is None else clock() + duration

        def must_stop() -> bool:
            now = clock()
            if now >= self._next_check:
                self._next_check = now + PARENT_CHECK_PERIOD
                self._requested = self._requested or os.getppid() != self._parent
            return self._requested or now >= end

        return must_stop


Body = Callable[[SessionConfig, Stop, Callable[[str], None]], None]


def run_process(body: Body) -> None:
    """Run a process of a session whose configuration comes as JSON on standard input; never returns.

    Not on the command line: the key of the session is in it, and everybody on the machine can read command lines.
    """
    from handhold.app.main import EXIT_CODES

    config = msgspec.json.decode(sys.stdin.buffer.read(), type=SessionConfig)
    stop = Stop(os.getppid())

    def request(_signal: int, _frame: FrameType | None) -> None:
        stop.request()

    signal.signal(signal.SIGTERM, request)
    # Ctrl-C reaches the whole terminal; only the process that started us answers it
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        body(config, stop, say)
    except tuple(EXIT_CODES) as error:
        print(f"handhold: {to_line(error)}", file=sys.stderr, flush=True)
        sys.exit(next(code for family, code in EXIT_CODES.items() if isinstance(error, family)))
    sys.exit(0)


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
