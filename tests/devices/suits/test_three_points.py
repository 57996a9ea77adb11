from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from wandering_points import WanderingPoints

from handhold.app.lab.scenarios.kinematic_human import HumanPose, blend_poses, make_human
from handhold.app.lab.scenarios.moving_person import MOTIONS, SUIT_RATE, MovingPerson
from handhold.app.lab.scenarios.worn_headset import see_headset
from handhold.devices.operator_sample import HandSample, OperatorSample
from handhold.devices.suits.skeleton import PARENTS, to_matrices
from handhold.devices.suits.three_points import QUALITY, QUALITY_OF_BODY, ThreePointPerson
from handhold.devices.tracked_human import Segment, TrackedHuman
from handhold.retarget.engagement.human_screening import HumanScreen, find_unsound
from handhold.retarget.whole_body.calibration import Calibrator, HumanCalibration, find_missing
from handhold.retarget.whole_body.human_stance import HumanStance

STANDING_TIME = 3.0  # [s]
GIVING = (Segment.LEFT_UPPER_ARM, Segment.RIGHT_UPPER_ARM)  # shoulders give way where an arm would be too short


def stand(person: ThreePointPerson, *joints: Segment) -> TrackedHuman:
    """Let somebody stand to be measured, of whom some joints are seen besides; return the last sample."""
    human = None
    for k in range(int(STANDING_TIME * SUIT_RATE)):
        human = person.update(see_joints(make_human(HumanPose(), k / SUIT_RATE, k), *joints))
    assert human is not None
    return human


def move(person: ThreePointPerson, end: HumanPose, seconds: float = 3.0) -> tuple[TrackedHuman, TrackedHuman]:
    """Let somebody stand, and then come to a posture; return the truth and what three points tell."""
    stand(person)
    for k in range(int(seconds * SUIT_RATE)):
        time = STANDING_TIME + k / SUIT_RATE
        truth = make_human(blend_poses(HumanPose(), end, min(1.0, k / SUIT_RATE / 2.0)), time, 1000 + k)
        human = person.update(see_headset(truth))
    assert human is not None
    return truth, human


def measure_bones(human: TrackedHuman) -> np.ndarray:
    return np.array(
        [
            np.linalg.norm(human.positions[segment] - human.positions[PARENTS[segment]])
            for segment in range(1, len(Segment))
            if segment not in GIVING
        ]
    )


def test_head_and_hands_are_where_they_are_seen() -> None:
    person, points = ThreePointPerson(), WanderingPoints(np.random.default_rng(0))
    for k in range(900):
        sample = points.sample(k / 60.0, k)
        human = person.update(sample)
        assert human is not None
        assert sample.head is not None
        matrices = to_matrices(human.orientations)
        assert np.allclose(matrices[Segment.HEAD], sample.head.rotation, atol=1e-9)
        # The eyes have one place in the head, and the grip one in the hand, from beginning to end.
        eyes = sample.head.actInv(human.positions[Segment.HEAD])
        wrists = [
            hand.pose.actInv(human.positions[segment])
            for hand, segment in ((sample.left, Segment.LEFT_HAND), (sample.right, Segment.RIGHT_HAND))
            if hand.pose is not None
        ]
        height = 1.62 / 0.936
        assert np.allclose(wrists, [0.0, 0.0, 0.04 * height], atol=1e-9)
        assert np.allclose(eyes[:2], [-0.05 * height, 0.0], atol=1e-9)


def test_bones_keep_their_lengths_once_the_person_is_known() -> None:
    for seed in range(3):
        person, points, lengths = ThreePointPerson(), WanderingPoints(np.random.default_rng(seed)), []
        for k in range(900):
            human = person.update(points.sample(k / 60.0, k))
            assert human is not None
            if human.time > STANDING_TIME:
                lengths.append(measure_bones(human))
        assert np.ptp(lengths, axis=0).max() < 1e-9


@pytest.mark.parametrize("seed", range(2))
def test_no_segment_jumps_while_the_three_points_move_smoothly(seed: int) -> None:
    steps = []
    for rate in (100.0, 400.0):
        person, points = ThreePointPerson(), WanderingPoints(np.random.default_rng(seed))
        before, largest, turned = None, 0.0, 0.0
        for k in range(int(12.0 * rate)):
            human = person.update(points.sample(k / rate, k))
            assert human is not None
            if before is not None and before.suit == human.suit:
                largest = max(largest, float(np.linalg.norm(human.positions - before.positions, axis=1).max()))
                cosine = np.abs(np.sum(human.orientations * before.orientations, axis=1)).min()
                turned = max(turned, 2.0 * float(np.arccos(min(1.0, cosine))))
            before = human
        steps.append((largest, turned))
    (coarse, coarse_turn), (fine, fine_turn) = steps
    # Head and hands move by up to 6 mm from one sample to the next, and elbows swivel by up to 3 rad/s.
    assert coarse < 0.02
    # What is continuous moves a fourth as far in a fourth of the time; what jumps does not.
    assert fine < 0.3 * coarse
    assert fine_turn < 0.3 * coarse_turn


def test_a_person_of_three_points_passes_the_screen_and_calibrates() -> None:
    person, screen, calibrator, calibrated = ThreePointPerson(), HumanScreen(), Calibrator(), None
    for k in range(int(6.0 * SUIT_RATE)):
        time = k / SUIT_RATE
        human = person.update(see_headset(make_human(HumanPose(), time, k)))
        assert human is not None
        assert find_unsound(human) == ""
        assert human.quality == QUALITY
        screen.update(human, time, 1.0 / SUIT_RATE)
        calibrated = calibrated or calibrator.add(human)
    assert screen.refused == 0
    assert isinstance(calibrated, HumanCalibration)


@pytest.mark.parametrize("name", sorted(MOTIONS))
def test_the_screen_refuses_no_sample_of_a_person_who_moves(name: str) -> None:
    mover, person, screen = MovingPerson(np.random.default_rng(1), {name: MOTIONS[name]}), ThreePointPerson(), HumanScreen()
    for k in range(int(20.0 * SUIT_RATE)):
        time = k / SUIT_RATE
        screen.update(person.update(see_headset(mover.track(time, moves=time > 5.0))), time, 1.0 / SUIT_RATE)
        assert screen.fault == ""


def compare(seed: int, seconds: float = 60.0) -> dict[str, np.ndarray]:
    """Return how far what is completed is from the truth, as the whole-body mode sees both, while somebody moves."""
    mover, person = MovingPerson(np.random.default_rng(seed)), ThreePointPerson()
    stances: list[tuple[Calibrator, list[HumanStance]]] = [(Calibrator(), []), (Calibrator(), [])]
    errors: dict[str, list[float]] = {name: [] for name in ("pelvis", "chest", "elbow", "com", "pelvis_turn", "chest_turn")}
    start = None
    for k in range(int(seconds * SUIT_RATE)):
        time = k / SUIT_RATE
        truth = mover.track(time, moves=time > 6.0)
        human = person.update(see_headset(truth))
        assert human is not None
        bodies = []
        for each, (calibrator, stance) in zip((truth, human), stances, strict=True):
            if not stance and (calibration := calibrator.add(each)):
                stance.append(HumanStance(calibration))
            if stance:
                bodies.append(stance[0].read(each))
        if len(bodies) < 2 or time < 6.0:
            start = bodies if len(bodies) == 2 else start
            continue
        assert start is not None
        moved = [body.positions - first.positions for body, first in zip(bodies, start, strict=True)]
        if np.linalg.norm(moved[0][[Segment.HEAD, Segment.LEFT_HAND, Segment.RIGHT_HAND]], axis=1).max() < 0.02:
            continue
        off = np.linalg.norm(moved[1] - moved[0], axis=1)
        turns = [body.rotations @ np.swapaxes(first.rotations, 1, 2) for body, first in zip(bodies, start, strict=True)]
        coms = [body.position_com - first.position_com for body, first in zip(bodies, start, strict=True)]
        errors["pelvis"].append(off[Segment.PELVIS])
        errors["chest"].append(off[Segment.T8])
        errors["elbow"].append(max(off[Segment.LEFT_FOREARM], off[Segment.RIGHT_FOREARM]))
        errors["com"].append(float(np.linalg.norm((coms[1] - coms[0])[:2])))
        for name, segment in (("pelvis_turn", Segment.PELVIS), ("chest_turn", Segment.T8)):
            errors[name].append(float(np.linalg.norm(pin.log3(turns[1][segment] @ turns[0][segment].T))))
    return {name: np.array(values) for name, values in errors.items()}


def test_what_is_completed_is_near_the_truth() -> None:
    runs = [compare(seed) for seed in range(2)]
    medians = {name: float(np.median(np.concatenate([run[name] for run in runs]))) for name in runs[0]}
    assert medians["pelvis"] < 0.03
    assert medians["chest"] < 0.03
    assert medians["elbow"] < 0.06
    assert medians["com"] < 0.02
    assert medians["pelvis_turn"] < np.radians(6.0)
    assert medians["chest_turn"] < np.radians(6.0)


def test_who_squats_bends_the_legs_and_not_the_trunk() -> None:
    truth, human = move(ThreePointPerson(), HumanPose(drop=0.3))
    assert human.positions[Segment.PELVIS, 2] == pytest.approx(truth.positions[Segment.PELVIS, 2], abs=0.02)
    trunk = human.positions[Segment.NECK] - human.positions[Segment.PELVIS]
    assert np.arctan2(np.linalg.norm(trunk[:2]), trunk[2]) < np.radians(5.0)


def test_who_bends_forward_leans_the_trunk_and_puts_the_hips_back() -> None:
    person = ThreePointPerson()
    before = stand(person)
    _, human = move(ThreePointPerson(), HumanPose(pitch=0.4, bend=0.5, forward=-0.12))
    trunk = human.positions[Segment.NECK] - human.positions[Segment.PELVIS]
    assert np.arctan2(trunk[0], trunk[2]) > np.radians(30.0)
    assert human.positions[Segment.PELVIS, 0] < before.positions[Segment.PELVIS, 0] - 0.03
    assert human.positions[Segment.PELVIS, 2] > before.positions[Segment.PELVIS, 2] - 0.08


def test_who_shifts_the_weight_moves_the_pelvis_over_feet_that_stay() -> None:
    before = stand(ThreePointPerson())
    _, human = move(ThreePointPerson(), HumanPose(left=0.08))
    moved = human.positions - before.positions
    assert moved[Segment.PELVIS, 1] == pytest.approx(0.08, abs=0.01)
    assert np.abs(moved[[Segment.LEFT_FOOT, Segment.RIGHT_FOOT]]).max() < 0.005


def measure_chest_turn(before: TrackedHuman, after: TrackedHuman) -> float:
    axes = [to_matrices(human.orientations[[Segment.T8]])[0] for human in (before, after)]
    return float(np.linalg.norm(pin.log3(axes[1] @ axes[0].T)))


def test_a_hand_that_reaches_ahead_turns_no_chest() -> None:
    before = stand(ThreePointPerson())
    _, human = move(ThreePointPerson(), HumanPose(left_flexion=1.4))
    assert measure_chest_turn(before, human) < np.radians(3.0)


def test_a_look_aside_turns_no_chest() -> None:
    person = ThreePointPerson()
    before = stand(person)
    sample = see_headset(make_human(HumanPose(), STANDING_TIME, 1000))
    assert sample.head is not None
    # The head turns about the neck, which is 9 cm behind the eyes.
    neck = sample.head * pin.SE3(np.eye(3), np.array([-0.09, 0.0, 0.0]))
    looked = neck * pin.SE3(pin.utils.rotate("z", 0.9), np.zeros(3)) * neck.actInv(sample.head)
    human = person.update(replace(sample, head=looked))
    assert human is not None
    assert measure_chest_turn(before, human) < np.radians(3.0)


def test_feet_follow_smoothly_once_the_weight_has_left_them() -> None:
    person = ThreePointPerson()
    before = last = stand(person)
    fastest = 0.0
    for k in range(int(8.0 * SUIT_RATE)):
        human = make_human(HumanPose(), STANDING_TIME + k / SUIT_RATE, 1000 + k)
        away = 1.0 * min(1.0, k / SUIT_RATE / 4.0)
        sample = see_headset(replace(human, positions=human.positions + np.array([away, 0.0, 0.0])))
        walked = person.update(sample)
        assert walked is not None
        fastest = max(fastest, float(np.linalg.norm(walked.positions - last.positions, axis=1).max()))
        last = walked
    assert last.positions[Segment.LEFT_FOOT, 0] - before.positions[Segment.LEFT_FOOT, 0] == pytest.approx(1.0, abs=0.05)
    assert fastest < 0.02
    assert last.suit == before.suit


def test_who_turns_on_the_spot_takes_the_feet_along() -> None:
    person = ThreePointPerson()
    stand(person)
    for k in range(int(8.0 * SUIT_RATE)):
        turn = pin.utils.rotate("z", 2.0 * min(1.0, k / SUIT_RATE / 4.0))
        sample = see_headset(make_human(HumanPose(), STANDING_TIME + k / SUIT_RATE, 1000 + k))
        points = [pin.SE3(turn, np.zeros(3)) * pose for pose in (sample.head, sample.left.pose, sample.right.pose)]
        human = person.update(
            replace(sample, head=points[0], left=HandSample(pose=points[1]), right=HandSample(pose=points[2]))
        )
    assert human is not None
    ahead = human.positions[Segment.LEFT_TOE] - human.positions[Segment.LEFT_FOOT]
    assert np.arctan2(ahead[1], ahead[0]) == pytest.approx(2.0, abs=np.radians(8.0))


def test_a_hand_that_is_not_seen_takes_its_arm_along() -> None:
    person = ThreePointPerson()
    stand(person)
    sample = see_headset(make_human(HumanPose(), STANDING_TIME, 1000))
    human = person.update(replace(sample, left=HandSample()))
    assert human is not None
    lost = {Segment(k) for k in np.flatnonzero(~human.tracked)}
    assert lost == {Segment.LEFT_UPPER_ARM, Segment.LEFT_FOREARM, Segment.LEFT_HAND}
    assert find_unsound(human) == ""


def test_nobody_is_there_without_a_head_or_with_the_headset_off() -> None:
    person = ThreePointPerson()
    sample = see_headset(make_human(HumanPose(), 0.0, 0))
    broken = pin.SE3(np.eye(3), np.full(3, np.nan))
    assert person.update(replace(sample, head=None)) is None
    assert person.update(replace(sample, focused=False)) is None
    assert person.update(replace(sample, head=broken)) is None
    assert person.update(sample) is not None


def test_another_room_or_another_run_is_another_person() -> None:
    person = ThreePointPerson()
    first = stand(person)
    sample = see_headset(make_human(HumanPose(), STANDING_TIME, 1000))
    recentred = person.update(replace(sample, origin=1))
    reopened = person.update(replace(sample, device="headset again"))
    assert recentred is not None
    assert reopened is not None
    assert len({first.suit, recentred.suit, reopened.suit}) == 3


def test_who_sat_first_is_measured_anew_after_standing_up() -> None:
    person = ThreePointPerson()
    names = []
    for k in range(int(8.0 * SUIT_RATE)):
        sat = make_human(HumanPose(), k / SUIT_RATE, k)
        lower = [0.0, 0.0, -0.4 if k < 3.0 * SUIT_RATE else 0.0]
        human = person.update(see_headset(replace(sat, positions=sat.positions + lower)))
        assert human is not None
        names.append(human.suit)
    assert len(set(names)) == 3
    assert human.positions[Segment.LEFT_FOOT, 2] == pytest.approx(0.039 * 1.75, abs=0.01)


def test_a_room_without_a_floor_has_a_person_of_average_height() -> None:
    person = ThreePointPerson()
    for k in range(200):
        standing = make_human(HumanPose(), k / SUIT_RATE, k)
        human = person.update(see_headset(replace(standing, positions=standing.positions - [0.0, 0.0, 1.638])))
    assert human is not None
    height = human.positions[Segment.HEAD, 2] - human.positions[Segment.LEFT_FOOT, 2]
    assert height == pytest.approx(0.84 * 1.75, abs=0.03)


def see_joints(truth: TrackedHuman, *segments: Segment) -> OperatorSample:
    return replace(see_headset(truth), joints={segment: truth.positions[segment] for segment in segments})


def test_joints_that_are_seen_take_the_place_of_what_is_assumed() -> None:
    pose = HumanPose(drop=0.2, forward=-0.08, bend=0.5, left_flexion=1.2, left_abduction=0.7, left_elbow=0.9, right_lift=0.0)
    seen = (Segment.PELVIS, Segment.LEFT_FOREARM, Segment.RIGHT_FOREARM, Segment.LEFT_FOOT, Segment.RIGHT_FOOT)
    off = {}
    for joints in ((), seen):
        person = ThreePointPerson()
        before = stand(person, *joints)
        for k in range(300):
            at = blend_poses(HumanPose(), pose, min(1.0, k / 200))
            truth = make_human(at, STANDING_TIME + k / SUIT_RATE, 1000 + k)
            human = person.update(see_joints(truth, *joints))
        assert human is not None
        first = make_human(HumanPose(), 0.0, 0)
        moved, true = human.positions - before.positions, truth.positions - first.positions
        off[len(joints)] = np.linalg.norm((moved - true)[[Segment.PELVIS, Segment.LEFT_FOREARM]], axis=1)
    assert (off[len(seen)] < off[0]).all()
    assert off[len(seen)][0] < 0.03
    assert human.quality == QUALITY_OF_BODY


def test_a_foot_that_is_seen_is_lifted() -> None:
    person, ankles = ThreePointPerson(), (Segment.LEFT_FOOT, Segment.RIGHT_FOOT)
    stand(person, *ankles)
    for k in range(120):
        pose = blend_poses(HumanPose(), HumanPose(left=0.09, right_lift=0.12), k / 119)
        human = person.update(see_joints(make_human(pose, STANDING_TIME + k / SUIT_RATE, 1000 + k), *ankles))
    assert human is not None
    lifted = human.positions[Segment.RIGHT_FOOT, 2] - human.positions[Segment.LEFT_FOOT, 2]
    assert lifted == pytest.approx(0.12, abs=0.01)


def test_a_joint_that_was_seen_while_standing_and_is_not_any_more_is_not_tracked() -> None:
    person = ThreePointPerson()
    stand(person, Segment.PELVIS)
    truth = make_human(HumanPose(), STANDING_TIME, 1000)
    lost = person.update(see_joints(truth))
    other = person.update(see_joints(truth, Segment.PELVIS, Segment.LEFT_FOREARM))
    assert lost is not None
    assert other is not None
    assert find_missing(lost) == "pelvis"
    assert other.tracked.all()


def test_a_joint_that_was_not_seen_while_standing_changes_nothing() -> None:
    person, without = ThreePointPerson(), ThreePointPerson()
    stand(person)
    stand(without)
    truth = make_human(HumanPose(drop=0.05), STANDING_TIME, 1000)
    seen, unseen = person.update(see_joints(truth, Segment.PELVIS)), without.update(see_joints(truth))
    assert seen is not None
    assert unseen is not None
    assert np.array_equal(seen.positions, unseen.positions)


TRACKERS = (Segment.PELVIS, Segment.LEFT_FOOT, Segment.RIGHT_FOOT, Segment.LEFT_FOREARM)


def see_trackers(truth: TrackedHuman, mounts: dict[Segment, pin.SE3]) -> OperatorSample:
    """Return a sample with trackers that are strapped on somehow."""
    rotations = to_matrices(truth.orientations)
    worn = {one: pin.SE3(rotations[one], truth.positions[one]) * mount for one, mount in mounts.items()}
    return replace(see_headset(truth), trackers=worn)


def test_trackers_go_with_the_joints_however_they_are_strapped_on() -> None:
    random = np.random.default_rng(0)
    mounts = {one: pin.SE3(pin.SE3.Random().rotation, random.uniform(-0.1, 0.1, 3)) for one in TRACKERS}
    person, end = ThreePointPerson(), HumanPose(left=0.09, right_lift=0.12, bend=0.3, forward=-0.06)
    before = None
    for k in range(400):
        pose = blend_poses(HumanPose(), end, min(1.0, max(0.0, (k - 180) / 180.0)))
        truth = make_human(pose, k / SUIT_RATE, k)
        human = person.update(see_trackers(truth, mounts))
        before = human if k == 170 else before
    assert human is not None
    assert before is not None
    moved = (human.positions - before.positions) - (truth.positions - make_human(HumanPose(), 0.0, 0).positions)
    assert np.linalg.norm(moved[Segment.PELVIS]) < 0.03
    assert np.linalg.norm(moved[[Segment.LEFT_FOOT, Segment.RIGHT_FOOT]], axis=1).max() < 0.015
    assert human.quality == QUALITY_OF_BODY
    assert human.suit == before.suit


def test_noise_of_the_three_points_is_hardly_amplified() -> None:
    random, noise = np.random.default_rng(0), 5e-4

    def shake(pose: pin.SE3 | None) -> pin.SE3:
        assert pose is not None
        turn = pin.exp3(1.5e-3 * random.normal(size=3))
        return pin.SE3(pose.rotation @ turn, pose.translation + noise * random.normal(size=3))

    for posture in (HumanPose(), HumanPose(pitch=0.4, bend=0.5, forward=-0.12), HumanPose(left_flexion=1.5, left_elbow=0.02)):
        person, places = ThreePointPerson(), []
        for k in range(500):
            pose = blend_poses(HumanPose(), posture, min(1.0, max(0.0, (k - 180) / 120.0)))
            seen = see_headset(make_human(pose, k / SUIT_RATE, k))
            left, right = HandSample(pose=shake(seen.left.pose)), HandSample(pose=shake(seen.right.pose))
            human = person.update(replace(seen, head=shake(seen.head), left=left, right=right))
            assert human is not None
            places += [human.positions] if k > 320 else []
        deviations = np.linalg.norm(np.std(places, axis=0), axis=1)
        assert deviations.max() < 2.0 * np.sqrt(3.0) * noise


def throw(random: np.random.Generator, size: float) -> pin.SE3 | None:
    """Return a pose anywhere, far away at times, or none."""
    if random.random() < 0.1:
        return None
    place = random.normal(size=3) * size * 10.0 ** random.uniform(-2.0, 0.7) + [0.0, 0.0, 1.2]
    return pin.SE3(pin.exp3(random.normal(size=3) * 2.0), place)


def test_whatever_the_points_do_the_person_is_sound() -> None:
    random = np.random.default_rng(0)
    person, known, time = ThreePointPerson(), 0, 0.0
    for k in range(3000):
        head, left, right = throw(random, 1.0), throw(random, 0.5), throw(random, 0.5)
        if head is not None and random.random() < 0.3:
            left = head  # a hand at the eyes
        time += 10.0 ** random.uniform(-3.0, 0.0)
        hands = HandSample(pose=left), HandSample(pose=right)
        sample = OperatorSample(time=time, sequence=k, device="thrown", head=head, left=hands[0], right=hands[1])
        human = person.update(sample)
        known += human is not None
        assert human is None or find_unsound(human) == ""
    assert known > 1000
