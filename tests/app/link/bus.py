"""A bus in place of zenoh, for tests that need every message at its time: what is put arrives at once, in order.

Whether zenoh carries messages as the link needs it is tested with zenoh itself (``tests/app/test_link.py``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any


@dataclass(eq=False)
class Bus:
    """All sessions of one network.

    Attributes:
        sent: All messages put so far: topic and bytes.
        lost: Topics whose messages are lost.
    """

    sent: list[tuple[str, bytes]] = field(default_factory=list)
    lost: set[str] = field(default_factory=set)
    subscribers: list[Subscriber] = field(default_factory=list)
    closed: int = 0

    def put(self, topic: str, data: bytes) -> None:
        self.sent.append((topic, data))
        if topic.rsplit("/", 1)[1] not in self.lost:
            for subscriber in tuple(self.subscribers):
                if subscriber.topic == topic:
                    subscriber.receive(SimpleNamespace(payload=SimpleNamespace(to_bytes=lambda: data)))

    def count(self, name: str) -> int:
        """Count the messages on a topic."""
        return sum(topic.endswith(f"/{name}") for topic, _ in self.sent)


@dataclass(eq=False)
class Subscriber:
    bus: Bus
    topic: str
    receive: Callable[[Any], None]

    def undeclare(self) -> None:
        self.bus.subscribers.remove(self)


class Session:
    """What the link uses of zenoh's session."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus

    def declare_publisher(self, topic: str, **_options: Any) -> Any:
        return SimpleNamespace(put=lambda data: self._bus.put(topic, data))

    def declare_subscriber(self, topic: str, receive: Callable[[Any], None]) -> Subscriber:
        subscriber = Subscriber(self._bus, topic, receive)
        self._bus.subscribers.append(subscriber)
        return subscriber

    def close(self) -> None:
        self._bus.closed += 1
