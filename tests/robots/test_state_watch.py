"""States that cannot be believed."""

from dataclasses import replace

import numpy as np
import pytest

from handhold.robots.estimation.state_watch import DAMP_AFTER, LOST_AFTER, StateWatch
from handhold.robots.robot import RobotState


def state_at(time: float) -> RobotState:
    return RobotState(time=time, q=np.zeros(9), v=np.zeros(8), joint_torques=np.zeros(2), contact_wrenches=np.zeros((1, 6)))


@pytest.mark.parametrize("part", ["q", "v", "joint_torques", "contact_wrenches"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_state_with_a_number_that_is_none_is_refused(part, value):
    watch = StateWatch(state_at(0.0))
    good = watch.take(state_at(0.001))
    broken = getattr(good, part).copy()
    broken.flat[0] = value
    assert watch.take(replace(state_at(0.002), **{part: broken})) is good
    assert (watch.refused, watch.missed, watch.lost) == (1, 1, False)


def test_a_state_that_does_not_advance_is_refused_and_lost_after_two_periods():
    watch = StateWatch(state_at(0.0))
    good = watch.take(state_at(0.0))
    for _ in range(LOST_AFTER):
        assert watch.take(state_at(0.0)) is good
    assert watch.lost
    assert not watch.hopeless
    newer = state_at(0.001)
    assert watch.take(newer) is newer
    assert not watch.lost
    for _ in range(DAMP_AFTER):
        watch.take(state_at(0.001))
    assert watch.hopeless
