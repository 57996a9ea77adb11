"""``carry-walking``: what its figures say of a box that hangs from two hands."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pinocchio as pin
import pytest

from handhold.app.lab.scenarios.box_world import BOX, WORLD
from handhold.app.lab.scenarios.carry_walking import CARRY_WALKING, find_carrying, fit_heavy_box, measure_carried
from handhold.robots.model import load_model
from handhold.robots.worlds import load_world

TIMES = 50


def carried(*, roll: float = 0.0, pitch: float = 0.0, slip: float = 0.0) -> dict[str, float]:
    """Measure a box that goes 2.5 m backwards 0.2 m below two hands, tilted [rad], and slips [m]; it is taken at a fifth."""
    box, hands = np.tile(np.eye(4), (TIMES, 1, 1)), np.zeros((TIMES, 2, 3))
    walked = np.arange(TIMES) >= TIMES // 5
    x = -2.5 * np.linspace(0.0, 1.0, TIMES) * walked
    hands[:, :, 0], hands[:, :, 1], hands[:, :, 2] = x[:, None], (0.2, -0.2), 0.5 + 0.5 * walked[:, None]
    box[:, :3, 3] = hands.mean(axis=1) - (0.0, 0.0, 0.2)
    box[TIMES // 2, :3, :3] = pin.rpy.rpyToMatrix(roll, pitch, 0.0)
    box[TIMES // 2 :, 2, 3] -= slip
    return {figure.name: figure.value for figure in measure_carried(box, hands, walked)}


def test_a_box_that_hangs_still_is_carried() -> None:
    figures = carried()
    assert figures["carried"] == pytest.approx(2.5, abs=0.6)
    assert figures["height"] == pytest.approx(0.5)
    assert figures["tilt"] == figures["swing"] == 0.0
    assert figures["slip"] == pytest.approx(0.0, abs=1e-12)


def test_a_tilt_to_a_side_is_told_from_a_swing() -> None:
    assert carried(roll=0.2)["tilt"] == pytest.approx(0.2)
    assert carried(roll=0.2)["swing"] == pytest.approx(0.0, abs=1e-12)
    assert carried(pitch=-0.3)["swing"] == pytest.approx(0.3)
    assert carried(pitch=-0.3)["tilt"] == pytest.approx(0.0, abs=1e-12)


def test_a_box_that_slips_is_noticed() -> None:
    assert carried(slip=0.08)["slip"] == pytest.approx(0.08)


def test_it_is_carried_from_the_second_walk_on() -> None:
    modes = ["bracing", "walking", "walking", "motions", "whole-body", "walking", "walking"]
    trace = SimpleNamespace(modes=modes)
    assert find_carrying(trace).tolist() == [False] * 5 + [True] * 2  # type: ignore[arg-type]
    assert not find_carrying(SimpleNamespace(modes=modes[:5])).any()  # type: ignore[arg-type]


def test_the_box_weighs_four_kilograms_for_talos_and_is_not_known() -> None:
    model = load_model("talos")
    world = fit_heavy_box(load_world(WORLD), model, np.zeros((0, 4, 4)))
    assert sum(solid.mass or 0.0 for solid in world.solids) == pytest.approx(4.0, abs=0.01)
    assert any(solid.name == BOX for solid in world.solids)
    assert CARRY_WALKING.mapped == "flat"
