"""What the operator is told of a contact that bears."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from perfect_robot import PerfectRobot
from stances import stand

from handhold.retarget.bracing.contacts.support import describe_support

LEFT_HAND = 2
UP = np.array([0.0, 0.0, 1.0])


def describe(model, force, normal=UP):
    hand = model.effectors[LEFT_HAND]
    return describe_support(hand, np.array(force), normal, desired_force=1.0, min_force=2.0, margin_gain=0.013)


@given(pressing=st.floats(3.0, 300.0), used=st.floats(0.0, 1.5), angle=st.floats(0.0, 6.3))
def test_a_force_on_the_friction_cone_uses_all_of_it(talos, pressing, used, angle):
    sideways = used * talos.effectors[LEFT_HAND].friction * pressing
    support = describe(talos, (sideways * math.cos(angle), sideways * math.sin(angle), pressing))
    assert support.friction_ratio == pytest.approx(used, rel=1e-9, abs=1e-12)
    assert support.normal_force == pytest.approx(pressing)
    assert support.max_force == talos.effectors[LEFT_HAND].max_normal_force


def test_nothing_is_said_of_friction_where_nothing_presses(talos):
    assert math.isnan(describe(talos, (5.0, 0.0, 1.0)).friction_ratio)
    assert describe(talos, (0.0, 0.0, -4.0)).normal_force == 0.0


def test_bracing_mode_describes_what_bears_and_nothing_else(talos):
    robot = PerfectRobot(stand(talos))
    robot.wait(0.1)
    assert robot.mode.describe().report.left.support is None
    foot = robot.contacts.describe_support(0, math.nan)
    assert foot.normal_force == pytest.approx(foot.desired_force, rel=0.05)
