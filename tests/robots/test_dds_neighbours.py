"""Who speaks another DDS on a network is found before it is joined, by real packets on loopback."""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest
from dds_announcements import compose_announcement

from handhold.robots.unitree import network
from handhold.robots.unitree.dds_neighbours import find_address, find_foreign_dds, list_endpoints
from handhold.robots.unitree.errors import ForeignDds
from handhold.robots.unitree.g1 import G1
from handhold.robots.unitree.spdp_question import PREFIX_SIZE, compose_farewell, compose_question

PREFIX = bytes(range(PREFIX_SIZE))
GARBAGE = (b"", b"RTPS", bytes(2000), compose_announcement("desk", "11.0.1")[:60])


class Neighbour:
    """Somebody on loopback who answers whatever comes first, and keeps what comes.

    Attributes:
        place: Where it listens.
        heard: What has come.
    """

    def __init__(self, listener: socket.socket, answers: Sequence[bytes]) -> None:
        self.place: tuple[str, int] = listener.getsockname()
        self.heard: list[bytes] = []
        self._listener, self._answers = listener, answers

    def listen(self) -> None:
        """Answer the first packet, and hear until the farewell."""
        while not self.heard or self.heard[-1] != compose_farewell(PREFIX):
            packet, sender = self._listener.recvfrom(1 << 16)
            if not packet:
                return
            for answer in self._answers if not self.heard else ():
                self._listener.sendto(answer, sender)
            self.heard.append(packet)


@contextmanager
def listening(*answers: bytes) -> Iterator[Neighbour]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind(("127.0.0.1", 0))
        neighbour = Neighbour(listener, answers)
        thread = threading.Thread(target=neighbour.listen)
        thread.start()
        try:
            yield neighbour
        finally:
            listener.sendto(b"", neighbour.place)
            thread.join()


def test_another_major_line_is_found_behind_whatever_else_comes() -> None:
    answer = compose_announcement("desk", "11.0.1", {"__ProcessName": "python3", "__Pid": "4711"})
    with listening(*GARBAGE, compose_announcement("g1", "0.10.2"), answer) as neighbour:
        found = find_foreign_dds("127.0.0.1", [neighbour.place], PREFIX, time.monotonic)
    assert found is not None
    assert (found.host, found.version, found.process) == ("desk", "11.0.1", "python3 4711")


def test_the_same_major_line_is_none_of_another() -> None:
    with listening(compose_announcement("g1", "0.10.2"), compose_announcement("desk", "0.10.5")) as neighbour:
        assert find_foreign_dds("127.0.0.1", [neighbour.place], PREFIX, time.monotonic) is None


def test_who_is_asked_is_told_where_to_answer_and_then_farewell() -> None:
    with listening(*GARBAGE) as neighbour:
        find_foreign_dds("127.0.0.1", [neighbour.place], PREFIX, time.monotonic)
    question, again, farewell = (packet for packet in neighbour.heard)
    assert question == again
    assert farewell == compose_farewell(PREFIX)
    (port,) = struct.unpack_from("<I", question, question.index(socket.inet_aton("127.0.0.1")) - 16)
    assert question == compose_question(PREFIX, "127.0.0.1", port)


def test_a_network_on_which_it_answers_is_not_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    with listening(compose_announcement("desk", "11.0.1")) as neighbour:
        # The places of a real domain would reach what else runs on this machine.
        monkeypatch.setattr(network, "list_endpoints", lambda address: [neighbour.place])
        with pytest.raises(ForeignDds, match=r"a program on desk speaks DDS by CycloneDDS 11\.0\.1 on 'lo'.* end it"):
            network.join_network("lo", G1)


def test_an_interface_has_its_address_or_none() -> None:
    assert find_address("lo") == "127.0.0.1"
    assert find_address("nowhere0") is None


def test_the_group_and_the_ports_of_the_standard_are_asked() -> None:
    (group, port), *own = list_endpoints("127.0.0.1")
    assert socket.inet_aton(group)[0] in range(224, 240)
    assert port == 7400
    assert own[:3] == [("127.0.0.1", 7410), ("127.0.0.1", 7412), ("127.0.0.1", 7414)]
