"""Setpoints of the posture along the margin's gradient (eq. 15)."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from handhold.retarget.bracing.margin.posture_retargeting import (
    PosturalStability,
    PostureCase,
    PostureDeviation,
    choose_case,
    step_posture,
)
from handhold.retarget.bracing.margin.stability_parameters import StabilityParameters
from handhold.retarget.bracing.seiko.preferred_posture import PreferredPosture
from handhold.robots.kinematics import EffectorKinematics

DT, ROUNDING = 0.002, 1e-9
PARAMETERS = StabilityParameters()
HAND = 2


@pytest.fixture
def posture(talos):
    kinematics, posture = EffectorKinematics(talos), PreferredPosture(talos)
    kinematics.update(talos.q_nominal)
    posture.update(kinematics, talos.q_nominal[7:])
    return posture


def see(talos, size, margin=0.1):
    gradient = np.random.default_rng(1).normal(size=talos.nv)
    gradient *= size / np.linalg.norm(gradient)
    return PosturalStability(margin=margin, gradient=gradient, sensitivity=size**2)


def start(posture):
    return PostureDeviation.none(len(posture.rotations), len(posture.joints))


@pytest.mark.parametrize(
    ("margin", "size", "case"),
    [
        (0.1, 0.0, PostureCase.NOMINAL),
        (0.2, 0.5, PostureCase.NOMINAL),
        (0.1, 0.5, PostureCase.RETARGET),
        (0.1, 0.01, PostureCase.FREEZE),
    ],
    ids=["insensitive", "ample margin", "sensitive", "hardly sensitive"],
)
def test_margin_and_sensitivity_choose_what_happens(talos, margin, size, case):
    assert choose_case(see(talos, size, margin), PARAMETERS) is case


def test_without_sensitivity_nothing_is_asked_for(talos, posture):
    after = step_posture(start(posture), posture, {}, see(talos, 0.0), DT, PARAMETERS)
    assert after.prefer(posture, np.eye(talos.nv)) is None


def test_setpoints_follow_the_gradient(talos, posture):
    seen, hand = see(talos, 0.12), np.random.default_rng(2).normal(size=(3, talos.nv))
    unbounded = replace(PARAMETERS, max_turn_rate=10.0, max_joint_rate=10.0, max_move_speed=1.0)
    after = step_posture(start(posture), posture, {HAND: hand}, seen, DT, unbounded)
    rates = PARAMETERS.posture_gain * posture.jacobian @ seen.gradient
    count = after.turns.size
    assert np.allclose(after.turns.ravel(), DT * rates[:count], atol=ROUNDING)
    assert after.rise == pytest.approx(DT * rates[count])
    assert np.allclose(after.joints, DT * rates[count + 1 :], atol=ROUNDING)
    assert np.allclose(after.hands[HAND], DT * PARAMETERS.posture_gain * hand @ seen.gradient, atol=ROUNDING)


def test_setpoints_begin_where_the_posture_is(talos, posture):
    after = step_posture(start(posture), posture, {}, see(talos, 0.5), DT, PARAMETERS)
    preferences = after.prefer(posture, np.eye(talos.nv))
    assert after.insistence == pytest.approx(DT / PARAMETERS.fade)
    assert np.abs(preferences.errors).max() < 5e-3


def test_setpoints_stop_at_their_caps_and_do_not_run_ahead_of_the_posture(talos, posture):
    after = start(posture)
    for _ in range(3000):
        after = step_posture(after, posture, {HAND: np.ones((3, talos.nv))}, see(talos, 1.0), DT, PARAMETERS)
    assert np.linalg.norm(after.turns, axis=1).max() <= PARAMETERS.lead
    assert np.linalg.norm(after.hands[HAND]) == pytest.approx(PARAMETERS.max_hand_turn)
    assert abs(after.rise) <= 0.1 * PARAMETERS.lead + ROUNDING
    assert np.abs(after.joints).max() <= PARAMETERS.lead + ROUNDING


def test_between_the_thresholds_setpoints_freeze(talos, posture):
    before = step_posture(start(posture), posture, {}, see(talos, 0.5), DT, PARAMETERS)
    after = step_posture(before, posture, {}, see(talos, 0.01), DT, PARAMETERS)
    assert np.array_equal(after.turns, before.turns)
    assert after.rise == before.rise


def test_setpoints_go_back_at_a_fixed_rate_and_then_let_go(talos, posture):
    after = start(posture)
    for _ in range(100):
        after = step_posture(after, posture, {}, see(talos, 0.5), DT, PARAMETERS)
    largest = np.linalg.norm(after.turns, axis=1).max()
    back = step_posture(after, posture, {}, see(talos, 0.0), DT, PARAMETERS)
    assert largest - np.linalg.norm(back.turns, axis=1).max() == pytest.approx(DT * PARAMETERS.return_turn_rate)
    for _ in range(3000):
        back = step_posture(back, posture, {}, see(talos, 0.0), DT, PARAMETERS)
    assert back.setpoint is None


def test_a_hand_that_bears_no_more_is_forgotten(talos, posture):
    before = step_posture(start(posture), posture, {HAND: np.ones((3, talos.nv))}, see(talos, 0.5), DT, PARAMETERS)
    assert HAND in before.hands
    assert HAND not in step_posture(before, posture, {}, see(talos, 0.5), DT, PARAMETERS).hands


def test_the_setpoint_is_the_nominal_posture_turned(talos, posture):
    turns = np.zeros((len(posture.rotations), 3))
    turns[1] = [0.0, 0.0, 0.3]
    deviation = replace(start(posture), nominal=posture.take(), turns=turns, rise=-0.02, insistence=1.0)
    setpoint = deviation.setpoint
    assert np.allclose(pin.log3(setpoint.rotations[1] @ posture.rotations[1].T), turns[1], atol=ROUNDING)
    assert setpoint.height == pytest.approx(posture.height - 0.02)


def test_setpoints_are_taken_along_where_the_hands_take_the_robot_and_keep_what_was_gained(talos, posture):
    before = step_posture(start(posture), posture, {}, see(talos, 0.1), DT, PARAMETERS)
    posture.joints += 0.5
    posture.rotations[1] = pin.exp3(np.array([0.0, 0.4, 0.0])) @ posture.rotations[1]
    posture.height += 0.1
    after = step_posture(before, posture, {}, see(talos, 0.01), DT, PARAMETERS)
    assert np.array_equal(after.turns, before.turns)
    assert np.array_equal(after.joints, before.joints)
    assert np.abs(after.setpoint.joints - posture.joints).max() <= PARAMETERS.lead + ROUNDING
    ahead = pin.log3(after.setpoint.rotations[1] @ posture.rotations[1].T)
    assert np.linalg.norm(ahead) == pytest.approx(PARAMETERS.lead)
    assert posture.height - after.setpoint.height == pytest.approx(0.1 * PARAMETERS.lead)


def test_a_hand_that_lacks_comes_first(talos, posture):
    moved = before = step_posture(start(posture), posture, {}, see(talos, 0.1), DT, replace(PARAMETERS, fade=DT))
    for _ in range(round(3.0 * PARAMETERS.tracking_time_constant / DT)):
        moved = step_posture(moved, posture, {}, see(talos, 0.1), DT, PARAMETERS, 0.0)
    assert np.array_equal(moved.joints, before.joints)
    assert moved.insistence <= DT / PARAMETERS.fade  # from nothing it comes back no faster than it fades in
    assert np.abs(moved.setpoint.joints - posture.joints).max() < 0.1 * np.abs(before.joints).max()
