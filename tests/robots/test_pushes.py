"""What force sensors measure of a push on a hand, in both engines."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from handhold.robots.model import RobotModel, load_model
from handhold.robots.simulation.engines import make_robot
from handhold.robots.worlds import load_world

DT = 1e-3
FORCE = np.array([5.0, -3.0, 8.0])


@pytest.fixture(scope="module")
def model() -> RobotModel:
    return load_model("talos")


@pytest.mark.parametrize("engine", ["mujoco", "pybullet"])
def test_a_push_on_a_hand_is_measured_for_the_period_in_which_it_acts(model: RobotModel, engine: str) -> None:
    body = make_robot(engine, model, load_world("flat"))
    hand = model.effector_of_hand("left")
    assert hand is not None
    try:
        state = body.reset(model.q_nominal)
        assert not state.contact_wrenches[hand].any()
        body.push(FORCE, "handhold/left_hand")
        assert not body.read().contact_wrenches[hand].any(), "it has not acted yet"
        body.advance(DT)
        wrench, rotation = body.read().contact_wrenches[hand], body.effector_poses()[hand, :3, :3]
        assert rotation @ wrench[:3] == pytest.approx(FORCE, abs=2e-3)
        assert wrench[3:] == pytest.approx(np.zeros(3), abs=2e-3)
        body.advance(DT)
        assert not body.read().contact_wrenches[hand].any()
    finally:
        body.close()


@pytest.mark.parametrize("engine", ["mujoco", "pybullet"])
def test_a_push_beside_the_contact_frame_has_a_moment_and_others_are_not_measured(model: RobotModel, engine: str) -> None:
    body = make_robot(engine, model, load_world("flat"))
    hand = model.effector_of_hand("left")
    assert hand is not None
    frame = model.effectors[hand].frame
    try:
        state = body.reset(model.q_nominal)
        body.push(FORCE, frame)
        body.push(FORCE, "torso_2_link")
        body.advance(DT)
        wrench, pose = body.read().contact_wrenches[hand], body.effector_poses()[hand]
        pushed = model.pinocchio.createData()
        pin.framesForwardKinematics(model.pinocchio, pushed, state.q)
        arm = pushed.oMf[model.pinocchio.getFrameId(frame)].translation - pose[:3, 3]
        assert pose[:3, :3] @ wrench[:3] == pytest.approx(FORCE, abs=2e-3)
        assert pose[:3, :3] @ wrench[3:] == pytest.approx(np.cross(arm, FORCE), abs=0.02)
    finally:
        body.close()
