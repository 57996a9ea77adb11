"""How stiffly a robot is held that nobody balances."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from handhold.robots.control.holding import STIFFNESS, UPRIGHT, compute_holding_stiffness
from handhold.robots.model import load_model


@pytest.mark.parametrize("robot", ["g1", "h1", "talos"])
def test_standing_limbs_are_stiff_enough_for_its_weight_and_no_joint_is_softer_than_its_motor_allows(robot: str) -> None:
    model = load_model(robot)
    stiffness = compute_holding_stiffness(model)
    assert np.all(stiffness >= STIFFNESS * model.motor_torques)
    height = pin.centerOfMass(model.pinocchio, model.pinocchio.createData(), model.q_nominal)[2]
    ankles = [model.effector_joints[i] - 2 for i, effector in enumerate(model.effectors) if effector.standing]
    assert stiffness[ankles].sum() >= UPRIGHT * model.weight * height - 1e-6


def test_arms_are_held_by_their_motors_alone() -> None:
    model = load_model("h1")
    arms = [joint for joint, name in enumerate(model.joint_names) if "shoulder" in name or "elbow" in name]
    assert compute_holding_stiffness(model)[arms] == pytest.approx(STIFFNESS * model.motor_torques[arms])
