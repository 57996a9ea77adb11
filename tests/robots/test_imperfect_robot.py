"""Imperfect bodies, drives and sensors, in both engines."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from handhold.robots.model import load_model
from handhold.robots.robot import JointCommand
from handhold.robots.simulation.engines import make_robot
from handhold.robots.simulation.imperfect_robot import ImperfectRobot
from handhold.robots.simulation.imperfection import LEVELS, Imperfection, displace_walls, draw_mechanics, find_true_normals
from handhold.robots.simulation.links import build_links
from handhold.robots.simulation.mechanics import Mechanics
from handhold.robots.worlds import load_world

DT = 1e-3

IDEAL = Imperfection(
    mass_error=0.0,
    joint_friction=0.0,
    rotor_inertia=0.0,
    torque_bandwidth=1e6,
    delay=0.0,
    velocity_bandwidth=1e6,
    base_velocity_noise=0.0,
    pitch_error=0.0,
    force_noise=0.0,
)


@pytest.fixture(scope="module")
def talos():
    return load_model("talos")


def make(model, engine="mujoco", mechanics=None):
    return make_robot(engine, model, load_world("flat"), mechanics=mechanics or Mechanics())


def lift(model):
    """A posture in the air: nothing touches."""
    q = model.q_nominal.copy()
    q[2] += 1.0
    return q


def command(model, time, torques):
    nothing = np.zeros(model.n)
    return JointCommand(time=time, positions=nothing, velocities=nothing, torques=torques, stiffness=nothing, damping=nothing)


def spin(body, model, joint, torque, steps):
    """Drive one joint in free fall and return its velocity [rad/s]."""
    state = body.reset(lift(model))
    torques = np.zeros(model.n)
    torques[joint] = torque
    for _ in range(steps):
        body.send(command(model, state.time, torques))
        body.advance(DT)
        state = body.read()
    return state.v[6 + joint]


def test_masses_are_scaled_link_by_link_with_their_inertias(talos):
    ratios = np.linspace(0.9, 1.1, talos.pinocchio.njoints - 1)
    before, after = build_links(talos), build_links(talos, Mechanics(mass_ratios=ratios))
    assert np.allclose([b.mass / a.mass for a, b in zip(before, after, strict=True)], ratios)
    assert np.allclose(after[3].principal_inertia, ratios[3] * before[3].principal_inertia)


def test_a_payload_is_a_point_mass_at_the_hand(talos):
    hand = talos.effector_of_hand("left")
    link = talos.effector_joints[hand] - 1
    before, after = build_links(talos)[link], build_links(talos, Mechanics(payload=((hand, 5.0),)))[link]
    moment = after.mass * after.inertia.translation - before.mass * before.inertia.translation
    assert after.mass - before.mass == pytest.approx(5.0)
    assert np.allclose(moment, 5.0 * talos.effector_placements[hand][:3, 3])


@pytest.mark.parametrize("engine", ["mujoco", "pybullet"])
def test_friction_holds_a_joint_up_to_its_torque(talos, engine):
    joint = talos.joint_names.index("arm_left_4_joint")
    body = make(talos, engine, Mechanics(joint_friction=2.0))
    held, moved = spin(body, talos, joint, 1.5, 20), spin(body, talos, joint, 4.0, 20)
    body.close()
    assert abs(held) < 0.02
    assert abs(moved) > 0.1


@pytest.mark.parametrize(("engine", "exact"), [("mujoco", 0.15), ("pybullet", 0.35)])
def test_a_rotor_makes_a_joint_slower(talos, engine, exact):
    """In PyBullet the rotor is a part of its link, whose carrier gives way."""
    joint = talos.joint_names.index("arm_left_7_joint")
    light, heavy = make(talos, engine), make(talos, engine, Mechanics(rotor_inertia=0.1))
    fast, slow = spin(light, talos, joint, 0.5, 20), spin(heavy, talos, joint, 0.5, 20)
    light.close()
    heavy.close()
    assert slow == pytest.approx(0.5 * 20 * DT / 0.1, rel=exact)
    assert fast > 5.0 * slow


def test_torques_arrive_late_and_follow_to_first_order(talos):
    about = replace(IDEAL, delay=3e-3, torque_bandwidth=40.0)
    body = ImperfectRobot(make(talos), about, np.random.default_rng(0))
    state = body.reset(lift(talos))
    applied = []
    for tick in range(40):
        torques = np.full(talos.n, 1.0 if tick >= 5 else 0.0)
        applied.append(body.send(command(talos, state.time, torques))[0])
        body.advance(DT)
        state = body.read()
    assert not any(applied[:8])
    expected = 1.0 - np.exp(-2.0 * np.pi * 40.0 * DT * np.arange(1, 33))
    assert np.allclose(applied[8:], expected, atol=1e-9)


def test_gains_act_on_the_joints_as_they_are(talos):
    about = replace(IDEAL, velocity_bandwidth=1.0)
    body = ImperfectRobot(make(talos), about, np.random.default_rng(0))
    joint = talos.joint_names.index("arm_left_4_joint")
    spin(body, talos, joint, 5.0, 20)
    measured, true = body.read().v[6 + joint], body.truth.v[6 + joint]
    braking = replace(command(talos, body.truth.time, np.zeros(talos.n)), damping=np.full(talos.n, 0.5))
    applied = body.send(braking)[joint]
    assert abs(measured) < 0.5 * abs(true)
    assert applied == pytest.approx(-0.5 * true)


def test_the_base_is_tilted_and_noisy_and_forces_are(talos):
    about = replace(IDEAL, pitch_error=0.02, base_velocity_noise=0.01, force_noise=5.0)
    body = ImperfectRobot(make(talos), about, np.random.default_rng(0))
    body.reset(talos.q_nominal)
    noises, forces = [], []
    for _ in range(300):
        body.send(command(talos, body.truth.time, np.zeros(talos.n)))
        body.advance(DT)
        state = body.read()
        noises.append(state.v[:3] - body.truth.v[:3])
        forces.append(state.contact_wrenches[:, :3] - body.truth.contact_wrenches[:, :3])
    turn = pin.log3(pin.Quaternion(body.truth.q[3:7]).matrix().T @ pin.Quaternion(state.q[3:7]).matrix())
    assert np.allclose(np.abs(turn), [0.0, 0.02, 0.0], atol=1e-9)
    assert np.std(noises) == pytest.approx(0.01, rel=0.1)
    assert np.std(forces) == pytest.approx(5.0, rel=0.1)


def test_one_seed_draws_one_robot(talos):
    first, second = (draw_mechanics(talos, LEVELS[3], np.random.default_rng(7)) for _ in range(2))
    assert np.array_equal(first.mass_ratios, second.mass_ratios)
    assert np.abs(first.mass_ratios - 1.0).max() <= 0.1


def test_walls_are_displaced_and_their_true_normals_known():
    known = load_world("half_wall")
    real = displace_walls(known, LEVELS[2], np.random.default_rng(0))
    wall, displaced = next((a, b) for a, b in zip(known.solids, real.solids, strict=True) if a is not b)
    assert np.linalg.norm(np.subtract(wall.position, displaced.position)) == pytest.approx(0.02)
    assert abs(displaced.rpy[2] - wall.rpy[2]) == pytest.approx(np.radians(5.0))
    normals = np.array([[-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    touched = np.array([wall.position, wall.position]) - [wall.half_size[0], 0.0, 0.0]
    true = find_true_normals(normals, touched, known, real)
    assert np.degrees(np.arccos(true[0] @ normals[0])) == pytest.approx(5.0)
    assert np.array_equal(true[1], normals[1])


def test_the_normal_of_a_solid_that_stayed_is_as_it_was_beside_one_that_moved():
    known = load_world("half_wall")
    displaced = displace_walls(known, LEVELS[2], np.random.default_rng(0))
    wall = next(a for a, b in zip(known.solids, displaced.solids, strict=True) if a is not b)
    low = wall.model_copy(update={"position": (wall.position[0] - 1.0, wall.position[1], 0.2), "size": (0.2, 1.0, 0.4)})
    beside = known.model_copy(update={"solids": (*known.solids, low)})
    real = displace_walls(beside, LEVELS[2], np.random.default_rng(0))
    assert real.solids[-1] is beside.solids[-1]
    face = np.array([low.position]) - [low.half_size[0], 0.0, 0.0]
    assert np.array_equal(find_true_normals(np.array([[-1.0, 0.0, 0.0]]), face, beside, real), [[-1.0, 0.0, 0.0]])


def test_a_canister_on_the_wall_does_not_matter_to_the_walls_normal():
    known = load_world("wall_in_front")
    assert any(solid.shape == "cylinder" for solid in known.solids)
    real = displace_walls(known, LEVELS[2], np.random.default_rng(0))
    wall, displaced = next((a, b) for a, b in zip(known.solids, real.solids, strict=True) if a is not b)
    normals = -displaced.to_se3().rotation[:, :1].T
    face = np.array([displaced.position]) + normals * displaced.half_size[0]
    true = find_true_normals(-wall.to_se3().rotation[:, :1].T, face, known, real)
    assert np.abs(true - normals).max() < 1e-9


def test_noise_begins_anew_with_a_reset(talos):
    body = ImperfectRobot(make(talos), LEVELS[3], np.random.default_rng(0))
    runs = []
    for _ in range(2):
        state = body.reset(lift(talos))
        velocities = [state.v.copy()]
        for _ in range(3):
            body.advance(DT)
            velocities.append(body.read().v.copy())
        runs.append(np.array(velocities))
    body.close()
    assert np.array_equal(*runs)
