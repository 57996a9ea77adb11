"""Two arms carry a box of unknown weight: the beginning of the scenario, and what it is measured by."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from handhold.app.lab.scenarios.carry_two_arms import CARRY_TWO_ARMS, measure_carry
from handhold.app.lab.scenarios.held_box import BOX, MASSES, SHIFT, WEIGHT, vary_weight
from handhold.app.lab.scenarios.run import play
from handhold.app.lab.scenarios.scenario import RobotUnfit
from handhold.robots.model import load_model
from handhold.robots.worlds import load_world

LIFTED = 5.5  # [s]: closed, gripped, and lifted by 15 cm


def test_the_weight_differs_by_seed_and_stays_in_the_box() -> None:
    world = load_world(CARRY_TWO_ARMS.world)
    masses = []
    for seed in range(20):
        varied = {solid.name: solid for solid in vary_weight(world, np.random.default_rng(seed)).solids}
        box, weight = varied[BOX], varied[WEIGHT]
        assert box.mass is not None
        assert weight.mass is not None
        masses.append(box.mass + weight.mass)
        assert np.abs(np.subtract(weight.position, box.position)).max() <= SHIFT
    assert MASSES[0] <= min(masses) < max(masses) <= MASSES[1]
    assert np.ptp(masses) > 2.0


@pytest.mark.parametrize("engine", ["mujoco", "pybullet"])
def test_two_arms_weigh_a_box_and_lift_it_without_letting_it_slip(engine: str) -> None:
    model = load_model("dual-panda")
    trace = play(replace(CARRY_TWO_ARMS, duration=LIFTED), model, engine, 0)
    assert trace.missed == ()
    figures = {figure.name: figure for figure in measure_carry(model, trace)}
    assert figures["lift"].value > 0.14
    # The box is still in the hands.
    unfit = [name for name, figure in figures.items() if not figure.holds and name != "put_down"]
    assert unfit == []


def test_robots_without_two_palms_are_told_what_they_lack() -> None:
    with pytest.raises(RobotUnfit, match="hand that are flat"):
        CARRY_TWO_ARMS.check(load_model("talos"))
