"""Trunk and arm moved alone: where the hand then is, and what it reaches."""

import numpy as np
import pytest

from handhold.retarget.bracing.candidates.arm_chain import ArmChain
from handhold.retarget.bracing.candidates.arm_steps import place_chain
from handhold.robots.kinematics import EffectorKinematics

REACHED = 0.01
"""Distance of a hand from where joints within their limits had it [m]: the pull to other joints is never given up."""


def list_hands(model):
    return [e for e, about in enumerate(model.effectors) if about.hand]


def draw_joints(model, chain, random, share=1.0):
    lower, upper = (limits[chain.positions - 7] for limits in (model.lower, model.upper))
    return 0.5 * (lower + upper) + share * random.uniform(-0.5, 0.5, len(lower)) * (upper - lower)


def test_the_chain_has_the_hand_where_pinocchio_has_it(model):
    random, kinematics = np.random.default_rng(0), EffectorKinematics(model)
    for hand in list_hands(model):
        chain, q = ArmChain(model, hand), model.q_nominal.copy()
        q[chain.positions] = draw_joints(model, chain, random)
        kinematics.update(q)
        count = len(chain.positions)
        pose = place_chain(
            chain.find_root(kinematics), chain._geometry, q[chain.positions], np.zeros((count, 3)), np.zeros((count, 3))
        )
        assert np.abs(pose - kinematics.poses[hand]).max() < 1e-12


def test_no_hand_is_further_from_its_shoulder_than_its_arm_is_long(model):
    random, kinematics = np.random.default_rng(1), EffectorKinematics(model)
    for hand in list_hands(model):
        chain, q = ArmChain(model, hand), model.q_nominal.copy()
        for _ in range(50):
            q[chain.positions] = draw_joints(model, chain, random)
            kinematics.update(q)
            assert np.linalg.norm(kinematics.poses[hand, :3, 3] - chain.find_shoulder(kinematics)) < chain.length + 1e-9


def test_an_arm_comes_to_places_where_it_was_once_within_its_limits(talos):
    random, kinematics = np.random.default_rng(2), EffectorKinematics(talos)
    chain, hand = ArmChain(talos, 2), 2
    preferred, reached = talos.q_nominal[chain.positions], 0
    lower, upper = talos.lower[chain.positions - 7], talos.upper[chain.positions - 7]
    for _ in range(60):
        q = talos.q_nominal.copy()
        q[chain.positions] = preferred + np.clip(0.4 * random.normal(size=len(preferred)), -0.8, 0.8)
        q[7:] = np.clip(q[7:], talos.lower, talos.upper)
        kinematics.update(q)
        there = kinematics.poses[hand].copy()
        kinematics.update(talos.q_nominal)
        joints = preferred.copy()
        missing, facing = chain.reach(
            chain.find_root(kinematics), there[:3, 3].copy(), there[:3, 2].copy(), preferred.copy(), joints
        )
        assert np.all((joints >= lower) & (joints <= upper))
        q[chain.positions] = joints
        kinematics.update(q)
        assert np.linalg.norm(kinematics.poses[hand, :3, 3] - there[:3, 3]) == pytest.approx(missing, abs=1e-9)
        assert kinematics.poses[hand, :3, 2] @ there[:3, 2] == pytest.approx(facing, abs=1e-9)
        reached += missing < REACHED
    # Some are at joint limits that a few steps do not get round.
    assert reached > 50


def test_a_hand_that_points_the_other_way_turns_round(talos):
    kinematics, chain = EffectorKinematics(talos), ArmChain(talos, 2)
    kinematics.update(talos.q_nominal)
    pose = kinematics.poses[2]
    # What is opposite exactly gives no direction of its own.
    joints, normal = talos.q_nominal[chain.positions], -pose[:3, 2].copy()
    start = joints.copy()
    _, facing = chain.reach(chain.find_root(kinematics), pose[:3, 3] + [0.1, 0.1, 0.3], normal, start, joints)
    assert facing > 0.0
