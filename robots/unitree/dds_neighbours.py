"""Who else speaks DDS on a network, asked before it is joined: two lines of CycloneDDS may not bear each other."""

from __future__ import annotations

import fcntl
import socket
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress

from handhold.robots.unitree.spdp import CycloneParticipant, read_announcements
from handhold.robots.unitree.spdp_question import compose_farewell, compose_question

LINE = "0.10"
"""Major line of CycloneDDS in the maker's library, and in its robots."""

ANSWER_TIME = 0.5
"""How long answers are waited for [s]; they come within milliseconds."""

_GROUP = (socket.inet_ntoa(bytes((239, 255, 0, 1))), 7400)
_FIRST_PORT, _PORTS = 7410, 100
_GET_ADDRESS = 0x8915  # SIOCGIFADDR of Linux


def find_address(interface: str) -> str | None:
    """Return the IPv4 address of a network interface, or None where there is no such interface or it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        try:
            answer = fcntl.ioctl(any_socket, _GET_ADDRESS, struct.pack("15s17x", interface.encode()))
        except OSError:
            return None
    return socket.inet_ntoa(answer[20:24])


def list_endpoints(address: str) -> list[tuple[str, int]]:
    """Return where participants of domain 0 listen for announcements, those of an interface with some address.

    They listen to a group of the network; where an interface has no multicast (``lo``), each process to the first free one of
    the ports that the standard has for it, so that one after the other is tried.
    """
    return [_GROUP, *((address, _FIRST_PORT + 2 * index) for index in range(_PORTS))]


def find_foreign_dds(
    address: str, endpoints: Sequence[tuple[str, int]], prefix: bytes, clock: Callable[[], float]
) -> CycloneParticipant | None:
    """Return a participant of CycloneDDS of another major line that is there, or None where none answers.

    Asked twice, because a datagram may be lost; who has heard the first question does not answer the second.

    Args:
        address: Address of the own interface, IPv4.
        endpoints: Where to ask (``list_endpoints``).
        prefix: Random bytes of the question (``compose_question``).
        clock: Time that passes [s].

    Raises:
        OSError: The network does not let itself be asked.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asker:
        asker.bind((address, 0))
        asker.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(address))
        question = compose_question(prefix, *asker.getsockname())
        try:
            for _ in range(2):
                _send(asker, question, endpoints)
                answers = _receive(asker, clock() + 0.5 * ANSWER_TIME, clock)
                foreign = next((each for each in answers if each.line != LINE), None)
                if foreign is not None:
                    return foreign
            return None
        finally:
            _send(asker, compose_farewell(prefix), endpoints)


def _send(asker: socket.socket, packet: bytes, endpoints: Iterable[tuple[str, int]]) -> None:
    for endpoint in endpoints:
        # A network without multicast has no way to the group; the ports are left.
        with suppress(OSError):
            asker.sendto(packet, endpoint)


def _receive(asker: socket.socket, end: float, clock: Callable[[], float]) -> Iterator[CycloneParticipant]:
    while (remaining := end - clock()) > 0.0:
        asker.settimeout(remaining)
        try:
            packet = asker.recv(1 << 16)
        except TimeoutError:
            return
        yield from read_announcements(packet)
