"""Targets that are followed without a jump."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from handhold.app.lab.scenarios.kinematic_human import HumanPose, make_human
from handhold.retarget.whole_body.body_targets import find_targets
from handhold.retarget.whole_body.human_stance import HumanStance
from handhold.retarget.whole_body.target_follower import APPROACH_RATE, APPROACH_SPEED, TargetFollower

DT = 2e-3


@pytest.fixture
def ask(calibration, mapping):
    return lambda pose: find_targets(HumanStance(calibration).read(make_human(pose, 4.0, 100)), calibration, mapping)


def test_it_begins_where_the_robot_is_and_ends_where_the_person_is(ask):
    start, aim = ask(HumanPose()), ask(HumanPose(left_flexion=1.4, drop=0.2, twist=0.5, left_elbow=1.0))
    follower = TargetFollower(start, aim)
    before, elapsed = start, 0.0
    while not follower.arrived:
        targets = follower.advance(aim, DT)
        elapsed += DT
        steps = np.linalg.norm(targets.hands[:, :3, 3] - before.hands[:, :3, 3], axis=1)
        # hands on a chord between two poses are no quicker than the slower of all that has to be done
        assert steps.max() <= 1.05 * APPROACH_SPEED * DT + 1e-9
        for a, b in zip(targets.rotations, before.rotations, strict=True):
            assert np.linalg.norm(pin.log3(a @ b.T)) <= 1.1 * APPROACH_RATE * DT + 1e-6
        before = targets
    assert elapsed >= 1.0
    assert np.allclose(before.hands, aim.hands, atol=1e-6)
    assert np.allclose(before.rotations, aim.rotations, atol=1e-6)
    assert np.allclose(before.limbs, aim.limbs, atol=1e-6)


def test_once_there_it_follows_within_a_tenth_of_a_second(ask):
    here, there = ask(HumanPose()), ask(HumanPose(left_flexion=0.3))
    follower = TargetFollower(here, here)
    while not follower.arrived:
        follower.advance(here, DT)
    for _ in range(round(0.1 / DT)):
        targets = follower.advance(there, DT)
    assert np.linalg.norm(targets.hands[0, :3, 3] - there.hands[0, :3, 3]) < 0.02


def test_rotations_stay_rotations(ask):
    here = ask(HumanPose())
    far = replace(here, rotations=np.stack([pin.exp3(np.array([3.0, 0.5, 0.0])) @ r for r in here.rotations]))
    follower = TargetFollower(here, far)
    for _ in range(2000):
        targets = follower.advance(far, DT)
        products = targets.rotations @ np.swapaxes(targets.rotations, 1, 2)
        assert np.allclose(products, np.eye(3), atol=1e-9)
