"""Limits: a step on the bound uses up just the part of the distance to it that it may."""

import numpy as np
import pinocchio as pin
import pytest

from handhold.robots.tasks.contact_motion import ContactPoses
from handhold.robots.tasks.dcm_limit import DcmLimit
from handhold.robots.tasks.equation_of_motion import EquationOfMotion
from handhold.robots.tasks.gravity_torque_limits import GravityTorqueLimits
from handhold.robots.tasks.joint_acceleration_limits import JointAccelerationLimits
from handhold.robots.tasks.joint_limits import JointLimits
from handhold.robots.tasks.normal_force_limits import NormalForceLimits
from handhold.robots.tasks.self_collision import SelfCollisionLimit
from handhold.robots.tasks.task import FORCE_UNIT
from handhold.robots.tasks.torque_limits import TorqueLimits
from handhold.robots.tasks.upright import UprightLimits
from handhold.robots.tasks.wrench_cone import WrenchCone

EXACT = 1e-7


def test_torques_use_up_a_part_of_their_distance_to_the_limits(here):
    nv, n = here.model.nv, here.model.n
    contacts = ContactPoses(here.stance, here.kinematics, here.kinematics.poses)
    contacts.fill()
    matrix, offset = here.random.normal(size=(nv, nv)), here.random.normal(size=nv)
    equation = EquationOfMotion(contacts, matrix, offset)
    equation.fill()
    limit = TorqueLimits(equation, here.model.torque_limits, here.model.joint_names)
    limit.barrier = 0.2
    here.lay(limit)
    x = here.random.normal(size=here.size)
    changed = (equation.compute_torques(x) - offset[6:]) / FORCE_UNIT
    assert limit.rows @ x == pytest.approx(changed)
    assert FORCE_UNIT * limit.upper == pytest.approx(0.2 * (here.model.torque_limits - offset[6:]))
    assert FORCE_UNIT * limit.lower == pytest.approx(0.2 * (-here.model.torque_limits - offset[6:]))
    assert limit.name_row(n - 1) == f"{here.model.joint_names[-1]} torque"


def test_a_change_on_the_bound_of_the_cone_leaves_the_part_that_it_may_not_use(here):
    limit = WrenchCone(here.stance, here.model.nv)
    limit.wrenches, limit.barriers = here.wrenches, np.array([0.1, 0.2, 0.3])
    here.lay(limit)
    y = here.random.normal(size=here.stance.size)
    cone = here.stance.cone
    assert limit.rows[:, here.model.nv :] @ y == pytest.approx(cone @ y)
    barriers = np.repeat([0.1, 0.2, 0.3], [16, 16, 8])
    assert FORCE_UNIT * limit.upper == pytest.approx(-barriers * (cone @ here.wrenches))


def test_normal_forces_change_no_faster_than_they_may(here):
    min_forces, max_forces = np.array([10.0, 0.0, 500.0]), np.array([800.0, 0.5, 900.0])
    limit = NormalForceLimits(here.stance, here.model.nv, ("a", "b", "c"), min_forces, max_forces)
    wrenches = here.wrenches.copy()
    limit.wrenches, limit.barriers = wrenches, np.full(3, 0.5)
    limit.max_decrease, limit.max_increase = np.full(3, 20.0), 15.0
    here.lay(limit)
    forces = here.stance.normals @ wrenches
    lower = np.maximum(0.5 * (min_forces - forces), -20.0)
    upper = np.maximum(lower, np.minimum(0.5 * (max_forces - forces), 15.0))
    assert FORCE_UNIT * limit.lower == pytest.approx(lower)
    assert FORCE_UNIT * limit.upper == pytest.approx(upper)


def test_tilt_and_height_of_the_base_change_as_their_rows_say(here):
    base = here.kinematics.data.oMi[1]
    moved = here.rate(lambda: [base.rotation[2, 2], base.translation[2]])
    limit = UprightLimits(base.rotation, 0.8, 0.5)
    limit.height, limit.barrier = 0.9, 0.1
    here.lay(limit)
    assert here.follow(limit) == pytest.approx(moved, abs=EXACT)
    assert limit.lower == pytest.approx([-0.1 * max(0.0, base.rotation[2, 2] - 0.8), -0.04])


def test_the_dcm_of_a_step_on_the_upper_bound_is_on_the_edge_and_its_zmp_on_the_lower_beyond_it(here):
    omega, dt, room, before = 3.0, 2e-3, 0.01, np.array([0.02, -0.01, 0.0])
    com = here.kinematics.position_com_in_world.copy()
    normal = np.array([0.6, 0.8])
    limit = DcmLimit(here.kinematics, 2, "balance")
    limit.normals, limit.distances = normal[None], np.array([normal @ com[:2] + 0.03])
    limit.velocity, limit.omega, limit.room, limit.duration = before, omega, room, dt
    here.lay(limit)
    moved = here.rate(lambda: here.kinematics.position_com_in_world)
    assert here.follow(limit)[0] == pytest.approx(normal @ moved[:2] / dt, rel=1e-6)
    assert normal @ com[:2] + limit.upper[0] / omega == pytest.approx(limit.distances[0])
    zmp = normal @ com[:2] - (limit.lower[0] - normal @ before[:2]) / (omega**2 * dt)
    assert zmp == pytest.approx(limit.distances[0] + room)
    assert limit.soft


def test_bodies_approach_as_their_rows_say(here):
    limit = SelfCollisionLimit(here.model, here.kinematics)
    limit.duration = 0.01
    here.lay(limit)
    collision = limit.collision
    names = [limit.name_row(row) for row in range(limit.row_count)]
    near = [row for row, name in enumerate(names) if name]
    assert near

    def measure():
        collision.update(here.kinematics.joint_poses)
        return collision.distances.copy()

    measure()
    pairs = np.argsort(collision.distances, kind="stable")[: len(near)]
    approach = here.rate(measure)[pairs] / limit.duration
    assert here.follow(limit)[near] == pytest.approx(approach, rel=1e-4, abs=1e-4)


def test_joints_use_up_a_part_of_their_range_and_no_more_than_a_step(here):
    model = here.model
    limit = JointLimits(model, model.lower, model.upper)
    limit.q, limit.barrier, limit.max_change = here.q, 0.1, np.full(model.n, 0.05)
    limit.lay(np.zeros(model.n), np.zeros(model.n))
    limit.fill()
    joints = here.q[7:]
    assert limit.lower == pytest.approx(np.clip(0.1 * (model.lower - joints), -0.05, 0.05))
    assert limit.upper == pytest.approx(np.clip(0.1 * (model.upper - joints), -0.05, 0.05))
    # One that was pushed beyond the clamp goes no further.
    limit.measured, limit.clamp = joints - 0.2, 0.1
    limit.fill()
    assert np.all(limit.upper <= 0.0)
    limit.release(np.arange(model.n) == 3)
    assert limit.upper[3] > 1e20


def test_an_acceleration_on_the_bound_takes_a_joint_to_its_limit_at_the_horizon(here):
    model, horizon = here.model, 0.1
    limit = JointAccelerationLimits(model, horizon, 20.0)
    q, v = model.q_nominal, 0.1 * here.random.normal(size=model.nv)
    limit.present = (q, v)
    limit.lay(np.zeros(model.n), np.zeros(model.n))
    limit.fill()
    ahead = q[7:] + horizon * v[6:] + 0.5 * horizon**2 * limit.upper
    within = limit.upper > -20.0
    assert ahead[within] == pytest.approx(model.upper[within])


def test_a_joint_past_its_limit_may_stay_where_rest_must_be_feasible(here):
    model = here.model
    limit = JointLimits(model, here.q[7:] + 0.1, here.q[7:] + 0.2, returning=False)
    limit.q, limit.max_change = here.q, np.full(model.n, 0.05)
    limit.lay(np.zeros(model.n), np.zeros(model.n))
    limit.fill()
    assert not limit.lower.any()
    assert limit.upper == pytest.approx(0.05)


def test_torques_that_gravity_brings_near_their_limits_have_rows_and_they_are_its_derivatives(here):
    limit = GravityTorqueLimits(here.model)
    data = here.model.pinocchio.createData()

    def gravity():
        return pin.computeGeneralizedGravity(here.model.pinocchio, data, here.configuration).copy()

    rate = here.rate(gravity)
    here.configuration = here.q
    # Ten times as heavy, so that some are past their limits.
    limit.q, limit.gravity, limit.rate = here.q, 10.0 * gravity(), 2.0
    here.lay(limit)
    watched = np.flatnonzero(limit.rows.any(axis=1))
    assert watched.size
    joints = [here.model.joint_names.index(limit.name_row(row).removesuffix(" torque")) for row in watched]
    assert here.follow(limit)[watched] == pytest.approx(rate[6:][joints], rel=1e-4, abs=1e-4)
    assert np.all(limit.lower[watched] <= limit.upper[watched])


def test_a_velocity_keeps_bodies_apart_as_a_step_does(here):
    step, velocity = (SelfCollisionLimit(here.model, here.kinematics, velocity=kind) for kind in (False, True))
    for limit in (step, velocity):
        limit.barrier, limit.duration = 0.1, 0.01
        here.lay(limit)
    assert velocity.rows == pytest.approx(0.01 * step.rows)
    assert velocity.lower == pytest.approx(step.lower)
