"""Messages to the operator that last for a while, and names as people say them."""

from __future__ import annotations

MESSAGE_DURATION = 4.0
"""Time for which a message is shown [s]."""


class TimedMessages:
    """Messages that were published in the last ``MESSAGE_DURATION``; the same one again lasts longer."""

    def __init__(self) -> None:
        """Begin without any."""
        self._time = 0.0
        self._ends: dict[str, float] = {}

    @property
    def texts(self) -> tuple[str, ...]:
        """All that are shown now, in the order in which they were published first."""
        return tuple(text for text, end in self._ends.items() if end > self._time)

    def publish(self, text: str) -> None:
        """Show a message from now on."""
        self._ends[text] = self._time + MESSAGE_DURATION

    def advance(self, dt: float) -> None:
        """Let time pass [s], and forget what is over."""
        self._time += dt
        self._ends = {text: end for text, end in self._ends.items() if end > self._time}


def say_name(name: str) -> str:
    """Return an effector's or a constraint's name as people say it."""
    return name.replace("_", " ")


def list_names(names: tuple[str, ...]) -> str:
    """Return the first few different names as people say them."""
    different = list(dict.fromkeys(say_name(name) for name in names))
    return ", ".join(different[:3]) if different else "nothing known"
