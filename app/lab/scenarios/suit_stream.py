"""What a scripted person does, as a suit's stream over UDP: real datagrams through a real socket, in the simulation's time."""

from __future__ import annotations

import time as wall
import weakref
from collections.abc import Callable

from handhold.app.errors import AppError
from handhold.devices.suits.mvn_sender import MvnEncoder, MvnSender, UdpSink
from handhold.devices.suits.mvn_sockets import UdpSource
from handhold.devices.suits.xsens_mvn import MvnSuit
from handhold.devices.tracked_human import TrackedHuman

ADDRESS = "127.0.0.1"
"""This machine: what is sent leaves it by no network."""

TIMEOUT = 60.0
"""How long a datagram that was sent is waited for [s]: on one machine none is lost, but a process may get no time."""

POLLING = 1e-4
"""Time between two looks for it [s]."""


class StreamSilent(AppError):
    """What was sent to a port of this machine does not arrive there."""

    def __init__(self, title: str) -> None:
        super().__init__(f"nothing arrives at {title}; does a firewall keep this machine from sending to itself?")


class SuitStream:
    """A sender and a reader of the MVN stream, one after the other in lockstep.

    What comes out is what ``run --suit mvn`` would read: poses in single precision, time in milliseconds, a suit's name.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        """Open a free port, and send to it.

        Args:
            clock: The simulation's time [s]; samples are stamped with it.

        Raises:
            PortUnavailable: This machine has no port to listen on.
        """
        self._clock = clock
        source = UdpSource(ADDRESS, 0)
        self._suit = MvnSuit(source, clock=clock, unit=1.0)
        self._suit.open()
        self._sender = MvnSender(UdpSink(ADDRESS, source.port), MvnEncoder())
        self._sent: TrackedHuman | None = None
        self._arrived: TrackedHuman | None = None
        # Nobody ends a scripted operator: the sockets go with whoever holds this. The suit would keep the clock's owner.
        weakref.finalize(self, _close, self._sender, source)

    def pass_on(self, human: TrackedHuman) -> TrackedHuman:
        """Send a person's sample if it is new, and return the newest that arrived.

        Raises:
            SuitUnreachable: It cannot be sent.
            StreamSilent: It does not arrive.
        """
        if self._arrived is None or human is not self._sent:
            awaited = self._suit.samples + 1
            self._sender.send(human, self._clock())
            self._sent, self._arrived = human, self._wait_for(awaited)
        return self._arrived

    def _wait_for(self, samples: int) -> TrackedHuman:
        """Read until so many samples have come; returns the newest (in wall time: the simulation's stands still)."""
        deadline = wall.monotonic() + TIMEOUT
        while True:
            newest = self._suit.read()
            if newest is not None and self._suit.samples >= samples:
                return newest
            if wall.monotonic() > deadline:
                raise StreamSilent(self._suit.title)
            wall.sleep(POLLING)


def _close(sender: MvnSender, source: UdpSource) -> None:
    sender.close()
    source.close()
