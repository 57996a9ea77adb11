"""What stability-aware retargeting changes of the operator's commands, and when it changes nothing."""

from dataclasses import replace

import numpy as np
import pytest
from stances import DT, ask, brace, stand

from handhold.perception.surface import Surface
from handhold.retarget.bracing.margin.predicted_margin import PredictedMargin
from handhold.retarget.bracing.margin.region_monitor import RegionMonitor
from handhold.retarget.bracing.margin.retargeting_choice import NOMINAL, Retargeting
from handhold.retarget.bracing.margin.stability_aware import StabilityAware
from handhold.retarget.bracing.margin.stability_parameters import StabilityParameters
from handhold.robots.model import load_model

LEFT_HAND, RIGHT_HAND = 2, 3
ROUND = 250
"""Steps after which the margin has been predicted at all four places around a hand."""
BOTH = Retargeting(contact=True, posture=True)
BY_AREA = StabilityParameters(contact_rule="area")
SQUARE = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
WALL_AHEAD = np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])  # its z looks back at the robot


def make_wall(seiko, distance=0.1):
    """A wall in front of the left hand."""
    pose = np.eye(4)
    pose[:3, :3] = WALL_AHEAD
    pose[:3, 3] = seiko.kinematics.poses[LEFT_HAND, :3, 3] + [distance, 0.0, 0.0]
    return (Surface(pose=pose, boundary=SQUARE, area=4.0, quality=1.0, age=0.0),)


def face_the_wall(seiko):
    """Turn the left hand to a wall ahead."""
    targets = ask(seiko)
    targets.effector_poses[LEFT_HAND, :3, :3] = WALL_AHEAD
    for _ in range(1000):
        assert seiko.step(targets, DT).solved
    return seiko


def lean_on_the_left_hand(model, velocity):
    """Press the left hand onto a wall ahead, then take the centre of mass there."""
    seiko = face_the_wall(stand(model))
    targets = brace(seiko, LEFT_HAND, np.array([-1.0, 0.0, 0.0]))
    for _ in range(1000):
        seiko.terms.command_force(LEFT_HAND, 60.0, DT)
        assert seiko.step(targets, DT).solved
    for _ in range(2000):
        assert seiko.step(ask(seiko, velocity_com=(velocity, 0.0, np.nan)), DT).solved
    return seiko


@pytest.fixture(scope="module")
def braced(talos):
    return lean_on_the_left_hand(talos, 0.0)


@pytest.fixture(scope="module")
def braced_g1():
    """G1, whose arms are so weak that they limit how far it may lean on them."""
    return lean_on_the_left_hand(load_model("g1"), 0.015)


def test_with_both_switched_off_commands_are_untouched(talos, braced):
    retargeter, targets = StabilityAware(talos, braced, NOMINAL), ask(braced)
    desired = targets.effector_poses[RIGHT_HAND]
    for _ in range(20):
        assert retargeter.prefer(targets, DT, hold=False) is targets
        assert retargeter.move_hand(RIGHT_HAND, desired, make_wall(braced), DT, engaged=True) is desired


def test_where_posture_does_not_matter_commands_are_untouched(talos):
    seiko = stand(talos)
    retargeter, targets = StabilityAware(talos, seiko, Retargeting(posture=True)), ask(seiko)
    for _ in range(20):
        after = retargeter.prefer(targets, DT, hold=False)
        assert after.preferences is None
        assert after.effector_poses is targets.effector_poses
    assert retargeter.assessment.sensitivity == 0.0


def test_a_posture_that_limits_the_margin_is_changed_so_that_it_grows(braced_g1):
    parameters = StabilityParameters(ample_margin=1.0, min_sensitivity=1e-6)
    margins = {}
    for choice in (NOMINAL, Retargeting(posture=True)):
        seiko = braced_g1.fork()
        retargeter = StabilityAware(load_model("g1"), seiko, choice, parameters)
        targets = ask(seiko, velocity_com=(0.0, 0.0, np.nan))
        for _ in range(1500):
            assert seiko.step(retargeter.prefer(targets, DT, hold=False), DT).solved
        margins[choice] = seiko.balance.edge.margin
    assert margins[Retargeting(posture=True)] > margins[NOMINAL] + 0.001  # [m]


def test_a_hold_leaves_the_setpoints_where_they_are(talos, braced):
    parameters = StabilityParameters(ample_margin=1.0, min_sensitivity=1e-6)
    seiko = braced.fork()
    seiko.step(ask(seiko), DT)
    retargeter = StabilityAware(talos, seiko, Retargeting(posture=True), parameters)
    retargeter.prefer(ask(seiko), DT, hold=False)
    before = retargeter.deviation
    for _ in range(20):
        retargeter.prefer(ask(seiko), DT, hold=True)
    assert retargeter.deviation is before


def deviate(retargeter, seiko, count=50):
    """Let the posture's setpoints go from nominal."""
    seiko.step(ask(seiko), DT)
    for _ in range(count):
        retargeter.prefer(ask(seiko), DT, hold=False)
    assert retargeter.deviation.turns.any()


def test_the_posture_yields_to_a_free_hand_that_lacks_and_comes_no_nearer(braced_g1):
    parameters, seiko = StabilityParameters(ample_margin=1.0, min_sensitivity=1e-6), braced_g1.fork()
    retargeter = StabilityAware(load_model("g1"), seiko, Retargeting(posture=True), parameters)
    deviate(retargeter, seiko)
    insisted = retargeter.deviation.insistence
    targets, away = ask(seiko, RIGHT_HAND, (0.1, 0.0, 0.0)), np.array([1.0, 0.0, 0.0])
    seiko.v = np.linalg.pinv(seiko.kinematics.jacobians[RIGHT_HAND, :3]) @ (0.1 * away)  # [m/s]
    retargeter.prefer(targets, DT, hold=False)
    assert retargeter.deviation.insistence > insisted
    seiko.v = np.zeros_like(seiko.v)
    retargeter.prefer(targets, DT, hold=False)
    assert retargeter.deviation.insistence <= DT / parameters.fade


def test_a_posture_switched_off_goes_back_at_its_rate_and_then_commands_are_untouched(braced_g1):
    parameters, seiko = StabilityParameters(ample_margin=1.0, min_sensitivity=1e-6), braced_g1.fork()
    retargeter, targets = StabilityAware(load_model("g1"), seiko, Retargeting(posture=True), parameters), ask(seiko)
    deviate(retargeter, seiko)
    retargeter.choice = NOMINAL
    for _ in range(2000):
        before = retargeter.deviation
        after = retargeter.prefer(targets, DT, hold=False)
        if after is targets:
            break
        turned = np.linalg.norm(retargeter.deviation.turns - before.turns, axis=1)
        assert turned.max() < parameters.return_turn_rate * DT + 1e-12
        assert abs(retargeter.deviation.rise - before.rise) < parameters.return_move_rate * DT + 1e-12
        assert before.insistence - retargeter.deviation.insistence < DT / parameters.fade + 1e-12
    assert after is targets
    assert not retargeter.deviation.remains
    assert retargeter.assessment is None


def test_a_posture_switched_off_in_a_hold_waits_and_switched_on_again_goes_on(braced_g1):
    parameters, seiko = StabilityParameters(ample_margin=1.0, min_sensitivity=1e-6), braced_g1.fork()
    retargeter = StabilityAware(load_model("g1"), seiko, Retargeting(posture=True), parameters)
    deviate(retargeter, seiko)
    retargeter.choice, before = NOMINAL, retargeter.deviation
    assert retargeter.prefer(ask(seiko), DT, hold=True).preferences is not None
    assert retargeter.deviation is before
    retargeter.choice = Retargeting(posture=True)
    retargeter.prefer(ask(seiko), DT, hold=False)
    assert retargeter.assessment.sensitivity > 0.0
    assert np.linalg.norm(retargeter.deviation.turns) > np.linalg.norm(before.turns)


def test_a_hand_that_comes_near_a_wall_is_moved_along_it_to_where_the_area_grows(talos):
    seiko = face_the_wall(stand(talos))
    retargeter, wall = StabilityAware(talos, seiko, BOTH, BY_AREA), make_wall(seiko)
    desired = seiko.kinematics.poses[LEFT_HAND].copy()
    for _ in range(100):
        moved = retargeter.move_hand(LEFT_HAND, desired, wall, DT, engaged=True)
    offset, preview = moved[:3, 3] - desired[:3, 3], retargeter.contacts.preview
    assert np.array_equal(moved[:3, :3], desired[:3, :3])
    assert offset[0] == pytest.approx(0.0, abs=1e-12)  # the distance from the wall is the operator's
    assert offset @ preview.gradient > 0.0
    # What the operator sees: with the hand on the wall ahead the region would reach further ahead than the feet's.
    assert preview.region.vertices[:, 0].max() > RegionMonitor(talos, seiko).region.vertices[:, 0].max() + 0.01  # [m]
    assert preview.region.height == seiko.ground_height
    assert 0.0 < np.linalg.norm(offset) <= StabilityParameters().max_displacement


@pytest.mark.parametrize("distance", [1.2, -0.1], ids=["far", "behind the hand"])
def test_a_wall_that_is_far_moves_no_hand(talos, distance):
    seiko = face_the_wall(stand(talos))
    retargeter, desired = StabilityAware(talos, seiko, BOTH), seiko.kinematics.poses[LEFT_HAND].copy()
    for _ in range(10):
        assert np.array_equal(retargeter.move_hand(LEFT_HAND, desired, make_wall(seiko, distance), DT, engaged=True), desired)


def let_go(retargeter, desired, wall):
    """Let go of the left hand until it counts as where the operator has it; its clutch is told so once."""
    before, told = retargeter.contacts.offsets[LEFT_HAND].copy(), []
    while retargeter.contacts.offsets[LEFT_HAND].any():
        assert np.array_equal(retargeter.contacts.offsets[LEFT_HAND], before)  # no jump
        retargeter.move_hand(LEFT_HAND, desired, wall, DT, engaged=False)
        told.append(LEFT_HAND in retargeter.contacts.absorbed)
    retargeter.move_hand(LEFT_HAND, desired, wall, DT, engaged=False)
    assert told == [False] * (len(told) - 1) + [True]
    assert not retargeter.contacts.absorbed


def test_a_hand_is_moved_to_where_the_predicted_margin_grows_and_not_off_its_surface(talos):
    seiko = face_the_wall(stand(talos))
    retargeter, wall = StabilityAware(talos, seiko, BOTH), make_wall(seiko)
    desired = seiko.kinematics.poses[LEFT_HAND].copy()
    margin, place = PredictedMargin(talos, seiko, StabilityParameters().lean), np.array([0.1, 0.0, 0.0])
    for _ in range(3 * ROUND):
        moved = retargeter.move_hand(LEFT_HAND, desired, wall, DT, engaged=True)
    offset = moved[:3, 3] - desired[:3, 3]
    assert offset[0] == pytest.approx(0.0, abs=1e-12)
    assert np.linalg.norm(offset) > 0.01  # [m]
    assert predict(margin, place + offset) > predict(margin, place) + 1e-4  # [m]
    # A surface that ends at the hand on that side is not left.
    short = replace(wall[0], boundary=SQUARE * 0.05)
    kept = StabilityAware(talos, seiko, BOTH)
    for _ in range(3 * ROUND):
        moved = kept.move_hand(LEFT_HAND, desired, (short,), DT, engaged=True)
    assert np.array_equal(moved, desired)


def predict(margin, displacement):
    return list(margin.predict(LEFT_HAND, np.array([-1.0, 0.0, 0.0]), displacement))[-1]


def test_a_clutch_that_closes_anew_begins_with_nothing_moved(talos):
    seiko = face_the_wall(stand(talos))
    retargeter, wall = StabilityAware(talos, seiko, BOTH), make_wall(seiko)
    desired = seiko.kinematics.poses[LEFT_HAND].copy()
    for _ in range(ROUND):
        retargeter.move_hand(LEFT_HAND, desired, wall, DT, engaged=True)
    let_go(retargeter, desired, wall)
    moved = retargeter.move_hand(LEFT_HAND, desired, wall, DT, engaged=True)
    assert np.linalg.norm(moved - desired) < StabilityParameters().max_move_speed * DT + 1e-12


def test_a_contact_switched_off_stays_where_it_is_until_the_clutch_opens(talos):
    seiko = face_the_wall(stand(talos))
    retargeter, wall = StabilityAware(talos, seiko, BOTH), make_wall(seiko)
    desired = seiko.kinematics.poses[LEFT_HAND].copy()
    for _ in range(ROUND):
        moved = retargeter.move_hand(LEFT_HAND, desired, wall, DT, engaged=True)
    assert not np.array_equal(moved, desired)
    retargeter.choice = NOMINAL
    for _ in range(50):
        assert np.array_equal(retargeter.move_hand(LEFT_HAND, desired, wall, DT, engaged=True), moved)
    assert retargeter.contacts.preview is None
    let_go(retargeter, desired, wall)
    assert retargeter.move_hand(LEFT_HAND, desired, wall, DT, engaged=True) is desired


def test_the_operator_sees_the_region_and_what_limits_its_nearest_edge(talos, braced):
    com = braced.kinematics.position_com_in_world[:2].copy()  # where the step begins, which is what it knows
    braced.step(ask(braced), DT)
    sight = RegionMonitor(talos, braced).region
    start, end = sight.vertices[sight.edge], sight.vertices[(sight.edge + 1) % len(sight.vertices)]
    along = (end - start) / np.linalg.norm(end - start)
    assert sight.margin == pytest.approx(along[0] * (com - start)[1] - along[1] * (com - start)[0], abs=1e-6)
    assert sight.limit.split()[-1] in ("torque", "friction", "load", "edge")
