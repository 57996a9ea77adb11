"""What a session calls is compiled before it begins: nothing may hold up its loop for seconds."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from handhold.app.host.standing import find_standing_posture
from handhold.app.host.warm_up import warm_up
from handhold.retarget.bracing import braced_body
from handhold.retarget.bracing.objects import held_object, load_estimate, object_push
from handhold.retarget.walking import contact_area, ground_survey, mpc
from handhold.robots import grasp
from handhold.robots.estimation import external_force
from handhold.robots.model import load_model
from handhold.robots.simulation.engines import make_robot
from handhold.robots.tasks import object_rows
from handhold.robots.worlds import load_world


def test_changing_to_walking_compiles_nothing_in_a_session():
    model = load_model("talos")
    body = make_robot("mujoco", model, load_world("flat"))
    try:
        posture = find_standing_posture(model)
        warm_up(body, posture)
        # What numba has compiled, or taken from its cache, for some types of arguments.
        surveys = (ground_survey.count_free, ground_survey.find_even, ground_survey.measure_relief)
        called = (mpc.fill_positions, mpc.fill_cost, mpc.fill_stability, contact_area.find_rectangle, *surveys)
        assert [function.__name__ for function in called if not function.signatures] == []
        assert np.abs(body.reset(posture).q - posture).max() < 1e-9
    finally:
        body.close()


def test_taking_an_object_between_both_hands_compiles_nothing_in_a_session():
    model = load_model("dual-panda")
    body = make_robot("mujoco", model, load_world("flat"))
    try:
        warm_up(body, find_standing_posture(model))
        rows = (object_rows._fill_rows, object_rows._fill_targets, object_rows._fill_step, grasp.fill_load_wrenches)
        held = (held_object._sum_wrenches, held_object._measure_slip, held_object._measure_shift)
        unobserved = (external_force.fill_unobserved, braced_body._follow_rows)
        called = (*rows, *held, *unobserved, load_estimate._learn, object_push._measure)
        assert [function.__name__ for function in called if not function.signatures] == []
    finally:
        body.close()


@pytest.mark.parametrize(
    "played",
    [
        ("brace_hand:BRACE_HAND", "12.0"),
        ("walk_straight:WALK_STRAIGHT", "4.0"),
        ("walk_beam:WALK_BEAM", "10.0"),
        ("wall_in_front:WALL_IN_FRONT", "16.0", "retargeting"),
        ("human_motion:HUMAN_MOTION", "12.0"),
    ],
    ids=["brace", "walk", "beam", "retargeting", "whole body"],
)
def test_a_session_compiles_nothing_once_it_has_begun(played):
    # In a process of its own: what other tests have compiled would be known already.
    script = Path(__file__).with_name("compiled_in_a_session.py")
    done = subprocess.run([sys.executable, str(script), *played], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["measured"]
