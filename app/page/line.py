"""The websocket of one page, through which viser hears only what this page may say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from websockets.asyncio.server import ServerConnection
from websockets.typing import Subprotocol

MAX_MESSAGE_RATE = 400.0
"""Messages a second that one page may send: its camera and a hand at 144 Hz each, a slider and its heartbeat."""
POLICY_VIOLATION = 1008


class Judge(Protocol):
    """What decides on the messages of pages."""

    def judge(self, line: PageLine, raw: bytes | str) -> bytes | None:
        """Return what viser may hear of a message, or None."""
        ...


@dataclass(slots=True)
class Allowance:
    """How many messages may come now: ``rate`` more each second, at most those of one second together."""

    rate: float
    left: float
    at: float

    def take(self, now: float) -> bool:
        """Take one at time ``now`` [s]; return whether there was one."""
        self.left = min(self.rate, self.left + (now - self.at) * self.rate)
        self.at = now
        if self.left < 1.0:
            return False
        self.left -= 1.0
        return True


class PageLine:
    """What viser takes for the connection of a page: as much of one as it uses, and nothing else."""

    def __init__(self, connection: ServerConnection, judge: Judge, clock: Callable[[], float]) -> None:
        self._connection = connection
        self._judge = judge
        self._clock = clock
        self._allowance = Allowance(MAX_MESSAGE_RATE, MAX_MESSAGE_RATE, clock())
        self.page: int | None = None

    @property
    def subprotocol(self) -> Subprotocol | None:
        """Version of viser, as its client says it."""
        return self._connection.subprotocol

    @property
    def delay(self) -> float:
        """Time that the last ping took there and back [s]; 0 before the first."""
        return float(self._connection.latency)

    async def recv(self) -> bytes:
        """Return the next message that is admitted.

        Raises:
            ConnectionClosed: The page is gone, or sent too much.
        """
        while True:
            raw = await self._connection.recv()
            if not self._allowance.take(self._clock()):
                await self.close(POLICY_VIOLATION, "too many messages")
                continue
            heard = self._judge.judge(self, raw)
            if heard is not None:
                return heard

    async def send(self, data: bytes) -> None:
        """Send to the page."""
        await self._connection.send(data)

    async def close(self, code: int = 1000, reason: str = "") -> None:
        """Close the connection."""
        await self._connection.close(code, reason)
