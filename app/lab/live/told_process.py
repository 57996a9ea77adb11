"""A process of a live run, and what it says."""

from __future__ import annotations

import re
import subprocess
import threading
from collections.abc import Callable, Sequence

from handhold.app.errors import AppError


class LiveRunFailed(AppError):
    """A process of a live run ended, or did not say what was waited for.

    Attributes:
        process: Its name.
        lines: What it said last.
    """

    def __init__(self, process: str, awaited: str, lines: Sequence[str]) -> None:
        self.process, self.lines = process, tuple(lines)
        said = lines[-1] if lines else "nothing"
        super().__init__(f"{process}: waited in vain for '{awaited}'; it said last: {said}")


class ToldProcess:
    """A process whose lines are kept, each with the time at which it came.

    Attributes:
        name: What it is called.
        process: The process.
        lines: Its lines so far, with when they came [s].
    """

    def __init__(self, name: str, process: subprocess.Popen[bytes], clock: Callable[[], float]) -> None:
        """Listen to a process that was started with a pipe for its output.

        Args:
            name: What it is called, for messages.
            process: The process.
            clock: Monotonic clock [s].
        """
        self.name, self.process = name, process
        self.lines: list[tuple[float, str]] = []
        self._clock, self._ended, self._came = clock, False, threading.Condition()
        threading.Thread(target=self._listen, name=name, daemon=True).start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._came:
                self.lines.append((self._clock(), line.decode(errors="replace").rstrip()))
                self._came.notify_all()
        with self._came:
            self._ended = True
            self._came.notify_all()

    def find(self, pattern: str, since: float = 0.0) -> tuple[float, re.Match[str]] | None:
        """Return the first line from a time on [s] that matches, with when it came; None where there is none yet."""
        for time, line in list(self.lines):
            if time >= since and (found := re.search(pattern, line)):
                return time, found
        return None

    def find_all(self, pattern: str, since: float = 0.0) -> list[re.Match[str]]:
        """Return what matches in the lines from a time on [s]."""
        matches = (re.search(pattern, line) for time, line in list(self.lines) if time >= since)
        return [found for found in matches if found]

    def wait_for(self, pattern: str, timeout: float, since: float = 0.0) -> tuple[float, re.Match[str]]:
        """Wait for a line that matches, and return it with when it came [s].

        Raises:
            LiveRunFailed: The process ended without it, or did not say it in time.
        """
        end = self._clock() + timeout
        with self._came:
            while (found := self.find(pattern, since)) is None:
                if self._ended or not self._came.wait(max(0.0, end - self._clock())):
                    if (found := self.find(pattern, since)) is not None:
                        break
                    raise LiveRunFailed(self.name, pattern, [line for _, line in self.lines])
        return found

    def stop(self, patience: float = 10.0) -> None:
        """Ask it to stop, and kill it where it does not."""
        if self.process.poll() is None:
            self.process.terminate()
        try:
            self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
