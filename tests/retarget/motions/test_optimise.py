"""From key postures to motions: what is asked for is there, and what cannot be is refused with what mends it."""

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from motions import FEET, HUMANOIDS, make_step_keys

from handhold.retarget.motions.authoring.adapt import adapt_key_postures
from handhold.retarget.motions.authoring.key_postures import KeyPosture, Placement, find_key_postures, load_key_postures
from handhold.retarget.motions.authoring.key_solver import solve_keys
from handhold.retarget.motions.authoring.optimise import optimise_motion
from handhold.retarget.motions.body_measures import list_states, measure_body
from handhold.retarget.motions.chart import compute_body_state
from handhold.retarget.motions.check import examine
from handhold.retarget.motions.errors import MotionFileError, NoMotionFound
from handhold.retarget.motions.motion_file import find_motion_file, known_motions, read_motion

ON_ITS_WAY = 5e-4  # [m] the inverse kinematics weigh a foot's way against the posture's
SAME = 1e-6  # [rad, m] between machines whose linear algebra rounds differently


def place_of(model, motion, effector: int, time: float) -> np.ndarray:
    q = compute_body_state(motion.sample(time), pin.SE3.Identity()).q
    return model.effector_poses(q)[effector, :3, 3]


def test_the_foot_goes_where_it_is_asked_to(talos, step):
    begin = place_of(talos, step, 0, 0.0)
    assert place_of(talos, step, 0, 2.0) - begin == pytest.approx([0.02, 0.0, 0.03], abs=ON_ITS_WAY)
    assert place_of(talos, step, 0, 4.2) - begin == pytest.approx([0.04, 0.0, 0.0], abs=ON_ITS_WAY)
    assert place_of(talos, step, 1, 2.0) == pytest.approx(place_of(talos, step, 1, 0.0), abs=ON_ITS_WAY)


def test_the_motion_begins_and_ends_at_rest(step):
    for time in (0.0, step.duration):
        sample = step.sample(time)
        assert np.abs(sample.rate).max() < 1e-9
        assert np.abs(sample.acceleration).max() < 1e-7


def test_the_zero_moment_point_of_the_whole_body_stays_within_the_standing_sole(talos, step):
    times = np.arange(1.6, 2.4, 0.02)
    zmp = measure_body(talos, list_states(step, times)).compute_zmp(np.zeros(len(times)))
    sole = place_of(talos, step, 1, 0.0)[:2]
    half = np.array(talos.effectors[1].half_lengths) - talos.description.margins.reference
    assert np.all(np.abs(zmp - sole) <= half)


@pytest.mark.parametrize(("robot", "name"), [("talos", "stand-up"), ("g1", "stand-up"), ("icub", "feet-apart")])
def test_shipped_motions_are_those_of_their_key_postures(humanoids, robot, name):
    model = humanoids[robot]
    keys = adapt_key_postures(load_key_postures(find_key_postures(name, robot)), model)
    made, shipped = optimise_motion(model, keys), read_motion(find_motion_file(name, robot))
    assert made.contacts == shipped.contacts
    assert made.postures == pytest.approx(shipped.postures, abs=SAME)


@pytest.mark.parametrize("robot", HUMANOIDS)
def test_every_shipped_motion_has_its_key_postures(humanoids, robot):
    for name in known_motions(robot):
        keys = adapt_key_postures(load_key_postures(find_key_postures(name, robot)), humanoids[robot])
        motion = read_motion(find_motion_file(name, robot))
        assert (keys.name, keys.title, keys.robot, keys.world) == (name, motion.title, robot, motion.world)
        assert keys.keys[-1].time == pytest.approx(motion.duration)


def test_another_robot_goes_as_far_as_it_is_large(humanoids):
    """Lengths are scaled by the bases' heights, turns and times are not, and joints of another robot are left out."""
    talos, icub = humanoids["talos"], humanoids["icub"]
    low = Placement(offset=(0.0, 0.0, -0.4), rpy=(0.0, 0.25, 0.0))
    keys = (
        KeyPosture(time=0.0, bear=FEET),
        KeyPosture(time=1.0, pelvis=low, joints={"torso_2_joint": 0.2}, effectors={"left_hand": low}, com=(0.01, 0.0)),
    )
    start = {"left_foot": Placement(offset=(0.0, 0.1, 0.0))}
    written = make_step_keys(keys=keys, feet=start)
    assert adapt_key_postures(written, talos) is written
    adapted, ratio = adapt_key_postures(written, icub), icub.q_nominal[2] / talos.q_nominal[2]
    assert 0.5 < ratio < 0.6
    last = adapted.keys[1]
    assert (adapted.robot, last.time, last.joints) == ("icub", 1.0, {})
    assert last.pelvis is not None
    assert last.pelvis == last.effectors["left_hand"]
    assert last.pelvis.offset == pytest.approx((0.0, 0.0, -0.4 * ratio))
    assert last.pelvis.rpy == low.rpy
    assert last.com == pytest.approx((0.01 * ratio, 0.0))
    assert adapted.feet["left_foot"].offset == pytest.approx((0.0, 0.1 * ratio, 0.0))
    unscaled = adapt_key_postures(make_step_keys(keys=keys, feet=start, scaled=False), icub)
    assert unscaled.keys[1].pelvis == low


def test_joints_alone_are_no_key_posture_of_another_robot(humanoids):
    keys = (KeyPosture(time=0.0, bear=FEET), KeyPosture(time=1.0, joints={"head_1_joint": 0.3}))
    with pytest.raises(MotionFileError, match=r"step\.toml: keys\.1: the joints of talos tell g1 nothing; place"):
        adapt_key_postures(make_step_keys(keys=keys), humanoids["g1"])


def test_hands_and_pelvis_go_where_they_are_placed(talos):
    hand = Placement(offset=(0.05, 0.0, 0.2))
    low = KeyPosture(time=1.5, pelvis=Placement(offset=(0.0, 0.0, -0.1)), effectors={"left_hand": hand})
    begin, reached = solve_keys(talos, make_step_keys(keys=(KeyPosture(time=0.0, bear=FEET), low)))
    way = reached.effector_poses[2, :3, 3] - begin.effector_poses[2, :3, 3]
    assert way == pytest.approx([0.05, 0.0, 0.2], abs=0.01)  # [m] wishes are weighed against each other
    assert reached.q[2] - begin.q[2] == pytest.approx(-0.1, abs=0.01)


def test_another_robot_makes_motions_too(humanoids):
    g1 = humanoids["g1"]
    keys = (
        KeyPosture(time=0.0, bear=FEET),
        KeyPosture(time=1.0, pelvis=Placement(offset=(0.0, 0.0, -0.08))),
        KeyPosture(time=2.0),
    )
    motion = optimise_motion(g1, make_step_keys(robot="g1", keys=keys))
    assert [violation.describe(motion) for violation in examine(motion, g1).violations] == []


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ((KeyPosture(time=1.0, pelvis=Placement(offset=(0.0, 0.0, -0.8))),), "at 1 s: the pelvis misses its height"),
        ((KeyPosture(time=1.0, effectors={"left_hand": Placement(offset=(1.0, 0.0, 0.0))}),), "left_hand misses its place"),
        (
            (KeyPosture(time=1.0, effectors={"left_foot": Placement(offset=(0.1, 0.0, 0.0))}),),
            "left_foot moves while it bears",
        ),
        ((KeyPosture(time=0.3, bear=("left_foot",)), KeyPosture(time=1.0)), "give them more time"),
    ],
)
def test_what_cannot_be_reached_is_refused_in_a_line(talos, keys, words):
    with pytest.raises(NoMotionFound) as refused:
        optimise_motion(talos, make_step_keys(keys=(KeyPosture(time=0.0, bear=FEET), *keys)))
    assert words in str(refused.value)
    assert str(refused.value).startswith("step.toml: ")
    assert "\n" not in str(refused.value)


def test_a_joint_at_its_limit_is_named_where_there_is_no_plan(humanoids):
    keys = load_key_postures(find_key_postures("feet-apart", "talos"))
    with pytest.raises(NoMotionFound, match=r"so that left_ankle_roll_joint keeps off its limit \(it is there at 1\.9 s\)"):
        optimise_motion(humanoids["g1"], adapt_key_postures(keys, humanoids["g1"]))


@pytest.mark.parametrize(
    ("posture", "words"),
    [
        (KeyPosture(time=1.0, bear=("left_fot",)), "no effector 'left_fot'; did you mean left_foot"),
        (KeyPosture(time=1.0, joints={"leg_left_9_joint": 0.0}), "keys.1.joints: the robot has no joint 'leg_left_9_joint'"),
    ],
)
def test_names_that_the_robot_does_not_know_are_told(talos, posture, words):
    with pytest.raises(MotionFileError) as refused:
        solve_keys(talos, make_step_keys(keys=(KeyPosture(time=0.0, bear=FEET), posture)))
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("name = 'a'", "this key is missing"),
        ("name = 'A b'\ntitle = 'x'\nrobot = 'talos'\nkeys = []", "correct the value"),
        ("name = 'a'\ntitle = 'x'\nrobot = 'talos'\n[[keys]]\ntime = 0.0\nbears = ['left_foot']\n", "did you mean 'bear'?"),
        (
            "name = 'a'\ntitle = 'x'\nrobot = 'talos'\n[[keys]]\ntime = 0.0\nbear = ['left_foot']\n[[keys]]\ntime = 0.05\n",
            "by 0.1 s at least",
        ),
        (
            "name = 'a'\ntitle = 'x'\nrobot = 'talos'\n[[keys]]\ntime = 0.0\n[[keys]]\ntime = 1.0\n",
            "says which effectors bear",
        ),
        (
            "name = 'a'\ntitle = 'x'\nrobot = 'talos'\n[[keys]]\ntime = 0.0\nbear = ['left_foot']\n[[keys]]\ntime = 1e4\n",
            "less than or equal to 600",
        ),
        ("name = ", "not valid TOML"),
    ],
)
def test_mistakes_in_key_postures_are_told_in_a_line(tmp_path: Path, content, words):
    file = tmp_path / "keys.toml"
    file.write_text(content)
    with pytest.raises(MotionFileError) as refused:
        load_key_postures(file)
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)
