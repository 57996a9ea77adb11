"""Feet that do not bear stay over the ground."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from handhold.retarget.bracing.ground_rows import fill_ground_rows, find_lowest, list_corners
from handhold.robots.contact import UNBOUNDED
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import load_model

STEP = 1e-6  # [rad]


@pytest.mark.parametrize("robot", ["talos", "anymal"])
def test_a_row_is_the_gradient_of_the_lowest_points_height(robot: str) -> None:
    model, rng = load_model(robot), np.random.default_rng(0)
    kinematics, corners = EffectorKinematics(model), list_corners(model)
    radii = np.array([effector.radius for effector in model.effectors])
    foot = next(e for e, effector in enumerate(model.effectors) if effector.is_foot)
    q = pin.integrate(model.pinocchio, model.q_nominal, 0.2 * rng.normal(size=model.nv))

    def height(step: np.ndarray) -> float:
        kinematics.update(pin.integrate(model.pinocchio, q, step))
        pose = kinematics.poses[foot]
        return float(pose[2, 3] + find_lowest(pose, corners[foot], radii[foot])[2])

    way = rng.normal(size=model.nv)
    rate = (height(STEP * way) - height(-STEP * way)) / (2.0 * STEP)
    least = height(np.zeros(model.nv))
    rows, lower = np.zeros((1, model.nv + 4)), np.zeros(1)
    floors = np.full(len(model.effectors), least - 0.1)
    feet = np.array([foot])
    fill_ground_rows(feet, kinematics.poses, kinematics.jacobians, corners, radii, floors, 0.2, 0, (rows, lower))
    assert rows[0, : model.nv] @ way == pytest.approx(rate, abs=1e-7)
    assert lower[0] == pytest.approx(-0.2 * 0.1)


def test_without_a_floor_nothing_is_held_and_below_it_nothing_is_pushed_up() -> None:
    model = load_model("talos")
    kinematics, corners = EffectorKinematics(model), list_corners(model)
    kinematics.update(model.q_nominal)
    radii, feet = np.zeros(len(model.effectors)), np.array([0])
    rows, lower = np.ones((1, model.nv)), np.zeros(1)
    for floor, bound in ((-np.inf, -UNBOUNDED), (0.5, 0.0)):
        floors = np.full(len(model.effectors), floor)
        fill_ground_rows(feet, kinematics.poses, kinematics.jacobians, corners, radii, floors, 0.2, 0, (rows, lower))
        assert lower[0] == bound
