"""What a packet tells of who speaks CycloneDDS, whatever its bytes are."""

from __future__ import annotations

import pytest
from dds_announcements import EPROSIMA, compose_announcement
from hypothesis import example, given
from hypothesis import strategies as st

from handhold.robots.unitree.spdp import CycloneParticipant, read_announcements
from handhold.robots.unitree.spdp_question import PREFIX_SIZE, compose_farewell, compose_question

PROPERTIES = {"__ProcessName": "python3", "__Pid": "4711", "__Hostname": "desk"}
ANNOUNCEMENT = compose_announcement("desk", "11.0.1", PROPERTIES)
HEADER_SIZE = 20


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("has_inline_qos", [False, True])
@pytest.mark.parametrize("has_length", [False, True])
def test_host_version_and_process_are_told(order: str, has_inline_qos: bool, has_length: bool) -> None:
    packet = compose_announcement(
        "desk", "11.0.1", PROPERTIES, order=order, has_inline_qos=has_inline_qos, has_length=has_length
    )
    assert read_announcements(packet) == (CycloneParticipant(host="desk", version="11.0.1", process="python3 4711"),)


def test_who_tells_no_process_has_none() -> None:
    assert read_announcements(compose_announcement("g1", "0.10.2")) == (CycloneParticipant(host="g1", version="0.10.2"),)


def test_several_announcements_in_one_packet_are_all_told() -> None:
    packet = ANNOUNCEMENT + compose_announcement("g1", "0.10.2")[HEADER_SIZE:]
    assert [each.host for each in read_announcements(packet)] == ["desk", "g1"]


@pytest.mark.parametrize(
    ("version", "line"), [("0.10.2", "0.10"), ("0.10.5", "0.10"), ("0.9.1", "0.9"), ("11.0.1", "11"), ("11.1", "11")]
)
def test_a_major_line_is_that_of_the_version(version: str, line: str) -> None:
    (told,) = read_announcements(compose_announcement("desk", version))
    assert told.line == line


@pytest.mark.parametrize(
    "packet",
    [
        b"",
        compose_announcement("desk", "11.0.1", maker=EPROSIMA),
        compose_announcement("desk", "11.0.1", writer=bytes((0, 0, 3, 0xC2))),  # of topics
        compose_announcement("desk", "of today"),
        compose_announcement("desk\x1b[2J", "11.0.1"),  # would clear a terminal
        compose_announcement("", "11.0.1"),
        compose_farewell(bytes(PREFIX_SIZE)),
        compose_question(bytes(PREFIX_SIZE), "127.0.0.1", 7410),
    ],
)
def test_what_is_no_announcement_of_cyclonedds_tells_nobody(packet: bytes) -> None:
    assert read_announcements(packet) == ()


@pytest.mark.parametrize("order", ["<", ">"])
def test_a_packet_cut_anywhere_tells_the_truth_or_nothing(order: str) -> None:
    packet = compose_announcement("desk", "11.0.1", PROPERTIES, order=order, has_inline_qos=True)
    for end in range(len(packet)):
        assert {(each.host, each.version) for each in read_announcements(packet[:end])} <= {("desk", "11.0.1")}


@given(content=st.binary(max_size=400))
def test_any_bytes_are_read_without_an_error(content: bytes) -> None:
    read_announcements(content)
    read_announcements(ANNOUNCEMENT[:HEADER_SIZE] + content)


@given(
    places=st.lists(st.tuples(st.integers(HEADER_SIZE, len(ANNOUNCEMENT) - 1), st.integers(0, 255)), min_size=1, max_size=6)
)
@example(places=[(34, 0), (35, 0)])
def test_an_announcement_with_any_bytes_changed_is_read_without_an_error(places: list[tuple[int, int]]) -> None:
    packet = bytearray(ANNOUNCEMENT)
    for place, value in places:
        packet[place] = value
    for told in read_announcements(bytes(packet)):
        assert (told.host + told.version + told.process).isprintable()


def test_the_largest_packet_of_empty_parts_comes_to_an_end() -> None:
    empty = bytes((0x01, 1, 0, 0))  # padding may be empty
    assert read_announcements(ANNOUNCEMENT[:HEADER_SIZE] + empty * 16000 + ANNOUNCEMENT[HEADER_SIZE:])
