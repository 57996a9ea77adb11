"""A suit by Xsens, as MVN Analyze or Animate streams it to the network."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from handhold.devices.errors import DeviceNotOpen
from handhold.devices.suits.mvn_assembly import MvnAssembly
from handhold.devices.suits.mvn_header import READ_TYPES
from handhold.devices.suits.mvn_protocol import decode_datagram
from handhold.devices.suits.mvn_sockets import DatagramSource
from handhold.devices.suits.suit_errors import DatagramRefused
from handhold.devices.tracked_human import TrackedHuman


class MvnSuit:
    """Suit whose samples arrive as datagrams of the MVN stream (see ``Suit``).

    MVN's axes and origins are those of ``TrackedHuman``: z up, all axes the room's in a T-pose, x ahead.

    Attributes:
        name: ``"mvn"``.
        received: Datagrams that came, by their type.
        refused: Datagrams that were not believed, by the reason.
        samples: Samples made since the suit was opened.
    """

    name = "mvn"

    def __init__(
        self,
        source: DatagramSource,
        *,
        clock: Callable[[], float],
        character: int | None = None,
        unit: float | None = None,
    ) -> None:
        """Remember where the stream comes from.

        Args:
            source: Where datagrams come from, such as ``UdpSource("127.0.0.1", 9763)``.
            clock: The monotonic clock [s].
            character: Number of the character that counts; None for the first one seen.
            unit: What positions are in [m], 1 or 0.01; None to tell it by the person's lengths.
        """
        self.received: Counter[int] = Counter()
        self.refused: Counter[str] = Counter()
        self.samples = 0
        self._source = source
        self._clock = clock
        self._character = character
        self._unit = unit
        self._assembly: MvnAssembly | None = None

    @property
    def lost(self) -> int:
        """Samples that the network lost."""
        return 0 if self._assembly is None else self._assembly.lost

    @property
    def title(self) -> str:
        """Where it is listened."""
        return self._source.title

    @property
    def assembly(self) -> MvnAssembly:
        """What is known of the stream besides samples: characters, names, what came late.

        Raises:
            DeviceNotOpen: ``open`` has not succeeded.
        """
        if self._assembly is None:
            raise DeviceNotOpen(self.name)
        return self._assembly

    def open(self) -> None:
        """Listen.

        Raises:
            DeviceError: The port cannot be had, or nobody is there to connect to.
        """
        self._source.open()
        self._assembly = MvnAssembly(f"{self.name} {self._clock():.6f}", self._character, self._unit)

    def read(self) -> TrackedHuman | None:
        """Return the newest sample, without waiting for one; None before the first.

        Raises:
            DeviceNotOpen: ``open`` has not succeeded.
            DeviceError: Nothing will come any more.
        """
        assembly = self.assembly
        for data in self._source.receive():
            self._take(data, assembly)
        refused = self._source.refused
        self.refused += refused
        refused.clear()
        return assembly.newest

    def close(self) -> None:
        """End listening."""
        self._source.close()
        self._assembly = None

    def _take(self, data: bytes, assembly: MvnAssembly) -> None:
        before = assembly.newest
        try:
            datagram = decode_datagram(data)
            self.received[datagram.header.type] += 1
            if datagram.header.type in READ_TYPES:
                assembly.take(datagram, self._clock())
        except DatagramRefused as refused:
            self.refused[refused.reason] += 1
        if assembly.newest is not None and (before is None or before.sequence != assembly.newest.sequence):
            self.samples += 1
