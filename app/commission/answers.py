"""Who answers the questions of the check list; the robot is held while nobody has answered yet."""

from __future__ import annotations

import os
import select
from collections.abc import Callable
from typing import Protocol


class Operator(Protocol):
    """Whoever answers."""

    def ask(self, question: str) -> None:
        """Put a question."""
        ...

    def poll(self) -> bool | None:
        """Return whether the last question was answered with yes; None as long as it was not answered."""
        ...


class Consenting:
    """Says yes to everything (see ``Operator``): ``--yes``."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say

    def ask(self, question: str) -> None:
        """Tell people what is not asked."""
        self._say(f"{question} yes")

    def poll(self) -> bool | None:
        """Return yes."""
        return True


class Terminal:
    """A person at a terminal (see ``Operator``); who closes it says no."""

    def __init__(self, file: int, say: Callable[[str], None]) -> None:
        """Take the file that lines are read from, and what speaks to people."""
        self._file, self._say = file, say
        self._heard = ""

    def ask(self, question: str) -> None:
        """Put a question; what was typed before does not answer it."""
        while self._is_readable() and os.read(self._file, 1024):
            pass
        self._heard = ""
        self._say(f"{question} [yes/no]")

    def poll(self) -> bool | None:
        """Return whether the answer is yes, once a line has one."""
        if not self._is_readable():
            return None
        read = os.read(self._file, 1024)
        if not read:
            return False
        self._heard += read.decode("utf-8", "replace")
        *lines, self._heard = self._heard.split("\n")
        for word in (line.strip().lower() for line in lines):
            if word in ("y", "yes", "n", "no"):
                return word.startswith("y")
            self._say("say yes or no")
        return None

    def _is_readable(self) -> bool:
        return bool(select.select([self._file], [], [], 0.0)[0])
