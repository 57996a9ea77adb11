"""What a robot is to do so that it moves as a person does."""

import numpy as np
import pytest

from handhold.app.lab.scenarios.kinematic_human import HumanPose, make_human
from handhold.retarget.whole_body.body_targets import find_targets
from handhold.retarget.whole_body.human_stance import HumanStance

REACHED = 1e-6  # [m]


def ask(pose, calibration, mapping):
    return find_targets(HumanStance(calibration).read(make_human(pose, 4.0, 100)), calibration, mapping)


def test_who_stands_as_at_calibration_asks_for_the_nominal_body(calibration, mapping):
    targets = ask(HumanPose(), calibration, mapping)
    assert np.allclose(targets.rotations, mapping.rotations, atol=1e-9)
    assert np.allclose(targets.pelvis, mapping.pelvis, atol=1e-9)
    assert (targets.com.along, targets.com.across) == pytest.approx((0.5, 0.0), abs=1e-9)
    assert (targets.limbs[:, 2] < -0.98).all()


def test_a_stretched_arm_asks_for_a_stretched_arm(calibration, mapping):
    straight = HumanPose(left_flexion=np.pi / 2, left_abduction=0.0, left_elbow=0.0)
    targets = ask(straight, calibration, mapping)
    arm, waist = mapping.arms[0], mapping.pelvis + mapping.waist
    reach = targets.hands[0][:3, 3] - (waist + mapping.shoulders[0])
    assert np.linalg.norm(reach) == pytest.approx(arm.length, abs=2e-3)
    assert reach[0] == pytest.approx(arm.length, abs=5e-3)
    assert np.allclose(targets.limbs[:2], [1.0, 0.0, 0.0], atol=1e-6)


def test_a_squat_goes_down_by_the_ratio_of_the_legs(calibration, mapping):
    targets = ask(HumanPose(drop=0.2), calibration, mapping)
    ratio = mapping.leg_length / calibration.leg_length
    assert mapping.pelvis[2] - targets.pelvis[2] == pytest.approx(0.2 * ratio, abs=1e-9)
    deepest = ask(HumanPose(drop=0.6), calibration, mapping)
    assert mapping.pelvis[2] - deepest.pelvis[2] <= 0.55 * mapping.leg_length + REACHED


def test_a_twist_turns_the_chest_and_not_the_base(calibration, mapping):
    targets = ask(HumanPose(twist=0.5), calibration, mapping)
    assert np.allclose(targets.rotations[0], mapping.rotations[0], atol=1e-9)
    turn = targets.rotations[1] @ mapping.rotations[1].T
    assert np.arctan2(turn[1, 0], turn[0, 0]) == pytest.approx(0.5, abs=1e-9)


def test_who_leans_over_a_foot_asks_for_that_foot(calibration, mapping):
    assert ask(HumanPose(left=0.05), calibration, mapping).com.along < 0.3
    assert ask(HumanPose(left=-0.05), calibration, mapping).com.along > 0.7
    assert ask(HumanPose(forward=0.05), calibration, mapping).com.across > 0.2


def test_elbows_bend_forward(calibration, mapping):
    targets = ask(HumanPose(left_elbow=1.0, right_elbow=1.0), calibration, mapping)
    for (upper_arm, forearm), hinge in zip(targets.limbs.reshape(-1, 2, 3), targets.hinges, strict=True):
        across = np.cross(upper_arm, forearm)
        assert across @ hinge / np.linalg.norm(across) == pytest.approx(1.0, abs=1e-6)
