"""What of a robot follows a person."""

import numpy as np

from handhold.retarget.whole_body.body_mapping import find_mapping
from handhold.retarget.whole_body.hanging_arms import hang_arms
from handhold.retarget.whole_body.limb_directions import LimbDirections
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import load_model

MAX_ANGLE = 0.35  # [rad] of a hanging arm to the vertical: iCub's elbow does not stretch, G1's hangs forward by its limit


def test_both_arms_and_both_feet_follow(model, mapping):
    assert [model.effectors[arm.hand].hand for arm in mapping.arms] == ["left", "right"]
    assert [model.effectors[foot].name for foot in mapping.feet] == ["left_foot", "right_foot"]


def test_left_and_right_are_alike(mapping):
    left, right = mapping.arms
    assert np.isclose(left.length, right.length, atol=1e-3)
    assert np.allclose(mapping.shoulders[0] * [1, -1, 1], mapping.shoulders[1], atol=2e-3)


def test_arms_hang_as_far_as_they_can(model, mapping):
    q = hang_arms(model, [(arm.shoulder, arm.elbow, arm.wrist) for arm in mapping.arms])
    assert (q[7:] >= model.lower).all()
    assert (q[7:] <= model.upper).all()
    kinematics, limbs = EffectorKinematics(model), LimbDirections(model, [limb for arm in mapping.arms for limb in arm.limbs])
    kinematics.update(q)
    limbs.update(kinematics)
    assert (np.arccos(-limbs.directions[:, 2]) < MAX_ANGLE).all()


def test_who_has_no_arms_follows_nobody():
    assert find_mapping(load_model("anymal")) is None
