"""The benchmark of suits: what it holds datagrams against finds what breaks a rule, and none that does counts."""

from __future__ import annotations

import struct
from dataclasses import replace

import numpy as np
import pytest

from handhold.app.lab.benches.mvn_rules import find_unsound, find_violation
from handhold.app.lab.benches.suit import Attack, make_datagrams, make_person, mutate, run_suit_bench


def test_no_mutated_datagram_counts_that_breaks_a_rule() -> None:
    outcome = run_suit_bench(datagrams=3000, samples=60)
    figures = {figure.name: figure.value for figure in outcome.figures}
    assert figures["datagrams_tried"] == 3000
    assert figures["datagrams_accepted"] == 0
    assert figures["crashes"] == 0
    # the attack is none where nothing comes through, nor where all is refused at the door
    assert figures["datagrams_valid"] > 190
    assert len(outcome.extra["refused"]) >= 8
    assert figures["decode_kernels"] > 0


@pytest.mark.parametrize("number", range(len(make_datagrams())))
def test_true_datagrams_break_no_rule(number: int) -> None:
    data = make_datagrams()[number]
    kind = data[4:6]
    assert find_violation(data) == ("no pose" if kind in (b"12", b"13", b"25") else "")


def test_what_breaks_a_rule_is_found_by_the_second_writing_of_them() -> None:
    pose = make_datagrams()[0]
    nan = struct.pack(">f", float("nan"))
    broken = {
        "no header": b"MXT",
        "counts": pose[:17] + b"\x05" + pose[18:],
        "size": pose[:-1],
        "items": pose[:11] + b"\x05" + pose[12:],
        "segment": pose[:24] + bytes(4) + pose[28:],
        "number": pose[:28] + nan + pose[32:],
        "rotation": pose[:40] + bytes(16) + pose[56:],
    }
    assert {name: find_violation(data) for name, data in broken.items()} == {name: name for name in broken}


def test_a_sample_that_is_none_of_a_person_is_found() -> None:
    person = make_person(0.0)
    torn = person.positions.copy()
    torn[3] += 5.0
    assert find_unsound(person) == ""
    assert find_unsound(replace(person, positions=torn)) == "torn apart"
    assert find_unsound(replace(person, orientations=2.0 * person.orientations)) == "no rotation"
    assert find_unsound(replace(person, position_com=np.full(3, 9.0))) == "centre of mass outside"


def test_an_attack_is_the_same_for_the_same_seed() -> None:
    def strike() -> tuple[int, dict[str, int]]:
        attack = Attack(np.random.default_rng(7))
        for _ in range(500):
            attack.strike()
        return attack.valid, dict(attack.refused)

    assert strike() == strike()
    data = make_datagrams()[0]
    assert mutate(data, np.random.default_rng(1), [data]) == mutate(data, np.random.default_rng(1), [data])
