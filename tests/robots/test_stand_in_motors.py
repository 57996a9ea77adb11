"""Motors that are late by as much as they are said to be, however long they have run."""

from __future__ import annotations

from itertools import accumulate, repeat

import numpy as np
import pytest

from handhold.robots.robot import JointCommand
from handhold.robots.unitree.stand_in_motors import MotorFlaws, Motors

STEP, DELAY = 1e-3, 2e-3


def make_command(torque: float) -> JointCommand:
    nothing = np.zeros(1)
    return JointCommand(
        time=0.0, positions=nothing, velocities=nothing, torques=np.array([torque]), stiffness=nothing, damping=nothing
    )


@pytest.mark.parametrize("begun", [0.0, 10.0, 36.0, 300.0])
def test_a_command_is_there_after_the_delay_whatever_the_time_is(begun: float) -> None:
    motors = Motors(np.ones(1), MotorFlaws(delay=DELAY, bandwidth=1e6), np.random.default_rng(0))
    # A simulation's time is a sum of its steps, with their rounding.
    times = [time for time in accumulate(repeat(STEP, round((begun + 1.0) / STEP))) if time >= begun]
    late, asked = [], 0.0
    for k, time in enumerate(times):
        if k % 10 == 0:
            asked, since = 0.5 - asked, k
            motors.command(make_command(asked), time)
        given = motors.follow(np.zeros(1), np.zeros(1), time, STEP)
        if given[0] == pytest.approx(asked, abs=1e-3) and since is not None:
            late.append((k - since) * STEP)
            since = None
    assert late == pytest.approx([DELAY] * len(late))
    assert len(late) >= len(times) // 10
