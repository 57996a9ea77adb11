"""Samples of a person from datagrams that were lost, overtaken, split, doubled, or somebody else's."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from people import angle_between, make_human

from handhold.devices.suits.mvn_assembly import MvnAssembly
from handhold.devices.suits.mvn_character import MetaData
from handhold.devices.suits.mvn_header import CENTER_OF_MASS, META_DATA, POSE_EULER, MvnHeader
from handhold.devices.suits.mvn_order import difference
from handhold.devices.suits.mvn_protocol import SegmentItems, decode_datagram, encode_datagram
from handhold.devices.suits.mvn_sender import MvnEncoder
from handhold.devices.suits.suit_errors import DatagramRefused
from handhold.devices.tracked_human import TrackedHuman

RATE = 100.0

Timed = tuple[float, bytes]


def stream(count: int, encoder: MvnEncoder | None = None, start: float = 0.0, begin: float = 50.0) -> list[Timed]:
    """Return datagrams of a moving person, with the times at which they are sent."""
    chosen = encoder or MvnEncoder()
    return [
        (begin + k / RATE, data)
        for k in range(count)
        for data in chosen.encode(make_person(round(start * RATE) + k), start + k / RATE)
    ]


def feed(assembly: MvnAssembly, timed: list[Timed]) -> list[TrackedHuman]:
    """Feed datagrams; return the samples, each as it was when the next one came."""
    samples: dict[tuple[str, int], TrackedHuman] = {}
    for arrived, data in timed:
        try:
            assembly.take(decode_datagram(data), arrived)
        except DatagramRefused:
            continue
        if assembly.newest is not None:
            samples[assembly.newest.suit, assembly.newest.sequence] = assembly.newest
    return list(samples.values())


def is_true(human: TrackedHuman, time: float) -> bool:
    truth = make_person(round(time * RATE))
    at_place = np.allclose(human.positions, truth.positions, atol=1e-5)
    return at_place and angle_between(human.orientations, truth.orientations) < 2e-3


@cache
def make_person(frame: int) -> TrackedHuman:
    return make_human(frame / RATE)


@cache
def positions_by_frame() -> np.ndarray:
    return np.array([make_person(frame).positions for frame in range(400)])


def time_of(human: TrackedHuman, among: int = 400) -> float:
    """Return the time at which the person was as he is told to be."""
    return int(np.abs(positions_by_frame()[:among] - human.positions).max(axis=(1, 2)).argmin()) / RATE


def test_a_stream_becomes_the_person_that_was_sent() -> None:
    samples = feed(MvnAssembly("mvn"), stream(50))
    assert [sample.sequence for sample in samples] == list(range(50))
    assert all(is_true(sample, k / RATE) for k, sample in enumerate(samples))
    assert all(sample.tracked.all() for sample in samples)
    assert samples[0].position_com is not None
    assert np.allclose(samples[0].position_com, make_human(0.0).position_com)
    assert samples[0].left_foot_in_contact is None


def test_a_person_in_a_t_pose_has_all_axes_of_the_room() -> None:
    (sample,) = feed(MvnAssembly("mvn"), stream(1))
    assert angle_between(sample.orientations, np.array([0.0, 0.0, 0.0, 1.0])) < 1e-6


def test_what_was_told_of_the_character_is_known() -> None:
    assembly = MvnAssembly("mvn")
    feed(assembly, stream(2))
    assert assembly.meta_data.tags["name"] == "Handhold"
    assert assembly.scaling is not None
    assert np.allclose([each.position for each in assembly.scaling.segments], make_human().positions, atol=1e-5)
    assert assembly.time_of_day == "00:00:00.010"
    strange = MetaData({"name": "B", "shoe": "42"})
    data = encode_datagram(MvnHeader(type=META_DATA, sample=9, time_code=1, items=0, payload_size=0), strange)
    feed(assembly, [(51.0, data)])
    assert set(assembly.meta_data.tags) == {"name", "xmid", "color"}
    assert assembly.meta_data.tags["name"] == "B"


@pytest.mark.parametrize("unit", [1.0, 0.01])
@pytest.mark.parametrize("given_unit", [True, False])
def test_centimetres_and_metres_are_told_apart(unit: float, given_unit: bool) -> None:
    assembly = MvnAssembly("mvn", unit=unit if given_unit else None)
    (*_, sample) = feed(assembly, stream(30, MvnEncoder(unit=unit), start=1.0))
    assert is_true(sample, 1.29)
    assert sample.position_com is not None
    assert np.allclose(sample.position_com, make_human(1.29).position_com, atol=1e-5)


def test_half_of_the_datagrams_may_be_lost() -> None:
    random = np.random.default_rng(3)
    timed = [each for each in stream(400) if random.random() > 0.5]
    assembly = MvnAssembly("mvn")
    samples = feed(assembly, timed)
    assert 150 < len(samples) < 250
    assert all(is_true(sample, time_of(sample)) for sample in samples)
    assert [sample.sequence for sample in samples] == list(range(len(samples)))
    assert len({sample.suit for sample in samples}) == 1
    assert assembly.lost == pytest.approx(400 - len(samples), abs=8)


def test_split_samples_of_which_parts_are_lost_never_come_in_part() -> None:
    random = np.random.default_rng(4)
    timed = [each for each in stream(400, MvnEncoder(largest=400)) if random.random() > 0.2]
    samples = feed(MvnAssembly("mvn"), timed)
    assert len(samples) > 80
    assert all(sample.tracked.all() and is_true(sample, time_of(sample)) for sample in samples)


@pytest.mark.parametrize("largest", [1472, 400])
def test_jitter_neither_lets_samples_go_back_nor_spoils_their_times(largest: int) -> None:
    random = np.random.default_rng(5)
    sent = stream(400, MvnEncoder(largest=largest))
    timed = sorted(((at + random.uniform(0.0, 0.02), data) for at, data in sent), key=lambda each: each[0])
    assembly = MvnAssembly("mvn")
    samples = feed(assembly, timed)
    shown = [time_of(sample) for sample in samples]
    assert shown == sorted(set(shown))
    assert len({sample.suit for sample in samples}) == 1
    # once a datagram has come by a short way, samples are stamped as if all had
    stamps = np.array([sample.time for sample in samples]) - 50.0
    assert np.abs(stamps - shown)[50:].max() < 0.003
    assert assembly.late > 0


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 1 << 30), st.floats(0.0, 0.5), st.floats(0.0, 0.05), st.floats(0.0, 0.3))
def test_whatever_a_network_does_samples_are_whole_true_and_go_on(
    seed: int, loss: float, jitter: float, doubled: float
) -> None:
    random = np.random.default_rng(seed)
    sent = stream(60, MvnEncoder(largest=500, first_sample=(1 << 32) - 30))
    timed = []
    for at, data in sent:
        copies = 0 if random.random() < loss else 1 + int(random.random() < doubled)
        timed += [(at + random.uniform(0.0, jitter), data) for _ in range(copies)]
    samples = feed(MvnAssembly("mvn"), sorted(timed, key=lambda each: each[0]))
    shown = [time_of(sample, 60) for sample in samples]
    assert shown == sorted(set(shown))
    assert all(is_true(sample, time) for sample, time in zip(samples, shown, strict=True))
    assert len({sample.suit for sample in samples}) <= 1


def test_counters_may_wrap_around() -> None:
    samples = feed(MvnAssembly("mvn"), stream(40, MvnEncoder(first_sample=(1 << 32) - 20)))
    assert len(samples) == 40
    assert len({sample.suit for sample in samples}) == 1
    assert difference(3, (1 << 32) - 2) == 5


def test_a_suit_that_begins_anew_is_another_run() -> None:
    again = stream(100, begin=53.5)
    samples = feed(MvnAssembly("mvn"), stream(300) + again)
    names = [sample.suit for sample in samples]
    assert len(set(names)) == 2
    # one sample has to speak for the new run before it is believed
    assert names.count(names[-1]) == 99
    assert [sample.sequence for sample in samples[-99:]] == list(range(99))


def test_a_gap_of_two_seconds_is_no_other_run() -> None:
    timed = stream(300)
    kept = [each for each in timed if not 50.5 <= each[0] < 52.5]
    assembly = MvnAssembly("mvn")
    samples = feed(assembly, kept)
    assert len({sample.suit for sample in samples}) == 1
    assert assembly.lost == 200


def test_a_single_sample_out_of_order_changes_nothing() -> None:
    timed = stream(100)
    wrong = decode_datagram(timed[150][1]).header
    assert wrong.sample > 10
    for sample, time_code in ((1 << 31, wrong.time_code), (wrong.sample + 1, (1 << 31) + 5), (0, 0), (1 << 20, 1 << 20)):
        header = MvnHeader(type=2, sample=sample, time_code=time_code, items=0, payload_size=0)
        payload = decode_datagram(timed[0][1]).payload
        forged = (timed[150][0], encode_datagram(header, payload))
        samples = feed(MvnAssembly("mvn"), [*timed[:150], forged, *timed[150:]])
        assert len({sample.suit for sample in samples}) == 1
        assert len(samples) == 100
        assert all(is_true(each, k / RATE) for k, each in enumerate(samples))


def test_another_character_never_mixes_in() -> None:
    one = stream(50, MvnEncoder(character=2, largest=400))
    other = stream(50, MvnEncoder(character=5, largest=400), start=2.0)
    mixed = sorted(one + other, key=lambda each: each[0])
    first, chosen = MvnAssembly("mvn"), MvnAssembly("mvn", character=5)
    assert all(is_true(each, k / RATE) for k, each in enumerate(feed(first, mixed)))
    assert first.character == 2
    assert set(first.others) == {5}
    assert all(is_true(each, 2.0 + k / RATE) for k, each in enumerate(feed(chosen, mixed)))
    assert chosen.newest is not None
    assert "character 5" in chosen.newest.suit


def test_kinematics_alone_make_a_person_too() -> None:
    timed = [each for each in stream(20, MvnEncoder(kinematics=True)) if decode_datagram(each[1]).header.type != 2]
    samples = feed(MvnAssembly("mvn"), timed)
    assert len(samples) == 20
    assert all(is_true(each, k / RATE) for k, each in enumerate(samples))


def test_euler_angles_alone_make_a_person_too() -> None:
    human = make_human(0.0)
    y_up = human.positions[:, [1, 2, 0]] * 100.0
    items = SegmentItems(ids=np.arange(1, 24), positions=y_up, angles=np.zeros((23, 3)))
    data = encode_datagram(MvnHeader(type=POSE_EULER, sample=1, time_code=1, items=0, payload_size=0), items)
    (sample,) = feed(MvnAssembly("mvn"), [(1.0, data)])
    assert is_true(sample, 0.0)


def test_a_center_of_mass_counts_for_its_own_sample_whenever_it_comes() -> None:
    timed = stream(3)
    coms = [each for each in timed if decode_datagram(each[1]).header.type == CENTER_OF_MASS]
    poses = [each for each in timed if decode_datagram(each[1]).header.type == 2]
    assembly = MvnAssembly("mvn")
    feed(assembly, [poses[0], poses[1], coms[0]])
    assert assembly.newest is not None
    assert assembly.newest.position_com is None
    feed(assembly, [coms[2], poses[2]])
    assert assembly.newest.position_com is not None
    assert assembly.newest.sequence == 2


def test_a_body_in_part_is_tracked_in_part() -> None:
    tracked = np.ones(23, dtype=bool)
    tracked[15:] = False
    human = make_human(1.0, tracked=tracked)
    assembly = MvnAssembly("mvn")
    for data in MvnEncoder(unit=0.01).encode(human, 0.0):
        assembly.take(decode_datagram(data), 1.0)
    assert assembly.newest is not None
    assert np.array_equal(assembly.newest.tracked, tracked)
    assert np.allclose(assembly.newest.positions[:15], human.positions[:15], atol=1e-5)
    assert not assembly.newest.positions[15:].any()


def test_what_no_person_can_be_is_refused() -> None:
    positions = make_human().positions.copy()
    positions[10] += [0.0, 4.0, 0.0]
    data = MvnEncoder().encode(make_human(positions=positions), 0.0)[0]
    with pytest.raises(DatagramRefused, match="person"):
        MvnAssembly("mvn").take(decode_datagram(data), 0.0)
