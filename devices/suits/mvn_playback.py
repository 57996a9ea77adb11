"""A recording sent as the MVN stream, over a network that may be made as bad as wanted."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from handhold.devices.suits.mvn_sender import DatagramSink, MvnEncoder
from handhold.devices.suits.recording import Recording


@dataclass(frozen=True, slots=True)
class Network:
    """What becomes of datagrams on their way.

    Attributes:
        loss: Share of them that is lost, 0 to 1.
        jitter: Delay that each has at most, evenly spread [s]; they overtake each other.
    """

    loss: float = 0.0
    jitter: float = 0.0


class MvnPlayback:
    """Sends the frames of a recording when they are due.

    Frame k is due at ``k / (rate * speed)`` after ``play`` began, and arrives as late as the network makes it.

    Attributes:
        frames: Frames sent so far.
        sent: Datagrams sent.
        lost: Datagrams that the network was made to lose.
    """

    def __init__(
        self,
        recording: Recording,
        sink: DatagramSink,
        encoder: MvnEncoder,
        *,
        speed: float = 1.0,
        network: Network | None = None,
        random: np.random.Generator,
    ) -> None:
        """Remember what to send.

        Args:
            recording: What to send.
            sink: Where to.
            encoder: What makes datagrams of samples.
            speed: How fast, 1 for as fast as it was recorded.
            network: What becomes of datagrams; None for a good one.
            random: What chooses losses and delays.
        """
        self.frames = self.sent = self.lost = 0
        self._recording = recording
        self._sink = sink
        self._encoder = encoder
        self._period = 1.0 / (recording.rate * speed)
        self._network = network or Network()
        self._random = random
        self._underway: list[tuple[float, int, bytes]] = []
        self._number = itertools.count()

    def play(self, clock: Callable[[], float], sleep: Callable[[float], None], *, loops: bool = False) -> None:
        """Send all frames; with ``loops`` for ever.

        Args:
            clock: A monotonic clock [s].
            sleep: Waits so long [s].
            loops: Whether to begin again at the end; the stream's numbers and times go on.

        Raises:
            DeviceError: Nobody takes them any more.
        """
        start = clock()
        for frame in itertools.count() if loops else range(len(self._recording)):
            due = start + frame * self._period
            self._wait(due, clock, sleep)
            self._send_frame(frame, due)
        while self._underway:
            self._wait(self._underway[0][0], clock, sleep)

    def _send_frame(self, frame: int, due: float) -> None:
        human = self._recording.sample(frame % len(self._recording), time=due, sequence=frame, suit="playback")
        for data in self._encoder.encode(human, frame * self._period):
            if self._random.random() < self._network.loss:
                self.lost += 1
            else:
                delay = self._network.jitter * self._random.random()
                heapq.heappush(self._underway, (due + delay, next(self._number), data))
        self.frames += 1
        self._deliver(due)

    def _wait(self, until: float, clock: Callable[[], float], sleep: Callable[[float], None]) -> None:
        """Wait, and deliver meanwhile what arrives."""
        while (now := clock()) < until:
            arrival = self._underway[0][0] if self._underway else until
            sleep(max(0.0, min(until, arrival) - now))
            self._deliver(clock())
        self._deliver(clock())

    def _deliver(self, now: float) -> None:
        while self._underway and self._underway[0][0] <= now:
            self._sink.send(heapq.heappop(self._underway)[2])
            self.sent += 1
