"""One who attacks the link, as a process of its own that takes an ``Attack`` on standard input.

It sends as fast as zenoh takes messages, and prints how many it has sent.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence

import msgspec
import numpy as np
import zenoh

from handhold.app.link import LinkConfig, make_key
from handhold.app.link.authority import LeaseAct, LeaseRequest, StopRequest
from handhold.app.link.codecs import lease_codec, stop_codec
from handhold.app.link.messages import Heard, Stamp, operator_codec
from handhold.app.link.seal import SEAL_BYTES, Seal
from handhold.app.link.session import open_session
from handhold.devices.operator_input import OperatorInput
from handhold.devices.stop import Stop

TOPICS = ("operator", "stop", "lease")


class Attack(msgspec.Struct, frozen=True, kw_only=True):
    """What an attacker knows and does.

    Attributes:
        robot: Robot whose link is attacked.
        port: Port of the link.
        transport_key: Key with which a connection is asked for: the session's own of one who got that far, or any other.
        recorded: Messages of each topic that were on the wire, as they were.
        count: Messages to send.
        seed: Seed of what is random.
    """

    robot: str
    port: int
    transport_key: bytes
    recorded: Mapping[str, Sequence[bytes]]
    count: int
    seed: int


def start_attack(attack: Attack) -> subprocess.Popen[bytes]:
    """Start an attacker; how many messages it has sent is on its standard output when it has ended."""
    command = [sys.executable, "-m", "handhold.app.lab.safety.link_attacker"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    with process.stdin as pipe:
        pipe.write(msgspec.msgpack.encode(attack))
    return process


def count_sent(process: subprocess.Popen[bytes]) -> int:
    """Wait for an attacker's end and return how many messages it has sent."""
    assert process.stdout is not None
    with process.stdout as pipe:
        printed = pipe.read()
    process.wait()
    return int(printed)


def make_messages(attack: Attack, random: np.random.Generator) -> Iterator[tuple[str, bytes]]:
    """Return what is sent, again and again: forgeries, changed and truncated messages, noise, replays in and out of order."""
    recorded = [(topic, message) for topic in TOPICS for message in attack.recorded[topic]]
    forged = list(_forge(attack, random))
    while True:
        yield from forged
        yield from ((topic, _spoil(message, random)) for topic, message in recorded)
        yield from ((topic, random.bytes(int(random.integers(0, 1500)))) for topic in TOPICS)
        yield from recorded
        yield from (recorded[index] for index in random.permutation(len(recorded)))


def _forge(attack: Attack, random: np.random.Generator) -> Iterator[tuple[str, bytes]]:
    """Return messages in which all but the seal is right: stops lifted, the lease taken, huge numbers, other devices."""
    sample = OperatorInput(time=0.0, device="foreign", sequence=2**61)
    payloads = {
        "operator": operator_codec().encode(sample, _stamp(random)),
        "stop": stop_codec().encode(StopRequest(Stop.RESUME, 2**61), _stamp(random)),
        "lease": lease_codec().encode(LeaseRequest(LeaseAct.TAKE_OVER, "foreign"), _stamp(random)),
    }
    for topic, message in payloads.items():
        yield topic, Seal(make_key(), f"handhold/{attack.robot}/{topic}").close(message)
        yield topic, bytes(SEAL_BYTES) + message
        yield topic, message
        # the seal of another message, and of another topic
        yield from ((topic, old[:SEAL_BYTES] + message) for old in attack.recorded[topic][:3])
        yield from ((topic, old) for other in TOPICS if other != topic for old in attack.recorded[other][:3])


def _stamp(random: np.random.Generator) -> Stamp:
    return Stamp(int(random.integers(2**62)), 2**61, 0.0, Heard(int(random.integers(2**62)), 0.0, 0.0))


def _spoil(message: bytes, random: np.random.Generator) -> bytes:
    spoiled = bytearray(message)
    spoiled[int(random.integers(len(spoiled)))] ^= 1 << int(random.integers(8))
    return bytes(spoiled[: len(spoiled) - int(random.integers(2))])


def attack_link(attack: Attack) -> int:
    """Attack; returns how many messages were sent."""
    config = LinkConfig(robot=attack.robot, port=attack.port, key=attack.transport_key)
    random = np.random.default_rng(attack.seed)
    with contextlib.closing(open_session(config, listen=False)) as session:
        publishers = {
            topic: session.declare_publisher(config.topic(topic), congestion_control=zenoh.CongestionControl.BLOCK)
            for topic in TOPICS
        }
        sent = 0
        for topic, message in make_messages(attack, random):
            if sent >= attack.count:
                break
            publishers[topic].put(message)
            sent += 1
    return sent


if __name__ == "__main__":
    print(attack_link(msgspec.msgpack.decode(sys.stdin.buffer.read(), type=Attack)))
