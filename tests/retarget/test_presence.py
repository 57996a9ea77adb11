"""Whether the operator is there: by how old his samples are, and by whether they are new."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handhold.devices.operator_input import OperatorInput
from handhold.retarget.engagement.presence import Presence, compute_speed

STEP = 0.001  # [s]
ROUNDING = 1e-9  # [-]


def sample(sequence: int, **rest: object) -> OperatorInput:
    return OperatorInput(**{"time": 0.0, "sequence": sequence, "device": "headset 1"} | rest)


def watch(*samples: OperatorInput, dt: float = STEP) -> Presence:
    presence = Presence()
    for one in samples:
        presence.update(one, dt)
    return presence


@pytest.mark.parametrize(
    ("age", "speed"),
    [(-1.0, 1.0), (0.0, 1.0), (0.05, 1.0), (0.0575, 0.75), (0.0799, 0.1 / 30), (0.08, 0.0), (3.0, 0.0), (math.nan, 0.0)],
)
def test_the_robot_slows_down_from_50_ms_and_stops_at_80(age: float, speed: float) -> None:
    assert compute_speed(age) == pytest.approx(speed, abs=ROUNDING)


def test_a_period_short_of_80_ms_by_rounding_is_80_ms() -> None:
    assert compute_speed(0.08 - 5e-10) == 0.0
    assert compute_speed(0.08 - 5e-9) > 0.0


@given(st.floats(0.0, 0.2), st.floats(0.0, 0.2))
def test_nothing_that_is_older_is_faster(age: float, older: float) -> None:
    age, older = sorted((age, older))
    assert 0.0 <= compute_speed(older) <= compute_speed(age) <= 1.0


def test_nobody_is_there_before_the_first_sample() -> None:
    presence = Presence()
    assert not any((presence.fresh, presence.changed, presence.linked, presence.focused, presence.speed, presence.lost_link))


@pytest.mark.parametrize("sequence", [-7, 0, 3])
def test_the_first_sample_is_new_and_of_an_operator_nobody_knew(sequence: int) -> None:
    presence = watch(sample(sequence))
    assert presence.fresh
    assert presence.changed
    assert presence.linked


@pytest.mark.parametrize(("sequence", "fresh"), [(2, False), (5, False), (6, True), (900, True)])
def test_a_sample_is_new_where_its_number_is_larger_than_all_before(sequence: int, fresh: bool) -> None:
    presence = watch(sample(5), sample(4), sample(sequence))
    assert presence.fresh == fresh
    assert not presence.changed


def test_a_number_below_nought_is_new_only_where_another_operator_begins() -> None:
    assert not watch(sample(-5), sample(-4)).fresh
    assert watch(sample(-5), sample(1)).fresh


@pytest.mark.parametrize("other", [{"device": "headset 2"}, {"origin": 1}])
def test_another_device_or_origin_is_new_whatever_its_number_and_counts_from_there(other: dict[str, object]) -> None:
    presence = watch(sample(50), sample(3, **other))
    assert presence.fresh
    assert presence.changed
    presence.update(sample(3, **other), STEP)
    assert not presence.fresh
    assert not presence.changed
    presence.update(sample(4, **other), STEP)
    assert presence.fresh


@pytest.mark.parametrize("focused", [True, False])
def test_the_operator_is_there_while_his_newest_sample_says_so(focused: bool) -> None:
    assert watch(sample(1), sample(2, focused=focused)).focused == focused


def test_samples_that_are_not_new_grow_older_by_the_hosts_own_time() -> None:
    presence = watch(sample(1))
    presence.update(sample(1), 0.065)
    assert presence.speed == pytest.approx(0.5)
    presence.update(sample(1), 0.0149)
    assert presence.linked
    presence.update(sample(1), 0.0001)
    assert not presence.linked
    presence.update(sample(2), 5.0)
    assert presence.linked
    assert presence.speed == 1.0


@pytest.mark.parametrize(
    ("age", "silence", "speed"), [(0.065, 0.0, 0.5), (0.0, 0.065, 0.5), (0.06, 0.065, 0.5), (0.08, 0.06, 0.0)]
)
def test_the_older_of_two_ages_counts(age: float, silence: float, speed: float) -> None:
    presence = watch(sample(1))
    presence.update(sample(1, age=age), silence)
    assert presence.speed == pytest.approx(speed)


def test_each_loss_is_counted_once_and_none_before_a_first_sample_in_time() -> None:
    presence = watch(sample(1, age=5.0))
    assert presence.lost_link == 0
    for number in (2, 3):
        presence.update(sample(number), STEP)
        for _ in range(3):
            presence.update(sample(number, age=1.0), STEP)
        assert presence.lost_link == number - 1
        assert presence.speed == 0.0
