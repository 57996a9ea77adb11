"""Tasks: their rows are the derivatives of what they weigh, their targets what is missing."""

import numpy as np
import pinocchio as pin
import pytest

from handhold.robots.tasks.center_of_mass import CenterOfMassTask
from handhold.robots.tasks.contact_motion import ContactPoses
from handhold.robots.tasks.equation_of_motion import EquationOfMotion
from handhold.robots.tasks.normal_force import NormalForceTask
from handhold.robots.tasks.pose import BOTH, ORIENTATION, POSITION, FrameTargets, PoseTask
from handhold.robots.tasks.posture import PostureTask
from handhold.robots.tasks.posture_acceleration import PostureAccelerationTask
from handhold.robots.tasks.task import FORCE_UNIT
from handhold.robots.tasks.torques import TorqueTask
from handhold.robots.tasks.turning import TurningTask
from handhold.robots.tasks.wrench import WrenchTask
from handhold.robots.tasks.zmp import ZmpTask

EXACT = 1e-7  # [m], [rad] of central differences of 1e-6
FRAMES = np.array([2, 4])  # a hand and the base


def difference(poses, others):
    """The way from poses to others, linear before angular."""
    pairs = zip(poses, others, strict=True)
    return np.concatenate([np.r_[b[:3, 3] - a[:3, 3], pin.log3(b[:3, :3] @ a[:3, :3].T)] for a, b in pairs])


@pytest.mark.parametrize("halves", [POSITION, ORIENTATION, BOTH])
def test_a_pose_tasks_rows_are_the_frames_motion_and_its_targets_their_errors(here, halves):
    start, weight = here.kinematics.poses.copy(), 9.0
    moved = here.rate(lambda: difference(start[FRAMES], here.kinematics.poses[FRAMES])).reshape(2, 6)
    targets = FrameTargets.at_rest(here.kinematics)
    targets.poses[:, :3, 3] += [0.01, -0.02, 0.03]
    task = here.lay(PoseTask(here.kinematics, FRAMES, targets, weights=np.full(6, weight), halves=halves))
    part = slice(3 * halves[0], 3 * halves[1])
    assert here.follow(task) == pytest.approx(3.0 * moved[:, part].ravel(), abs=EXACT)
    errors = difference(start[FRAMES], targets.poses[FRAMES]).reshape(2, 6)
    assert task.targets == pytest.approx(3.0 * errors[:, part].ravel())


def test_a_pose_task_clamps_the_error_alone(here):
    targets = FrameTargets.at_rest(here.kinematics)
    targets.poses[:, 0, 3] += 0.5
    targets.feedforward[:, 1] = 2.0
    task = PoseTask(here.kinematics, FRAMES[:1], targets, weights=np.ones(6), gain=3.0)
    task.clamps[:] = 0.1
    assert here.lay(task).targets == pytest.approx([0.1, 2.0, 0.0, 0.0, 0.0, 0.0])


def test_the_centre_of_mass_moves_as_its_rows_say_and_an_axis_that_is_free_has_none(here):
    moved = here.rate(lambda: here.kinematics.position_com_in_world)
    task = CenterOfMassTask(here.kinematics, root=2.0)
    task.desired, task.duration = np.array([0.1, np.nan, 0.3]), 0.01
    here.lay(task)
    assert here.follow(task) == pytest.approx([2.0 * moved[0], 0.0, 2.0 * moved[2]], abs=EXACT)
    assert task.targets == pytest.approx([2e-3, 0.0, 6e-3])


def test_the_zmp_task_weighs_the_acceleration_over_the_pendulums_frequency(here):
    omega, dt, weight, before = 3.0, 2e-3, 4.0, np.array([0.01, 0.02, 0.0])
    task = ZmpTask(here.kinematics)
    task.update(before, omega, dt, weight)
    here.lay(task)
    velocity = here.rate(lambda: here.kinematics.position_com_in_world) / dt
    residual = 2.0 * (velocity - before) / (omega**2 * dt)
    assert here.follow(task) - task.targets == pytest.approx(residual, rel=1e-6)


def test_the_turning_tasks_row_is_the_bases_yaw(here):
    base = here.kinematics.data.oMi[1]
    start = base.rotation.copy()
    turned = here.rate(lambda: pin.log3(base.rotation @ start.T))
    task = TurningTask(base.rotation, 4.0)
    task.rate, task.duration = 0.3, 0.01
    here.lay(task)
    assert here.follow(task) == pytest.approx([2.0 * turned[2]], abs=EXACT)
    assert task.targets == pytest.approx([2.0 * 0.3 * 0.01])
    task.rate = np.nan
    task.fill()
    assert not task.rows.any()


def test_torques_and_balance_are_those_of_the_linearised_equilibrium(here):
    model, data = here.model, here.model.pinocchio.createData()
    contacts = ContactPoses(here.stance, here.kinematics, here.kinematics.poses.copy())
    contacts.fill()
    slope = pin.computeGeneralizedGravityDerivatives(model.pinocchio, data, here.q).copy()
    gravity = pin.computeGeneralizedGravity(model.pinocchio, data, here.q).copy()
    equation = EquationOfMotion(contacts, slope, gravity)
    equation.fill()
    x = np.concatenate([here.direction, here.random.normal(size=here.stance.size)])
    changed = here.rate(lambda: pin.computeGeneralizedGravity(model.pinocchio, data, here.configuration))
    torques = gravity + changed - FORCE_UNIT * contacts.jacobian.T @ x[model.nv :]
    assert equation.base_rows @ x + equation.base_offset == pytest.approx(torques[:6], rel=1e-5, abs=1e-4)
    assert equation.compute_torques(x) == pytest.approx(torques[6:], rel=1e-5, abs=1e-4)
    task = here.lay(TorqueTask(equation, 0.25))
    assert task.rows @ x - task.targets == pytest.approx(0.5 * torques[6:], rel=1e-5, abs=1e-4)


def test_contacts_come_back_to_where_they_must_be(here):
    poses = here.kinematics.poses.copy()
    poses[:, :3, 3] += [0.01, 0.0, -0.01]
    contacts = ContactPoses(here.stance, here.kinematics, poses)
    contacts.fill()
    step = np.linalg.pinv(contacts.jacobian) @ contacts.targets
    here.kinematics.update(pin.integrate(here.model.pinocchio, here.q, step))
    off = np.abs(here.kinematics.poses[:3, :3, 3] - poses[:3, :3, 3]).max()
    here.kinematics.update(here.q)
    assert off < 1e-3  # [m] of 0.014, a Newton step


def test_a_commanded_force_is_what_is_missing_of_it_and_no_more_than_may_be_asked(here):
    desired, insistence = np.array([100.0, np.nan, 5.0, np.nan]), np.array([1.0, 1.0, 0.25, 0.0])
    task = NormalForceTask(here.stance, here.model.nv, 4.0, desired, insistence)
    task.wrenches, task.max_change = here.wrenches, 30.0
    here.lay(task)
    forces = here.stance.normals @ here.wrenches
    y = here.random.normal(size=here.stance.size)
    changes = FORCE_UNIT * here.stance.normals @ y
    expected = [
        2.0 * (changes[0] - np.clip(100.0 - forces[0], -30.0, 30.0)),
        0.0,
        1.0 * (changes[2] - np.clip(5.0 - forces[2], -30.0, 30.0)),
    ]
    assert task.rows[:, here.model.nv :] @ y - task.targets == pytest.approx(expected)


@pytest.mark.parametrize("wanted", [0.05, 3.0])
def test_joints_rest_where_damping_and_posture_balance(here, wanted):
    desired = here.q[7:] + wanted
    task = PostureTask(here.model, desired)
    task.q, task.damping, task.clamp, task.gain = here.q, 3.0, 0.1, 0.5
    task.stiffness[:] = 2.0
    weights, targets = np.zeros(here.model.n), np.zeros(here.model.n)
    task.lay(weights, targets)
    task.fill()
    # The derivative of 3 u^2 + 2 (p - u)^2 vanishes.
    pull = min(0.1, 0.5 * wanted)
    assert 3.0 * targets == pytest.approx(2.0 * (pull - targets))
    assert weights == pytest.approx(5.0)


def test_a_posture_that_moves_is_followed_by_a_critically_damped_spring(here):
    v = here.random.normal(size=here.model.nv)
    task = PostureAccelerationTask(here.model, 0.3, 0.1, 25.0)
    task.present, task.desired = (here.q, v), (here.model.q_nominal, np.zeros(here.model.nv))
    weights, targets = np.zeros(here.model.n), np.zeros(here.model.n)
    task.lay(weights, targets)
    task.fill()
    asked = 25.0 * (here.model.q_nominal[7:] - here.q[7:]) - 10.0 * v[6:]
    assert 0.1 * targets == pytest.approx(0.3 * (asked - targets))
    assert weights == pytest.approx(0.4)


def test_wrenches_are_weighed_contact_by_contact(here):
    task = WrenchTask(here.stance, here.model.nv, np.arange(1.0, 7.0), np.full(3, 7.0))
    task.aim(here.wrenches)
    task.multipliers[:] = [1.0, 2.0, 3.0]
    weights, targets = np.zeros(here.stance.size), np.zeros(here.stance.size)
    task.lay(weights, targets)
    task.fill()
    assert FORCE_UNIT * targets == pytest.approx(here.wrenches)
    assert weights.tolist() == [*range(1, 7), *range(2, 14, 2), *[21.0] * 3]
