"""A stand is prepared where the robot is: nothing moves that need not."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from handhold.app.host.standing import find_standing_posture
from handhold.retarget.bracing.mode import BracingMode
from handhold.retarget.bracing.preparation import StancePreparation
from handhold.robots.qp import DaqpSolver
from handhold.robots.robot import RobotState

LEANT = Path(__file__).with_name("leant.json")
"""Where a person left a Talos, five sixths of it on its right foot: the smallest forces that balance it tilt the left sole."""

NEXT_TO_NOTHING = 1e-3  # [rad] a step of a millisecond


@pytest.fixture(scope="module")
def standing(talos):
    """What a Talos tracks that stands."""
    wrenches = np.zeros((len(talos.effectors), 6))
    q = find_standing_posture(talos)
    state = RobotState(time=0.0, q=q, v=np.zeros(talos.nv), joint_torques=np.zeros(talos.n), contact_wrenches=wrenches)
    return BracingMode(talos, DaqpSolver()).enter(state).reference


def load_leant(standing):
    told = json.loads(LEANT.read_text())
    return replace(standing, q=np.array(told["q"]), contact_wrenches=np.array(told["wrenches"]))


@pytest.mark.parametrize("prepared", [True, False])
def test_a_robot_that_leans_and_bears_feasibly_is_not_moved(talos, standing, prepared):
    leant, preparation = load_leant(standing), StancePreparation(talos, DaqpSolver(), None)
    while prepared and not preparation.advance(leant):
        pass
    seiko = preparation.finish(leant.q, leant)
    assert seiko.shortcomings.none
    assert np.abs(seiko.q[7:] - leant.q[7:]).max() < NEXT_TO_NOTHING


def test_forces_that_do_not_balance_the_robot_are_not_taken_over(talos, standing):
    light = replace(standing, contact_wrenches=0.5 * standing.contact_wrenches)
    begun, asked = (StancePreparation(talos, DaqpSolver(), None).finish(standing.q, before) for before in (None, light))
    np.testing.assert_array_equal(begun.q, asked.q)
    np.testing.assert_array_equal(begun.wrenches, asked.wrenches)
