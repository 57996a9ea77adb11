"""What drives pursue beside the torques of the controller."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from handhold.robots.control.drive_targets import MAX_LEAD, DriveParameters, DriveTargets
from handhold.robots.estimation.base_velocity_filter import BaseVelocityFilter
from handhold.robots.limb_joints import find_arm_joints
from handhold.robots.model import load_model
from handhold.robots.reference import Reference, Residuals
from handhold.robots.robot import RobotState

DT = 1e-3
LEG = 3


@pytest.fixture(scope="module")
def talos():
    return load_model("talos")


def measure(model, time, velocity):
    v = np.zeros(model.nv)
    v[6 + LEG] = velocity
    wrenches = np.zeros((len(model.effectors), 6))
    return RobotState(time=time, q=model.q_nominal, v=v, joint_torques=np.zeros(model.n), contact_wrenches=wrenches)


@pytest.fixture(scope="module")
def reference(talos):
    count = len(talos.effectors)
    return Reference(
        time=0.0,
        q=talos.q_nominal,
        v=np.full(talos.nv, 0.1),
        joint_torques=np.zeros(talos.n),
        position_com_in_world=np.zeros(3),
        velocity_com_in_world=np.zeros(3),
        acceleration_com_in_world=np.zeros(3),
        contacts=np.ones(count, dtype=bool),
        contact_normals=np.tile([0.0, 0.0, 1.0], (count, 1)),
        contact_wrenches=np.zeros((count, 6)),
        effector_poses=np.tile(np.eye(4), (count, 1, 1)),
        effector_velocities=np.zeros((count, 6)),
        support_polygon=np.zeros((0, 2)),
        residuals=Residuals(),
    )


def run(drives, model, reference, asked, reached, steps):
    """Ask one joint for an acceleration while it has another; return its desired less its measured velocity."""
    acceleration = np.zeros(model.n)
    acceleration[LEG] = asked
    for tick in range(steps):
        state = measure(model, tick * DT, reached * tick * DT)
        _, velocities = drives.update(acceleration, reference, state)
    return velocities[LEG] - state.v[6 + LEG]


def test_a_joint_that_does_what_is_asked_is_left_alone(talos, reference):
    assert run(DriveTargets(talos), talos, reference, 2.0, 2.0, 200) == pytest.approx(0.0, abs=1e-9)


def test_a_joint_that_lags_is_pushed_in_proportion_to_what_it_lacks(talos, reference):
    leak = 0.1
    pushed = run(DriveTargets(talos, DriveParameters(leak=leak)), talos, reference, 3.0, 1.0, 2000)
    assert pushed == pytest.approx(leak * (3.0 - 1.0), rel=0.01)


def test_after_a_gap_nothing_of_before_counts(talos, reference):
    drives = DriveTargets(talos)
    run(drives, talos, reference, 3.0, 0.0, 100)
    _, velocities = drives.update(np.zeros(talos.n), reference, measure(talos, 5.0, 0.0))
    assert velocities[LEG] == 0.0


def test_arms_pursue_the_reference_and_legs_do_not(talos, reference):
    drives, state = DriveTargets(talos), measure(talos, 0.0, 0.0)
    arms = find_arm_joints(talos)
    drives.choose_gains(pin.crba(talos.pinocchio, talos.pinocchio.createData(), talos.q_nominal), 0.0)
    positions, velocities = drives.update(np.zeros(talos.n), reference, state)
    assert [name for name, arm in zip(talos.joint_names, arms, strict=True) if arm] == [
        f"arm_{side}_{number}_joint" for side in ("left", "right") for number in range(1, 8)
    ]
    assert (drives.stiffness[arms] > 0.0).all()
    assert not drives.stiffness[~arms].any()
    assert np.allclose(velocities[arms], 0.1)
    assert not velocities[~arms].any()
    assert np.allclose(positions, reference.q[7:])


def test_the_leg_of_a_foot_in_the_air_pursues_the_reference_and_the_one_that_stands_does_not(talos, reference):
    drives, lifted = DriveTargets(talos), np.array([effector.name == "left_foot" for effector in talos.effectors])
    drives.choose_gains(pin.crba(talos.pinocchio, talos.pinocchio.createData(), talos.q_nominal), 0.0)
    drives.update_contacts(~lifted, swung=False)
    _, velocities = drives.update(np.zeros(talos.n), reference, measure(talos, 0.0, 0.0))
    left = np.array([name.startswith("leg_left") for name in talos.joint_names])
    right = np.array([name.startswith("leg_right") for name in talos.joint_names])
    assert (drives.stiffness[left] > 0.0).all()
    assert np.allclose(velocities[left], 0.1)
    assert not drives.stiffness[right].any()
    assert not velocities[right].any()
    drives.update_contacts(np.ones(len(lifted), dtype=bool), swung=False)
    assert not drives.stiffness[left].any()


@pytest.mark.parametrize("swung", [False, True])
def test_a_leg_that_has_pressed_on_the_ground_does_not_go_on_once_its_foot_bears(talos, reference, swung):
    drives, lifted = DriveTargets(talos), np.array([effector.name == "left_foot" for effector in talos.effectors])
    joint = np.flatnonzero([name.startswith("leg_left") for name in talos.joint_names])[0]
    drives.update_contacts(~lifted, swung=False)
    pressing = np.zeros(talos.n)
    pressing[joint] = 3.0
    for tick in range(100):
        drives.update(pressing, reference, measure(talos, tick * DT, 0.0))
    drives.update_contacts(np.ones(len(lifted), dtype=bool), swung=swung)
    _, velocities = drives.update(np.zeros(talos.n), reference, measure(talos, 100 * DT, 0.0))
    assert (velocities[joint] > 0.1) == swung


def test_where_no_newer_state_has_come_all_joints_pursue_the_reference(talos, reference):
    drives = DriveTargets(talos)
    run(drives, talos, reference, 3.0, 0.5, 100)
    last = measure(talos, 99 * DT, 0.5 * 99 * DT)
    _, velocities = drives.update(np.zeros(talos.n), reference, last)
    assert np.array_equal(velocities, reference.v[6:])


def test_an_arm_that_is_far_from_its_reference_is_brought_back_by_degrees(talos, reference):
    q = reference.q.copy()
    q[7:] += np.linspace(-1.0, 1.0, talos.n)
    positions, _ = DriveTargets(talos).update(np.zeros(talos.n), replace(reference, q=q), measure(talos, 0.0, 0.0))
    assert np.allclose(positions - reference.q[7:], np.clip(np.linspace(-1.0, 1.0, talos.n), -MAX_LEAD, MAX_LEAD))


def test_the_base_velocity_has_less_noise_and_no_delay(talos):
    random, smoothed = np.random.default_rng(0), BaseVelocityFilter(10.0)
    errors, acceleration = [], np.array([1.0, -0.5, 0.0])
    for tick in range(2000):
        state, true = measure(talos, tick * DT, 0.0), acceleration * tick * DT
        state.v[:3] = true + random.normal(0.0, 0.01, 3)
        errors.append(smoothed.correct(state, acceleration)[:3] - true)
    settled = np.array(errors[500:])
    assert settled.std() < 0.25 * 0.01
    assert np.abs(settled.mean(axis=0)).max() < 5e-4


def test_the_base_velocity_begins_anew_after_a_gap(talos):
    smoothed = BaseVelocityFilter()
    first, later = measure(talos, 0.0, 0.0), measure(talos, 1.0, 0.0)
    later.v[:3] = 0.5
    smoothed.correct(first, np.zeros(3))
    assert np.allclose(smoothed.correct(later, np.zeros(3))[:3], 0.5)
