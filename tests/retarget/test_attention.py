"""When a sample is looked at, and when the command of before goes on."""

from dataclasses import replace

import pytest

from handhold.devices.operator_input import OperatorInput
from handhold.devices.stop import Stop
from handhold.retarget.engagement.attention import PERIOD, Attention, repeats
from handhold.retarget.engagement.presence import SLOWING_AFTER

DT = 1e-3
SAMPLE = OperatorInput(time=0.0, sequence=3, device="one", origin=1, focused=True, stop=Stop.NONE, request="mode:walking")

NEW = {
    "sequence": 4,
    "device": "two",
    "origin": 2,
    "focused": False,
    "stop": Stop.HOLD,
    "request": "",
}


def check(attention, sample=SAMPLE, dt=DT, *, at_once=False):
    return attention.check(sample, dt, at_once=at_once)


@pytest.fixture
def attention():
    """Attention that has just seen the sample."""
    attention = Attention()
    assert check(attention) == DT
    return attention


def test_a_known_sample_is_looked_at_once_in_a_period_and_no_time_is_lost(attention):
    looks = [check(attention) for _ in range(2000)]
    assert looks == [0.0, pytest.approx(PERIOD)] * 1000


@pytest.mark.parametrize("name", list(NEW))
def test_whatever_is_new_is_looked_at_in_its_cycle(attention, name):
    sample = replace(SAMPLE, **{name: NEW[name]})
    assert not repeats(sample, SAMPLE)
    assert check(attention, sample) == DT
    assert check(attention, sample) == 0.0


def test_a_time_and_an_age_alone_are_nothing_new(attention):
    sample = replace(SAMPLE, time=5.0, age=0.9 * SLOWING_AFTER)
    assert repeats(sample, SAMPLE)
    assert check(attention, sample) == 0.0


@pytest.mark.parametrize("age", [SLOWING_AFTER, 1.0])
def test_a_sample_that_becomes_late_is_looked_at_in_every_cycle(attention, age):
    late = replace(SAMPLE, age=age)
    assert [check(attention, late) for _ in range(5)] == [DT] * 5


def test_another_mode_asks_for_a_look_at_once(attention):
    assert check(attention, at_once=True) == DT
    assert check(attention) == 0.0
    assert check(attention) == pytest.approx(PERIOD)


def test_a_cycle_as_long_as_the_period_looks_every_time(attention):
    assert [check(attention, dt=PERIOD) for _ in range(3)] == [pytest.approx(PERIOD)] * 3
    assert check(attention, dt=0.99 * PERIOD) == 0.0


def test_the_first_sample_is_looked_at_whatever_it_is():
    assert Attention().check(OperatorInput(time=0.0), DT, at_once=False) == DT
