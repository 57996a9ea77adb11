"""The check of a motion: nothing is said of a sound one, and of a spoilt one what is wrong, when, and what mends it."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from motions import HUMANOIDS, bend

from handhold.retarget.motions.chart import compute_body_state
from handhold.retarget.motions.check import examine
from handhold.retarget.motions.errors import MotionUnfit
from handhold.retarget.motions.force_distribution import ForceDistribution
from handhold.retarget.motions.loading import MotionRefused, check_motion, load_motion
from handhold.retarget.motions.motion import ContactInterval
from handhold.retarget.motions.motion_file import known_motions
from handhold.retarget.motions.support import DWELL, FADE, compute_max_load_ratios
from handhold.robots.contact import Stance

BALANCE = 1e-3  # [N, Nm] to which the program keeps the base's dynamics


def column_of(model, joint: str) -> int:
    return 6 + model.joint_names.index(joint)


def describe(motion, model) -> list[str]:
    return [violation.describe(motion) for violation in examine(motion, model).violations]


@pytest.mark.parametrize(("robot", "name"), [(robot, name) for robot in HUMANOIDS for name in known_motions(robot)])
def test_every_robot_can_do_every_motion_shipped_for_it(humanoids, robot, name):
    model = humanoids[robot]
    checked = load_motion(name, model)
    assert checked.motion.name == name
    assert checked.examination.violations == ()
    assert checked.examination.rests[[0, -1]].all()
    assert np.all(np.abs(checked.examination.torques) <= model.torque_limits + 1e-6)


def test_wrenches_and_torques_are_those_of_the_motion(talos, checked_step):
    """Equation of motion of the whole body, cones inside the margins, and no load on a foot at its first and last moment."""
    motion, found = checked_step.motion, checked_step.examination
    data = talos.pinocchio.createData()
    for k in range(0, len(found.times), 7):
        time = float(found.times[k])
        state = compute_body_state(motion.sample(time), pin.SE3.Identity())
        demand = pin.rnea(talos.pinocchio, data, state.q, state.v, state.a)
        bearing = [talos.effector_index(name) for name in motion.list_supporting(time)]
        for place in bearing:
            jacobian = pin.computeFrameJacobian(talos.pinocchio, data, state.q, talos.effector_frames[place])
            demand -= jacobian.T @ found.wrenches[k, place]
        assert np.abs(demand[:6]).max() < BALANCE
        assert demand[6:] == pytest.approx(found.torques[k], abs=BALANCE)
        stance = Stance.of_reference(talos, bearing)
        assert np.all(stance.cone @ stance.stack(found.wrenches[k]) < BALANCE)
    # A foot gives its load away in a line, and bears nothing for a while before it is lifted.
    fading = float(found.times[int(np.searchsorted(found.times, 1.6 - DWELL - 0.5 * FADE))])
    assert compute_max_load_ratios(motion, talos, fading)[0] == pytest.approx((1.6 - DWELL - fading) / FADE)
    dwelling = (found.times > 1.6 - DWELL) & (found.times < 2.4 + DWELL)
    assert np.all(found.wrenches[dwelling, 0, 2] == 0.0)
    assert np.all(found.wrenches[dwelling, 1, 2] > 0.8 * talos.weight)


def test_a_joint_beyond_its_limit_is_told(talos, step):
    spoilt = replace(step, postures=bend(step, column_of(talos, "arm_left_4_joint"), 1.5, 1.0))
    line = next(line for line in describe(spoilt, talos) if "upper limit" in line)
    assert line.startswith("short-step at 1.00 s: arm_left_4_joint goes to 0.3")
    assert "beyond its upper limit of 0.000 rad; move it less" in line


def test_a_joint_that_is_too_fast_is_told(talos, step):
    spoilt = replace(step, postures=bend(step, column_of(talos, "head_1_joint"), 0.5, 1.0, width=0.3))
    assert any(
        "head_1_joint moves at" in line and "more than its 0.80 rad/s; give" in line for line in describe(spoilt, talos)
    )


def test_a_foot_that_slips_is_told(talos, step):
    spoilt = replace(step, postures=bend(step, column_of(talos, "leg_right_3_joint"), 0.05, 0.6))
    assert any("right_foot slips by" in line and "mm while it bears; let it stay" in line for line in describe(spoilt, talos))


def test_a_foot_that_turns_is_told(talos, step):
    spoilt = replace(step, postures=bend(step, column_of(talos, "leg_right_6_joint"), 0.012, 0.6))
    assert any("right_foot turns by 0.012 rad while it bears" in line for line in describe(spoilt, talos))


def test_a_foot_that_goes_into_the_ground_is_told(talos, step):
    spoilt = replace(step, postures=bend(step, 2, -0.05, 2.0))
    assert any("left_foot goes" in line and "into the ground; lift it higher" in line for line in describe(spoilt, talos))


def test_lost_balance_is_told(talos, step):
    spoilt = replace(step, postures=bend(step, 1, 0.08, 2.0))
    lines = [line for line in describe(spoilt, talos) if "no balance on right_foot" in line]
    assert len(lines) == 1
    assert "are missing within the margins of the soles; give" in lines[0]


def test_a_motion_on_nothing_is_told(talos, step):
    contacts = (ContactInterval(effector="right_foot", start=0.0, end=1.0),)
    assert any("no balance on nothing" in line for line in describe(replace(step, contacts=contacts), talos))


def test_a_torque_beyond_its_limit_is_told(talos, step):
    postures = bend(step, column_of(talos, "arm_right_2_joint"), -1.3, 1.0, width=0.9)
    postures[:, column_of(talos, "arm_right_4_joint")] = -0.1
    lines = describe(replace(step, postures=postures), talos)
    assert any("arm_right_2_joint needs" in line and "more than its 20.1 Nm; choose" in line for line in lines)


def test_bodies_that_meet_are_told(talos, step):
    spoilt = replace(step, postures=bend(step, column_of(talos, "arm_left_3_joint"), -1.2, 1.0, width=0.9))
    assert any("left_arm and torso come within" in line and "keep them apart" in line for line in describe(spoilt, talos))


def test_a_motion_that_does_not_end_in_balance_is_told(talos, step):
    half = step.times <= 2.1
    times = step.times[half]
    contacts = (
        ContactInterval(effector="left_foot", start=0.0, end=1.6),
        ContactInterval(effector="right_foot", start=0.0, end=float(times[-1])),
    )
    cut = replace(step, times=times, postures=bend(step, 1, 0.05, 2.1)[half], contacts=contacts)
    assert any("it does not end at rest and in balance" in line for line in describe(cut, talos))


def test_a_refused_motion_is_one_line(talos, step):
    spoilt = replace(step, postures=bend(step, 1, 0.08, 2.0))
    with pytest.raises(MotionRefused) as refused:
        check_motion(spoilt, talos)
    assert "\n" not in str(refused.value)
    assert str(refused.value).startswith("step.toml: at ")
    assert len(refused.value.violations) > 0


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"robot": "g1"}, "the motion is for g1, not for talos; make one for talos"),
        ({"joints": ("nose",) * 30}, "joints are not those of talos ('nose')"),
        ({"contacts": (ContactInterval(effector="left_fot", start=0.0, end=1.0),)}, "did you mean left_foot"),
    ],
)
def test_a_motion_of_another_robot_is_refused(talos, step, changes, words):
    with pytest.raises(MotionUnfit) as refused:
        examine(replace(step, **changes), talos)
    assert words in str(refused.value)


def test_a_robot_for_which_none_is_shipped_has_none():
    assert known_motions("anymal") == ()


def test_what_cannot_be_balanced_is_borne_as_well_as_can_be(talos, step):
    state = compute_body_state(step.sample(0.0), pin.SE3.Identity())
    found = ForceDistribution(talos).solve(state, {0: 0.2})
    assert not found.balanced
    assert found.missing > 0.5 * talos.weight
