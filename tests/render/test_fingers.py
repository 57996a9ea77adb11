"""The fingers of grippers as they are drawn: they slide as the gripper closes."""

from __future__ import annotations

import numpy as np
import pytest
from snapshots import make_snapshot

from handhold.render.composition.compose import compose
from handhold.render.elements.stage import Stage
from handhold.render.fingers import FingerPoses, number_fingers
from handhold.render.interface.view_state import ViewState
from handhold.render.meshes import LinkMesh, load_link_meshes
from handhold.render.streams import Streams
from handhold.robots.model import RobotModel, load_model

CLOSED, OPEN = np.ones(2), np.zeros(2)
APART = 0.092
"""How far Talos's open fingers are apart, as its description says [m]."""


@pytest.fixture(scope="module")
def meshes(model: RobotModel, tmp_path_factory: pytest.TempPathFactory) -> tuple[LinkMesh, ...]:
    return load_link_meshes(model, tmp_path_factory.mktemp("cache"), tolerance=0.015)


def measure_distance(model: RobotModel, meshes: tuple[LinkMesh, ...], joints: np.ndarray) -> float:
    """Return how far the middles of the left gripper's fingers are apart along their way [m]."""
    gripper = model.description.grippers[0]
    frame = model.pinocchio.frames[model.pinocchio.getFrameId(gripper.frame)]
    along = joints[frame.parentJoint, :3, :3] @ frame.placement.rotation[:, 1]
    middles = []
    for joint in (model.pinocchio.njoints, model.pinocchio.njoints + 1):
        drawn = [mesh.vertices @ joints[joint, :3, :3].T + joints[joint, :3, 3] for mesh in meshes if mesh.joint == joint]
        middles.append(float(np.vstack(drawn).mean(axis=0) @ along))
    return middles[0] - middles[1]


def test_every_finger_is_drawn_on_a_joint_of_its_own(model: RobotModel, meshes: tuple[LinkMesh, ...]) -> None:
    numbers = set(number_fingers(model).values())
    assert numbers == set(range(model.pinocchio.njoints, model.pinocchio.njoints + 4))
    assert numbers <= {mesh.joint for mesh in meshes}


def test_fingers_come_together_as_the_gripper_closes(model: RobotModel, stage: Stage, meshes: tuple[LinkMesh, ...]) -> None:
    distances = [
        measure_distance(model, meshes, stage.compute_joints(model.q_nominal, closings)) for closings in (OPEN, CLOSED)
    ]
    assert distances[0] - distances[1] == pytest.approx(APART, abs=1e-4)


@pytest.mark.parametrize("closings", [np.zeros(0), np.full(2, np.nan), np.ones(3)])
def test_a_gripper_of_which_nothing_is_known_is_drawn_open(model: RobotModel, stage: Stage, closings: np.ndarray) -> None:
    expected = stage.compute_joints(model.q_nominal, OPEN)
    assert np.array_equal(stage.compute_joints(model.q_nominal, closings), expected)


def test_a_robot_without_grippers_has_the_joints_of_its_model() -> None:
    model = load_model("g1")
    assert len(Stage(model).compute_joints(model.q_nominal)) == model.pinocchio.njoints
    assert FingerPoses(model).compute(np.zeros((model.pinocchio.njoints, 4, 4)), np.zeros(0)).shape == (0, 4, 4)


def test_fingers_have_the_colour_of_the_wrist_that_carries_them(model: RobotModel, stage: Stage) -> None:
    torques = np.zeros(model.n)
    wrist = stage.finger_parents[0]
    torques[wrist - 2] = model.torque_limits[wrist - 2]
    tints = compose(make_snapshot(model, joint_torques=torques), ViewState(), Streams(), stage).robots[0].tints
    assert tints[wrist, 3] > 0.4
    assert np.array_equal(tints[-4:], tints[stage.finger_parents])


def test_a_scene_shows_how_far_its_grippers_are_closed(model: RobotModel, stage: Stage) -> None:
    scenes = [
        compose(make_snapshot(model, gripper_closings=closings), ViewState(), Streams(), stage) for closings in (OPEN, CLOSED)
    ]
    moved = np.abs(scenes[1].robots[0].joints - scenes[0].robots[0].joints).max(axis=(1, 2))
    assert (moved[: model.pinocchio.njoints] == 0.0).all()
    assert moved[model.pinocchio.njoints :] == pytest.approx(0.5 * APART, abs=0.02)
    assert len(scenes[1].robots) == 1, "the reference's gripper is where the measured one is"
