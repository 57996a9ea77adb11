"""States that cannot be believed."""

import math
from dataclasses import replace

import numpy as np
import pytest

from handhold.robots.estimation.state_watch import DAMP_AFTER, FROZEN_AFTER, LOST_AFTER, MAX_JUMP, StateWatch
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


def test_a_joint_that_jumps_is_refused_once_and_lost_where_it_stays_there():
    watch, jumped = StateWatch(state_at(0.0)), np.zeros(9)
    jumped[8] = 1.1 * MAX_JUMP
    good = watch.take(state_at(DT), DT)
    assert watch.take(replace(state_at(2.0 * DT), q=jumped), DT) is good
    assert watch.take(state_at(3.0 * DT), DT).time == 3.0 * DT
    for k in range(round(DAMP_AFTER / DT)):
        watch.take(replace(state_at((4 + k) * DT), q=jumped), DT)
    assert watch.hopeless


def test_a_joint_that_moves_as_fast_as_it_says_is_believed_after_a_gap_too():
    watch, moved, speed = StateWatch(state_at(0.0)), np.zeros(9), np.zeros(8)
    moved[8], speed[7] = 3.0 * MAX_JUMP, 30.0 * MAX_JUMP
    fast = replace(state_at(0.0), v=speed)
    watch.take(fast, DT)
    assert watch.take(replace(state_at(0.1), q=moved, v=speed), 0.1).time == 0.1


def test_a_unit_that_tells_the_same_for_long_is_frozen_though_joints_go_on():
    watch, noise = StateWatch(state_at(0.0)), np.arange(6.0)
    for k in range(1, 11):
        assert watch.take(replace(state_at(k * DT), inertial=noise + k), DT).time == k * DT
    frozen = [replace(state_at(0.01 + k * DT), inertial=noise + 10) for k in range(1, 100)]
    believed = [watch.take(state, DT) is state for state in frozen]
    assert all(believed[: round(FROZEN_AFTER / DT) - 1])
    assert not any(believed[round(FROZEN_AFTER / DT) + 1 :])
    assert watch.lost


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
