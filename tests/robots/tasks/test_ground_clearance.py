"""Feet that do not bear stay over the ground."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from handhold.robots.contact import UNBOUNDED
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import load_model
from handhold.robots.tasks.ground_clearance import GroundClearance, find_lowest, list_corners, list_radii

STEP = 1e-6  # [rad]


def lay(limit: GroundClearance, size: int) -> GroundClearance:
    limit.lay(np.zeros((limit.row_count, size)), np.zeros(limit.row_count), np.zeros(limit.row_count))
    return limit


@pytest.mark.parametrize("robot", ["talos", "anymal"])
def test_a_row_is_the_gradient_of_the_lowest_points_height(robot: str) -> None:
    model, rng = load_model(robot), np.random.default_rng(0)
    kinematics, corners = EffectorKinematics(model), list_corners(model)
    radii = list_radii(model)
    foot = next(e for e, effector in enumerate(model.effectors) if effector.is_foot)
    q = pin.integrate(model.pinocchio, model.q_nominal, 0.2 * rng.normal(size=model.nv))

    def height(step: np.ndarray) -> float:
        kinematics.update(pin.integrate(model.pinocchio, q, step))
        pose = kinematics.poses[foot]
        return float(pose[2, 3] + find_lowest(pose, corners[foot], radii[foot])[2])

    direction = rng.normal(size=model.nv)
    rate = (height(STEP * direction) - height(-STEP * direction)) / (2.0 * STEP)
    least = height(np.zeros(model.nv))
    limit = lay(GroundClearance(model, kinematics, np.array([foot])), model.nv + 4)
    limit.floors, limit.barrier = np.full(len(model.effectors), least - 0.1), 0.2
    limit.fill()
    assert limit.rows[0, : model.nv] @ direction == pytest.approx(rate, abs=1e-7)
    assert limit.lower[0] == pytest.approx(-0.2 * 0.1)


def test_without_a_floor_nothing_is_held_and_below_it_nothing_is_pushed_up() -> None:
    model = load_model("talos")
    kinematics = EffectorKinematics(model)
    kinematics.update(model.q_nominal)
    limit = lay(GroundClearance(model, kinematics, np.array([0])), model.nv)
    limit.rows[:] = 1.0
    for floor, bound in ((-np.inf, -UNBOUNDED), (0.5, 0.0)):
        limit.floors = np.full(len(model.effectors), floor)
        limit.fill()
        assert limit.lower[0] == bound
