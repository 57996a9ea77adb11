"""People push a box that two arms hold; and the comparison with the box going where it is commanded."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from handhold.app.lab.scenarios.carry_ablation import WITH, WITHOUT, CarryTrace, describe_carry_ablation
from handhold.app.lab.scenarios.held_box import LIFTED
from handhold.app.lab.scenarios.run import play
from handhold.app.lab.scenarios.shoved_object import DURATION, SHOVED_OBJECT, measure_shoved_object
from handhold.app.lab.scenarios.studies import ABLATION, find_study
from handhold.robots.model import load_model

SHOVED = LIFTED + DURATION + 0.5  # [s]


@pytest.fixture(scope="module")
def model():
    return load_model("dual-panda")


def test_a_box_that_is_shoved_towards_the_robot_neither_slips_nor_overloads_a_motor(model) -> None:
    trace = play(replace(SHOVED_OBJECT, duration=SHOVED), model, "mujoco", 0)
    assert trace.missed == ()
    unfit = [figure.name for figure in measure_shoved_object(model, trace) if not figure.holds]
    assert unfit == []


def make_run(height: list[float], held: list[bool], torque: float) -> CarryTrace:
    count = len(height)
    return CarryTrace(
        times=np.arange(count, dtype=float),
        friction=np.full(count, 0.5),
        torque=np.full(count, min(1.0, torque)),
        commanded_torque=np.full(count, torque),
        height=np.array(height),
        held=np.array(held),
    )


def test_a_box_is_dropped_where_it_goes_from_the_hands_in_the_air() -> None:
    assert make_run([0.0, 0.1, 0.1, -0.9], [True, True, True, False], 0.5).dropped
    assert make_run([0.0, 0.1, -0.5, -0.9], [True] * 4, 0.5).dropped, "it slid out, and nobody noticed"
    assert not make_run([0.0, 0.1, 0.0, 0.0], [True, True, True, False], 0.5).dropped
    assert not make_run([0.0, 0.1, 0.1], [True] * 3, 0.5).dropped, "it is still held at the end"
    assert not make_run([0.0, 0.0], [False, False], 0.5).dropped


@pytest.mark.parametrize(("torque", "fails"), [(1.5, []), (0.9, ["overcome_as_commanded"])])
def test_the_comparison_holds_only_where_something_is_overcome_without_retargeting(model, torque: float, fails) -> None:
    kept, bare = make_run([0.0, 0.1, 0.0], [True] * 3, 0.8), make_run([0.0, 0.1, 0.0], [True] * 3, torque)
    outcome = describe_carry_ablation("carry-two-arms", model, "mujoco", 0, {WITH: kept, WITHOUT: bare})
    assert [figure.name for figure in outcome.figures if not figure.holds] == fails


def test_the_comparison_is_a_study_that_takes_a_seed() -> None:
    find_study(ABLATION, "carry-two-arms").check_seed(3)
