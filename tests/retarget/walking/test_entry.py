"""What keeps a robot from beginning to walk, and the posture it would walk in."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from handhold.app.host.standing import find_standing_posture
from handhold.retarget.walking.entry import find_obstacle_to_walk, preview_walk
from handhold.retarget.walking.footsteps import WalkingVelocity
from handhold.retarget.walking.mode import WalkingMode
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import load_model
from handhold.robots.qp import DaqpSolver
from handhold.robots.robot import RobotState

FOLLOWED = 3e-3  # [m] as from the nominal posture
CONVERGED = 2e-3  # [m] of the inverse kinematics, with its price of posture and speed


@pytest.fixture(scope="module")
def standing():
    model = load_model("talos")
    kinematics = EffectorKinematics(model)
    q = find_standing_posture(model)
    kinematics.update(q)
    return model, q, kinematics.poses.copy(), np.array([True, True, False, False]), kinematics.position_com_in_world.copy()


def test_a_robot_that_stands_on_both_feet_can_begin(standing):
    model, _, poses, contacts, com = standing
    assert find_obstacle_to_walk(model, poses, contacts, com) == ""


@pytest.mark.parametrize(
    ("contacts", "words"),
    [
        ([1, 1, 1, 0], "release the left hand first"),
        ([1, 1, 0, 1], "release the right hand first"),
        ([1, 0, 0, 0], "put the right foot down"),
    ],
)
def test_braces_are_released_and_feet_put_down_first(standing, contacts, words):
    model, _, poses, _, com = standing
    assert words in find_obstacle_to_walk(model, poses, np.array(contacts, dtype=bool), com)


def move_foot(poses, way, turn=(0.0, 0.0, 0.0)):
    moved = poses.copy()
    moved[0, :3, 3] += way
    moved[0, :3, :3] = pin.exp3(np.array(turn)) @ moved[0, :3, :3]
    return moved


@pytest.mark.parametrize(
    ("way", "turn", "words"),
    [
        ((0.0, 0.0, 0.05), (0.0, 0.0, 0.0), "level ground"),
        ((0.0, 0.0, 0.0), (0.2, 0.0, 0.0), "level ground"),
        ((0.0, 0.5, 0.0), (0.0, 0.0, 0.0), "side by side"),
        ((0.0, 0.0, 0.0), (0.0, 0.0, 0.9), "side by side"),
    ],
)
def test_feet_must_stand_as_steps_could_put_them(standing, way, turn, words):
    model, _, poses, contacts, com = standing
    assert words in find_obstacle_to_walk(model, move_foot(poses, way, turn), contacts, com)


def test_the_centre_of_mass_must_be_over_the_feet(standing):
    model, _, poses, contacts, com = standing
    assert "centre of mass" in find_obstacle_to_walk(model, poses, contacts, com + np.array([0.12, 0.0, 0.0]))


@pytest.mark.parametrize(("lower", "obstacle"), [(0.08, False), (0.14, True), (0.3, True)])
def test_a_robot_that_crouches_stands_up_first(standing, lower, obstacle):
    model, _, poses, contacts, com = standing
    words = find_obstacle_to_walk(model, poses, contacts, com - np.array([0.0, 0.0, lower]))
    assert ("stand up by" in words) is obstacle


def test_a_walk_from_the_lowest_posture_is_followed_exactly(standing):
    model, q, poses, contacts, com = standing
    lowest = next(
        h for h in np.arange(0.15, 0.0, -0.005) if not find_obstacle_to_walk(model, poses, contacts, com - [0, 0, h])
    )
    q = preview_walk(model, q, com - [0.0, 0.0, lowest - model.description.walking.com_drop], DaqpSolver())
    mode, kinematics, reference = WalkingMode(model, DaqpSolver()), EffectorKinematics(model), None
    state = RobotState(time=0.0, q=q, v=np.zeros(model.nv), joint_torques=np.zeros(model.n), contact_wrenches=np.zeros((4, 6)))
    reference = mode.enter(state).reference
    for velocity in (WalkingVelocity(forward=0.52), WalkingVelocity(forward=-0.25), WalkingVelocity(turning=0.35)):
        for _ in range(900):
            wrenches = reference.contact_wrenches.copy()
            wrenches[:2, 2] += 20.0 * (~reference.contacts[:2] & (reference.effector_poses[:2, 2, 3] < 1e-3))
            reference = mode.follow(velocity, replace(state, q=reference.q, contact_wrenches=wrenches), 2e-3)
            kinematics.update(reference.q)
            assert np.abs(kinematics.position_com_in_world - reference.position_com_in_world).max() < FOLLOWED
            assert np.abs(kinematics.poses[:2, :3, 3] - reference.effector_poses[:2, :3, 3]).max() < FOLLOWED
    assert mode.failures == 0


def test_the_posture_foreseen_is_lower_on_the_same_feet(standing):
    model, q, poses, _, com = standing
    kinematics = EffectorKinematics(model)
    kinematics.update(preview_walk(model, q, com, DaqpSolver()))
    assert np.abs(kinematics.poses[:2] - poses[:2]).max() < CONVERGED
    assert kinematics.position_com_in_world[2] == pytest.approx(com[2] - model.description.walking.com_drop, abs=CONVERGED)
