"""``bench suit``: mutated datagrams of a suit, of which none may count that breaks a rule, and what true ones cost."""

from __future__ import annotations

import struct
import time
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from handhold.app.lab.benches.mvn_rules import find_unsound, find_violation
from handhold.app.lab.benches.timing import KernelClock, Stopwatch
from handhold.app.lab.benches.whole_body_update import measure_update
from handhold.app.lab.figures import Figure, Outcome
from handhold.app.session.commit import current_commit
from handhold.devices.suits.mvn_assembly import MvnAssembly
from handhold.devices.suits.mvn_header import POSE_EULER, MvnHeader
from handhold.devices.suits.mvn_protocol import SegmentItems, decode_datagram, encode_datagram
from handhold.devices.suits.mvn_sender import MvnEncoder
from handhold.devices.suits.skeleton import PARENTS, T_POSE_DIRECTIONS
from handhold.devices.suits.suit_errors import DatagramRefused
from handhold.devices.tracked_human import Segment, TrackedHuman

DATAGRAMS = 1_000_000
SAMPLES = 2000
RATE = 60.0

MAX_COST = 3.0
GOOD_COST = 1.5
"""Kernels that reading the datagrams of one sample may take."""

_WORDS = (
    *(b"\x7f\xc0\0\0", b"\x7f\x80\0\0", b"\xff\x80\0\0", b"\x7f\x80\0\1", b"\x7f\x7f\xff\xff", b"\0\0\0\1"),
    *(b"\0\0\0\0", b"\xff\xff\xff\xff", b"\x3f\x80\0\0", b"\x80\0\0\0", b"\x42\xc8\0\0", b"\x4b\0\0\0"),
)
"""Words that are not finite, huge, tiny, zero, one, a hundred."""


def run_suit_bench(datagrams: int = DATAGRAMS, samples: int = SAMPLES) -> Outcome:
    """Feed mutated datagrams to what reads a suit, and time true ones.

    A mutated datagram is *accepted* where the newest sample changes by it though it breaks a rule of the protocol
    (``find_violation``), or the sample is none of a person (``find_unsound``). One whose numbers are others and still keep all
    rules is a valid datagram: the stream has no checksum of its own.
    """
    start = time.monotonic()
    attack = Attack(np.random.default_rng(0))
    for _ in range(datagrams):
        attack.strike()
    kernel, costs = KernelClock(), Stopwatch()
    time_samples(samples, kernel, costs)
    cost = float(np.median(costs.stages["sample"])) / 1e3 / kernel.microseconds
    return Outcome(
        name="suit",
        robot=None,
        engine=None,
        seed=0,
        commit=current_commit(),
        duration_s=time.monotonic() - start,
        fell=None,
        figures=[
            Figure("datagrams_tried", float(attack.tried), "-"),
            Figure("datagrams_accepted", float(attack.accepted.total()), "-", must=0.0),
            Figure("datagrams_valid", float(attack.valid), "-"),
            Figure("crashes", float(attack.crashes.total()), "-", must=0.0),
            Figure("decode_kernels", cost, "-", must=MAX_COST, aim=GOOD_COST),
            *measure_update(),
            Figure("kernel", kernel.microseconds, "us"),
        ],
        extra={
            "refused": dict(attack.refused),
            "accepted": dict(attack.accepted),
            "crashed": dict(attack.crashes),
        },
    )


def make_person(moment: float) -> TrackedHuman:
    """Return somebody who stands in a T-pose, and sways a little."""
    positions, angle = np.zeros((len(Segment), 3)), 0.1 * np.sin(moment)
    turned = np.tile([0.0, 0.0, np.sin(angle / 2.0), np.cos(angle / 2.0)], (len(Segment), 1))
    positions[0] = (0.05 * np.sin(2.0 * moment), 0.0, 0.95)
    for segment in range(1, len(Segment)):
        parent = Segment(PARENTS[segment])
        positions[segment] = positions[parent] + 0.25 * np.array(T_POSE_DIRECTIONS[parent])
    return TrackedHuman(
        time=moment,
        sequence=0,
        suit="bench",
        positions=positions,
        orientations=turned,
        tracked=np.ones(len(Segment), dtype=bool),
        position_com=positions[0],
    )


def make_datagrams() -> list[bytes]:
    """Return valid datagrams of all types that are read."""
    person = make_person(0.3)
    whole = MvnEncoder(kinematics=True).encode(person, 1.0)
    parts = MvnEncoder(largest=500).encode(person, 1.0)[:2]
    items = SegmentItems(
        ids=np.arange(1, len(Segment) + 1),
        positions=100.0 * person.positions[:, [1, 2, 0]],
        angles=np.zeros((len(Segment), 3)),
    )
    euler = encode_datagram(MvnHeader(type=POSE_EULER, sample=0, time_code=0, items=0, payload_size=0), items)
    # most of what is streamed are poses
    return [whole[0]] * 8 + whole + parts + [euler]


@dataclass(slots=True)
class Attack:
    """Mutates datagrams that would be next, and watches what becomes of the newest sample.

    Attributes:
        random: What chooses.
        tried: Datagrams so far.
        valid: Those that changed the newest sample and broke no rule.
        accepted: Those that changed it and broke one, by the rule.
        refused: Those that were refused, by the reason.
        crashes: Errors of any other kind.
    """

    random: np.random.Generator
    tried: int = 0
    valid: int = 0
    accepted: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    crashes: Counter[str] = field(default_factory=Counter)
    _assembly: MvnAssembly = field(default_factory=lambda: MvnAssembly("bench"))
    _true: list[bytes] = field(default_factory=make_datagrams)
    _next: int = 0

    def strike(self) -> None:
        """Send one mutated datagram, and now and then a true one."""
        self._next += 1
        base = self._true[int(self.random.integers(len(self._true)))]
        if self.tried % 16 == 0:
            self._send(self._number(self._true[0]))
        data = mutate(self._number(base), self.random, self._true)
        before, self.tried = self._assembly.newest, self.tried + 1
        self._send(data)
        newest = self._assembly.newest
        if newest is None or newest is before:
            return
        fault = find_violation(data) or find_unsound(newest)
        if fault:
            self.accepted[fault] += 1
        else:
            self.valid += 1

    def _number(self, data: bytes) -> bytes:
        """Return a datagram as one of the next sample."""
        return data[:6] + struct.pack(">I", self._next) + data[10:12] + struct.pack(">I", 16 * self._next) + data[16:]

    def _send(self, data: bytes) -> None:
        try:
            self._assembly.take(decode_datagram(data), self._next / RATE)
        except DatagramRefused as refused:
            self.refused[refused.reason] += 1
        except Exception as error:  # whatever it is, it is what is looked for
            self.crashes[type(error).__name__] += 1


def mutate(data: bytes, random: np.random.Generator, others: list[bytes]) -> bytes:
    """Return a datagram with bits, bytes or words of it changed, cut off, put on, or taken from another one."""
    kind = int(random.integers(8))
    changed = bytearray(data)
    place = int(random.integers(len(data)))
    if kind <= 1:
        for bit in random.integers(8 * len(data), size=1 + 2 * kind):
            changed[bit >> 3] ^= 1 << (bit & 7)
    elif kind == 2:
        changed[place] = int(random.integers(256))
    elif kind == 3:
        word = 24 + 4 * (max(0, place - 24) // 4)
        changed[word : word + 4] = _WORDS[int(random.integers(len(_WORDS)))]
    elif kind == 4:
        del changed[place:]
    elif kind == 5:
        changed += random.bytes(1 + place % 64)
    elif kind == 6:
        changed[place % 24] = int(random.integers(256))
    else:
        other = others[int(random.integers(len(others)))]
        changed[place:] = other[place:]
    return bytes(changed)


def time_samples(samples: int, kernel: KernelClock, costs: Stopwatch) -> None:
    """Time how long the datagrams of a sample take from bytes to a ``TrackedHuman``, over so many samples."""
    encoder, assembly = MvnEncoder(), MvnAssembly("bench")
    for number in range(samples):
        datagrams = encoder.encode(make_person(number / RATE), number / RATE)
        costs.start()
        for data in datagrams:
            assembly.take(decode_datagram(data), number / RATE)
        costs.mark("sample")
        if number % 10 == 0:
            kernel.tick()
