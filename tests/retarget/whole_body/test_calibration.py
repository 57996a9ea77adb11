"""A person who stands to be calibrated."""

from dataclasses import replace

import numpy as np
import pytest

from handhold.app.lab.scenarios.kinematic_human import HumanPose, make_human
from handhold.devices.tracked_human import Segment
from handhold.retarget.whole_body.calibration import (
    DURATION,
    CalibrationRefused,
    Calibrator,
    calibrate,
    find_fault,
)
from handhold.retarget.whole_body.human_body import compute_com, read_body
from handhold.retarget.whole_body.human_stance import HumanStance

RATE = 60.0


def hold(calibrator, pose=None, duration=DURATION + 0.1, begin=0.0, change=lambda human: human):
    for k in range(round(duration * RATE)):
        human = change(make_human(pose or HumanPose(), begin + k / RATE, k))
        if (found := calibrator.add(human)) is not None:
            return found
    return None


def turn_room(human, angle, shift):
    """Return a person whose room is turned about the vertical and shifted."""
    cosine, sine = np.cos(angle), np.sin(angle)
    rotation = np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])
    w, z = np.cos(0.5 * angle), np.sin(0.5 * angle)
    x, y, old_z, old_w = human.orientations.T
    turned = np.stack([w * x - z * y, w * y + z * x, w * old_z + z * old_w, w * old_w - z * old_z], axis=1)
    return replace(human, positions=human.positions @ rotation.T + shift, orientations=turned)


def test_who_stands_still_for_three_seconds_is_known():
    calibrator = Calibrator()
    assert hold(calibrator, duration=DURATION - 0.1) is None
    assert 0.9 < calibrator.progress < 1.0
    calibration = hold(Calibrator())
    assert calibration.leg_length == pytest.approx(0.491 * 1.75, abs=0.01)
    assert calibration.arm_lengths[0] == pytest.approx(0.329 * 1.75, abs=1e-6)
    assert abs(calibration.heading) < 1e-9


@pytest.mark.parametrize(
    ("pose", "words"),
    [
        (HumanPose(bend=0.6), "upright"),
        (HumanPose(drop=0.2), "knee"),
        (HumanPose(left_flexion=1.2), "left arm"),
        (HumanPose(right_elbow=1.4), "right arm"),
    ],
)
def test_a_bad_pose_is_refused_in_words(pose, words):
    with pytest.raises(CalibrationRefused, match=words):
        hold(Calibrator(), pose)


def test_feet_on_two_levels_are_refused(calibration):
    positions = calibration.body.positions.copy()
    positions[[Segment.LEFT_LOWER_LEG, Segment.LEFT_FOOT, Segment.LEFT_UPPER_LEG], 2] += 0.08
    assert "level ground" in find_fault(replace(calibration.body, positions=positions))


def test_who_moves_or_is_not_tracked_waits():
    calibrator = Calibrator()
    for k in range(200):
        assert calibrator.add(make_human(HumanPose(left_flexion=0.3 * np.sin(0.2 * k)), k / RATE, k)) is None
    assert calibrator.waits_for == "stand still"
    lost = make_human(HumanPose(), 10.0, 300)
    lost.tracked[Segment.LEFT_HAND] = False
    assert calibrator.add(lost) is None
    assert "left hand" in calibrator.waits_for


def test_another_suit_begins_anew():
    calibrator = Calibrator()
    assert hold(calibrator, duration=2.0) is None
    assert hold(calibrator, duration=2.0, begin=2.0, change=lambda human: replace(human, suit="other")) is None


def test_where_the_room_is_does_not_matter():
    pose, turn, shift = HumanPose(drop=0.2, twist=0.3, left_flexion=0.7), 0.9, np.array([3.0, -1.0, 0.2])
    at_origin = calibrate([make_human(HumanPose(), k / 30.0, k) for k in range(95)])
    elsewhere = calibrate([turn_room(make_human(HumanPose(), k / 30.0, k), turn, shift) for k in range(95)])
    here = HumanStance(at_origin).read(make_human(pose, 4.0, 100))
    there = HumanStance(elsewhere).read(turn_room(make_human(pose, 4.0, 100), turn, shift))
    assert np.allclose(here.positions, there.positions, atol=1e-9)
    assert np.allclose(here.rotations, there.rotations, atol=1e-9)


def test_who_turns_on_the_spot_asks_for_nothing(calibration):
    moved = HumanStance(calibration).read(turn_room(make_human(HumanPose(), 4.0, 100), 1.2, np.zeros(3)))
    assert np.allclose(moved.positions, calibration.body.positions, atol=1e-9)


def test_the_centre_of_mass_is_where_people_have_it():
    body = read_body(make_human(HumanPose(), 0.0, 0), 0.0)
    # standing people have it at 0.56 of their height, and ankles at 0.04 of it
    assert body.position_com[2] == pytest.approx(0.52 * 1.75, abs=0.05)
    assert abs(body.position_com[1]) < 1e-9
    shift = np.array([1.0, 2.0, 3.0])
    assert compute_com(body.positions + shift) == pytest.approx(body.position_com + shift)
