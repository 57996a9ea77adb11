"""States that cannot be believed."""

import math
from dataclasses import replace

import numpy as np
import pytest

from handhold.robots.estimation.state_watch import DAMP_AFTER, LOST_AFTER, StateWatch
from handhold.robots.robot import RobotState

DT = 0.001  # [s]


def state_at(time: float) -> RobotState:
    return RobotState(time=time, q=np.zeros(9), v=np.zeros(8), joint_torques=np.zeros(2), contact_wrenches=np.zeros((1, 6)))


@pytest.mark.parametrize("part", ["q", "v", "joint_torques", "contact_wrenches"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_state_with_a_number_that_is_none_is_refused(part, value):
    watch = StateWatch(state_at(0.0))
    good = watch.take(state_at(0.001), DT)
    broken = getattr(good, part).copy()
    broken.flat[0] = value
    assert watch.take(replace(state_at(0.002), **{part: broken}), DT) is good
    assert (watch.refused, watch.missed, watch.lost) == (1, 1, False)


def test_a_state_that_does_not_advance_is_refused_and_lost_after_a_time():
    watch = StateWatch(state_at(0.0))
    good = watch.take(state_at(0.0), DT)
    for _ in range(round(LOST_AFTER / DT)):
        assert not watch.lost
        assert watch.take(state_at(0.0), DT) is good
    assert watch.lost
    assert not watch.hopeless
    newer = state_at(0.001)
    assert watch.take(newer, DT) is newer
    assert not watch.lost


@pytest.mark.parametrize("period", [0.001, 0.002, 0.0045])
def test_it_is_hopeless_after_a_time_however_long_the_cycles_take_that_wait_for_a_state(period):
    watch = StateWatch(state_at(0.0))
    watch.take(state_at(0.001), period)
    missed = math.ceil(DAMP_AFTER / period - 1e-6)
    for _ in range(missed - 1):
        watch.take(state_at(0.001), period)
    assert not watch.hopeless
    watch.take(state_at(0.001), period)
    assert watch.hopeless
    watch.take(state_at(0.002), period)
    assert not watch.hopeless
