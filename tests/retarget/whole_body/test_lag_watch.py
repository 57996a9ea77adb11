"""Hands that stay behind the person's, told so that it can be read."""

import pytest

from handhold.retarget.whole_body.body_mapping import find_mapping
from handhold.retarget.whole_body.lag_watch import MIN_LAG, PATIENCE, RENEWAL, LagWatch, concerns, find_limbs
from handhold.robots.model import load_model

DT = 1.0 / 60.0
FAR, NEAR = MIN_LAG + 0.05, MIN_LAG - 0.01


@pytest.fixture
def watch(model, mapping):
    return LagWatch(model, mapping)


def follow(watch, distances, active, duration):
    """Return what is told after each step of a time [s] in which nothing changes."""
    return [watch.update(distances, active, DT) for _ in range(round(duration / DT))]


def test_a_hand_that_is_late_for_an_instant_is_not_told(watch):
    assert not any(follow(watch, [FAR, NEAR], (), PATIENCE - 2.0 * DT))
    assert not any(follow(watch, [NEAR, NEAR], (), 1.0))
    assert not any(follow(watch, [FAR, NEAR], (), PATIENCE - 2.0 * DT))


def test_a_hand_that_stays_behind_is_told_until_it_has_come(watch, model, mapping):
    (lag,) = follow(watch, [FAR, NEAR], (), PATIENCE + 2.0 * DT)[-1]
    assert lag.effector == mapping.arms[0].hand
    assert lag.part == model.effectors[lag.effector].name.replace("_", " ")
    assert lag.point == 7
    assert lag.distance == FAR
    told = follow(watch, [NEAR, NEAR], (), PATIENCE + 2.0 * DT)
    assert told[0]
    assert told[-1] == ()


def test_what_is_told_stays_for_a_second_and_then_is_that_of_now(watch):
    follow(watch, [NEAR, FAR], (), PATIENCE + 2.0 * DT)
    told = follow(watch, [NEAR, 2.0 * FAR], (), RENEWAL + 2.0 * DT)
    assert [lag.distance for (lag,) in told][:: len(told) - 1] == [FAR, 2.0 * FAR]
    assert len({lag.distance for (lag,) in told}) == 2


def test_the_worst_comes_first_and_a_new_person_has_no_lags(watch, mapping):
    told = follow(watch, [FAR, 2.0 * FAR], (), 1.0)[-1]
    assert [lag.effector for lag in told] == [arm.hand for arm in mapping.arms[::-1]]
    watch.forget()
    assert not any(follow(watch, [FAR, FAR], (), 0.5 * PATIENCE))


def test_limits_are_those_that_hold_that_hand_back_its_own_first():
    model = load_model("talos")
    watch = LagWatch(model, find_mapping(model))
    active = (
        "leg_left_4_joint motion",
        "head_1_joint motion",
        "arm_right_4_joint torque",
        "right_arm near torso",
        "left_arm near right_arm",
        "balance",
        "arm_left_4_joint torque",
    )
    left, right = sorted(follow(watch, [FAR, FAR], active, 1.0)[-1], key=lambda lag: lag.effector)
    assert set(left.limits[:2]) == {"arm_left_4_joint torque", "left_arm near right_arm"}
    assert set(left.limits[2:]) == {"leg_left_4_joint motion", "balance"}
    assert set(right.limits[:3]) == {"arm_right_4_joint torque", "right_arm near torso", "left_arm near right_arm"}


def test_a_limit_that_is_seldom_active_is_no_reason(watch):
    for step in range(60):
        told = watch.update([FAR, NEAR], ("balance",) if step % 3 else ("balance", "left_foot friction"), DT)
    (lag,) = told
    assert lag.limits == ("balance",)


def test_limbs_are_apart_and_have_the_joints_of_arms_and_neck(model, mapping):
    *arms, head = find_limbs(model, mapping)
    said = dict(zip(model.joint_names, model.joint_words, strict=True))
    for side, own in zip(("left", "right"), arms, strict=True):
        assert {said[name].split()[0] for name in own if name in said} == {side}
        assert {f"{side} {part}" for part in ("shoulder", "elbow")} <= {said[name] for name in own if name in said}
    assert not arms[0] & arms[1]
    assert not head & (arms[0] | arms[1])
    assert not concerns("balance", arms[0])
