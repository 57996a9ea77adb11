"""Questions to the person at the robot, who is never waited for: the robot is held meanwhile."""

from __future__ import annotations

import os
import select
from collections.abc import Callable
from enum import StrEnum
from typing import Protocol


class Answer(StrEnum):
    """What somebody says to a step."""

    YES = "yes"
    SKIP = "skip"
    STOP = "stop"


class Operator(Protocol):
    """Whoever consents."""

    def ask(self, question: str) -> None:
        """Put a question."""
        ...

    def poll(self) -> Answer | None:
        """Return the answer to the last question; None as long as there is none."""
        ...


class Consenting:
    """Says yes to everything (see ``Operator``): ``--yes``."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say

    def ask(self, question: str) -> None:
        """Tell people what is not asked."""
        self._say(question)

    def poll(self) -> Answer | None:
        """Return yes."""
        return Answer.YES


class Terminal:
    """A person at a terminal (see ``Operator``); who closes it wants to stop."""

    def __init__(self, file: int, say: Callable[[str], None]) -> None:
        """Take the file that lines are read from, and what speaks to people."""
        self._file, self._say = file, say
        self._heard = ""

    def ask(self, question: str) -> None:
        """Put a question; what was typed before does not answer it."""
        while self._is_readable() and os.read(self._file, 1024):
            pass
        self._heard = ""
        self._say(f"{question} [{'/'.join(Answer)}]")

    def poll(self) -> Answer | None:
        """Return the answer, once a line has one."""
        if not self._is_readable():
            return None
        read = os.read(self._file, 1024)
        if not read:
            return Answer.STOP
        self._heard += read.decode("utf-8", "replace")
        *lines, self._heard = self._heard.split("\n")
        for line in lines:
            word = line.strip().lower()
            answer = next((each for each in Answer if word and each.startswith(word)), None)
            if answer is not None:
                return answer
            self._say(f"say {', '.join(Answer)}")
        return None

    def _is_readable(self) -> bool:
        return bool(select.select([self._file], [], [], 0.0)[0])
