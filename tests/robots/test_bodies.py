"""One contract for every body: what the simulated robots do, measured against Pinocchio and mechanics."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from shipped import LEVEL_FEET, ON_FEET

from handhold.robots.contact_kind import ContactKind
from handhold.robots.description import Effector
from handhold.robots.errors import CommandNotFinite, EngineNotAvailable, FrameNotFound, TimeStepMismatch
from handhold.robots.model import GRAVITY, RobotModel, load_model
from handhold.robots.robot import COMMAND_TIMEOUT, JointCommand, RobotState, SimulatedRobot
from handhold.robots.simulation.actuation import compute_damping_gains, compute_damping_torques
from handhold.robots.simulation.engines import known_engines, make_robot
from handhold.robots.worlds import Solid, load_world

DT = 1e-3
# Bullet reads a URDF's numbers in single precision.
FRAME_TOLERANCE = 1e-6
ROTATION_TOLERANCE = 2e-6
# Accelerations are compared over one step of 1 ms; Bullet's single-precision geometry leaves a few parts in a million.
ACCELERATION_TOLERANCE = 1e-4
# A reset goes through the frame of the base's inertia and back: rounding of doubles only.
RESET_TOLERANCE = 1e-12
# The engines soften friction: what is left of it under a steady push of 3 % of the weight [m/s].
CREEP_TOLERANCE = 1e-4
# A foot on which nothing but the weight acts: half a millimetre or half a milliradian in a minute.
STILL_TOLERANCE = 1e-5
# A limp hand bears on a wall for 0.3 s with a few newtons [Ns].
MIN_IMPULSE = 0.1
# A sole that bears on one corner has its centre of pressure there, at 1 of its half lengths [-].
WITHIN_CORNERS = 0.95


@pytest.fixture(scope="module", params=ON_FEET)
def model(request: pytest.FixtureRequest) -> RobotModel:
    return load_model(request.param)


@pytest.fixture(scope="module", params=["mujoco", "pybullet"])
def robot(request: pytest.FixtureRequest, model: RobotModel) -> Iterator[SimulatedRobot]:
    body = make_robot(request.param, model, load_world("flat"))
    yield body
    body.close()


def in_the_air(model: RobotModel, seed: int) -> np.ndarray:
    """Return a random configuration well above the ground."""
    rng = np.random.default_rng(seed)
    q = model.q_nominal.copy()
    q[:3] = rng.uniform(-1.0, 1.0, 3) + np.array([0.0, 0.0, 4.0])
    quaternion = rng.normal(size=4)
    q[3:7] = quaternion / np.linalg.norm(quaternion)
    q[7:] = rng.uniform(0.9 * model.lower + 0.1 * model.upper, 0.1 * model.lower + 0.9 * model.upper)
    return q


def command(
    model: RobotModel, torques: np.ndarray, *, stiffness: float | np.ndarray = 0.0, damping: float | np.ndarray = 0.0
) -> JointCommand:
    """Return a command of torques, with springs about the nominal posture if asked for."""
    return JointCommand(
        time=0.0,
        positions=model.q_nominal[7:],
        velocities=np.zeros(model.n),
        torques=torques,
        stiffness=np.broadcast_to(stiffness, model.n).astype(float),
        damping=np.broadcast_to(damping, model.n).astype(float),
    )


class Balance:
    """Torques that hold the nominal stance: gravity and springs on the base's pose, brought to the ground by the feet."""

    def __init__(self, model: RobotModel) -> None:
        self._model = model
        self._data = model.pinocchio.createData()
        # A point foot bears a force, a sole a moment as well.
        self._feet = [
            (frame, 6 if effector.contact is ContactKind.PLANE else 3)
            for frame, effector in zip(model.effector_frames, model.effectors, strict=True)
            if effector.standing
        ]
        inertia = np.diag(pin.crba(model.pinocchio, self._data, model.q_nominal))
        self._base_inertia = inertia[:6].copy()
        # The posture's springs stay where a period of 1 ms is stable on a joint's own inertia.
        self.damping = np.minimum(0.02 * model.motor_torques, 0.2 * inertia[6:] / DT)
        self.stiffness = 10.0 * self.damping

    def torques(self, state: RobotState) -> np.ndarray:
        robot, data = self._model.pinocchio, self._data
        gravity = pin.computeGeneralizedGravity(robot, data, state.q)
        pin.computeJointJacobians(robot, data, state.q)
        pin.updateFramePlacements(robot, data)
        jacobian = np.vstack(
            [pin.getFrameJacobian(robot, data, frame, pin.LOCAL_WORLD_ALIGNED)[:rows] for frame, rows in self._feet]
        )
        error = pin.difference(robot, state.q, self._model.q_nominal)[:6]
        on_base = gravity[:6] + self._base_inertia * (100.0 * error - 20.0 * state.v[:6])
        wrenches = np.linalg.lstsq(jacobian[:, :6].T, on_base, rcond=None)[0]
        return (gravity - jacobian.T @ wrenches)[6:]


def stand(robot: SimulatedRobot, seconds: float, push: np.ndarray | None = None) -> RobotState:
    """Hold the nominal posture and return the state averaged over the second half of the time."""
    model = robot.model
    balance = Balance(model)
    wrenches = []
    steps = round(seconds / DT)
    for step in range(steps):
        torques = balance.torques(robot.read())
        robot.send(command(model, torques, stiffness=balance.stiffness, damping=balance.damping))
        if push is not None:
            robot.push(push, model.pinocchio.names[1])
        robot.advance(DT)
        if step >= steps // 2:
            wrenches.append(robot.read().contact_wrenches)
    last = robot.read()
    return RobotState(
        time=last.time,
        q=last.q,
        v=last.v,
        joint_torques=last.joint_torques,
        contact_wrenches=np.mean(wrenches, axis=0),
    )


def wrenches_in_world(model: RobotModel, state: RobotState) -> tuple[np.ndarray, np.ndarray]:
    """Return the contact wrenches in world axes at the contact frames' origins, and those origins."""
    poses = model.effector_poses(state.q)
    turned = np.concatenate(
        [
            np.einsum("eij,ej->ei", poses[:, :3, :3], state.contact_wrenches[:, :3]),
            np.einsum("eij,ej->ei", poses[:, :3, :3], state.contact_wrenches[:, 3:]),
        ],
        axis=1,
    )
    return turned, poses[:, :3, 3]


def centre_of_mass(model: RobotModel, state: RobotState) -> tuple[np.ndarray, np.ndarray]:
    data = model.pinocchio.createData()
    pin.centerOfMass(model.pinocchio, data, state.q, state.v)
    return data.com[0].copy(), data.vcom[0].copy()


def test_a_falling_robot_accelerates_with_gravity(robot: SimulatedRobot) -> None:
    robot.reset(in_the_air(robot.model, 1))
    for _ in range(100):
        robot.advance(DT)
    _, velocity = centre_of_mass(robot.model, robot.read())
    # The joints fall freely too, so that the integrator's error of the whole motion counts.
    np.testing.assert_allclose(velocity, [0.0, 0.0, -GRAVITY * 0.1], atol=2e-3)


@pytest.mark.parametrize("seed", range(4))
def test_torques_accelerate_all_joints_and_the_base_as_forward_dynamics_predict(robot: SimulatedRobot, seed: int) -> None:
    model = robot.model
    q = in_the_air(model, seed)
    torques = 0.2 * model.motor_torques * np.random.default_rng(seed).uniform(-1.0, 1.0, model.n)
    robot.reset(q)
    applied = robot.send(command(model, torques))
    np.testing.assert_array_equal(applied, torques)
    robot.advance(DT)
    data = model.pinocchio.createData()
    expected = pin.aba(model.pinocchio, data, q, np.zeros(model.nv), np.concatenate([np.zeros(6), torques]))
    scale = np.abs(expected).max()
    np.testing.assert_allclose(robot.read().v / DT, expected, atol=ACCELERATION_TOLERANCE * scale)


def test_a_positive_torque_alone_turns_its_joint_positively(robot: SimulatedRobot) -> None:
    model = robot.model
    for joint in range(0, model.n, 5):
        robot.reset(model.q_nominal + np.concatenate([[0.0, 0.0, 2.0], np.zeros(model.nq - 3)]))
        torques = np.zeros(model.n)
        torques[joint] = 2.0
        robot.send(command(model, torques))
        robot.advance(DT)
        assert robot.read().v[6 + joint] > 0.0


def test_a_standing_robot_bears_its_weight_on_its_soles(robot: SimulatedRobot) -> None:
    model = robot.model
    robot.reset(model.q_nominal)
    state = stand(robot, 1.6)
    wrenches, _ = wrenches_in_world(model, state)
    # One per cent of the weight, and as much sideways.
    np.testing.assert_allclose(wrenches[:, :3].sum(axis=0), [0.0, 0.0, model.weight], atol=0.01 * model.weight)
    soles = [effector.standing for effector in model.effectors]
    # No foot bears less than 0.6 of its even share.
    assert np.all(wrenches[soles, 2] > 0.6 * model.weight / np.count_nonzero(soles))
    assert not state.contact_wrenches[np.logical_not(soles)].any()


def test_the_moments_on_the_soles_balance_about_the_centre_of_mass(robot: SimulatedRobot) -> None:
    model = robot.model
    robot.reset(model.q_nominal)
    state = stand(robot, 1.6)
    wrenches, origins = wrenches_in_world(model, state)
    com, _ = centre_of_mass(model, state)
    moment = (np.cross(origins - com, wrenches[:, :3]) + wrenches[:, 3:]).sum(axis=0)
    # The weight times 2 mm of centre of mass: what is left of the swaying after the settling.
    np.testing.assert_allclose(moment, 0.0, atol=0.002 * model.weight)


@pytest.mark.parametrize("model", LEVEL_FEET, indirect=True)
@pytest.mark.parametrize("axis", [0, 1])
def test_the_soles_answer_a_sideways_push_with_friction(robot: SimulatedRobot, axis: int) -> None:
    model = robot.model
    push = np.zeros(3)
    push[axis] = 0.03 * model.weight
    robot.reset(model.q_nominal)
    state = stand(robot, 1.6, push)
    wrenches, _ = wrenches_in_world(model, state)
    np.testing.assert_allclose(wrenches[:, axis].sum(), -push[axis], atol=0.01 * model.weight)


@pytest.mark.parametrize("model", LEVEL_FEET, indirect=True)
@pytest.mark.parametrize("axis", [0, 1])
def test_the_soles_do_not_creep_under_a_sideways_push(robot: SimulatedRobot, axis: int) -> None:
    model = robot.model
    push = np.zeros(3)
    push[axis] = 0.03 * model.weight
    robot.reset(model.q_nominal)
    stand(robot, 0.5, push)
    before = robot.effector_poses()
    stand(robot, 1.0, push)
    soles = [effector.standing for effector in model.effectors]
    moved = np.linalg.norm(robot.effector_poses()[soles, :3, 3] - before[soles, :3, 3], axis=1)
    assert np.all(moved < CREEP_TOLERANCE)  # over one second


@pytest.mark.parametrize("engine", known_engines())
def test_soles_slide_where_friction_is_too_little(engine: str) -> None:
    model, world = load_model("talos"), load_world("flat")
    friction = 0.02
    floor = world.floor.model_copy(update={"friction": friction})
    body = make_robot(engine, model, world.model_copy(update={"floor": floor}))
    before = body.effector_poses()
    state = stand(body, 0.3, np.array([0.0, 2.0 * friction * model.weight, 0.0]))
    wrenches, _ = wrenches_in_world(model, state)
    np.testing.assert_allclose(wrenches[:, 1].sum(), -friction * wrenches[:, 2].sum(), rtol=0.05)
    assert np.all(body.effector_poses()[:2, 1, 3] - before[:2, 1, 3] > 0.03)
    body.close()


@pytest.mark.parametrize("model", LEVEL_FEET, indirect=True)
def test_soles_that_nothing_turns_stay_as_they_are(robot: SimulatedRobot) -> None:
    model = robot.model
    robot.reset(model.q_nominal)
    stand(robot, 0.5)
    before = robot.effector_poses()
    stand(robot, 1.0)
    after = robot.effector_poses()
    for sole in np.flatnonzero([effector.contact is ContactKind.PLANE for effector in model.effectors]):
        assert np.linalg.norm(pin.log6(pin.SE3(before[sole]).actInv(pin.SE3(after[sole])))) < STILL_TOLERANCE


def test_the_engines_own_kinematics_agree_with_pinocchio(robot: SimulatedRobot) -> None:
    for seed in range(20):
        q = in_the_air(robot.model, seed)
        q[:3] -= [0.0, 0.0, 3.0]
        robot.reset(q)
        found, expected = robot.effector_poses(), robot.model.effector_poses(q)
        np.testing.assert_allclose(found[:, :3, 3], expected[:, :3, 3], atol=FRAME_TOLERANCE)
        np.testing.assert_allclose(found[:, :3, :3], expected[:, :3, :3], atol=ROTATION_TOLERANCE)


def test_base_velocity_is_that_of_its_pose_in_base_axes(robot: SimulatedRobot) -> None:
    model = robot.model
    robot.reset(in_the_air(model, 7))
    frame = model.description.effectors[-1].frame
    for step in range(100):
        if step < 50:
            robot.push(np.array([3.0, -2.0, 2.0]) * model.weight, frame)
        before = pin.XYZQUATToSE3(robot.read().q[:7])
        robot.send(command(model, np.zeros(model.n), damping=1.0))
        robot.advance(DT)
    after = robot.read()
    twist = pin.log6(before.actInv(pin.XYZQUATToSE3(after.q[:7]))).vector / DT
    # Both engines step velocities first: the twist of the last step is the present velocity, but for the turn within it.
    speed = np.linalg.norm(after.v[:6])
    assert np.linalg.norm(after.v[:3]) > 1.0
    assert np.linalg.norm(after.v[3:6]) > 0.5
    np.testing.assert_allclose(after.v[:6], twist, atol=0.01 * speed)


def test_joint_velocities_are_those_of_the_positions(robot: SimulatedRobot) -> None:
    model = robot.model
    robot.reset(in_the_air(model, 3))
    rng = np.random.default_rng(3)
    robot.send(command(model, 0.1 * model.motor_torques * rng.uniform(-1.0, 1.0, model.n)))
    for _ in range(10):
        before = robot.read()
        robot.advance(DT)
    after = robot.read()
    np.testing.assert_allclose(after.v[6:], (after.q[7:] - before.q[7:]) / DT, atol=1e-6 * np.abs(after.v).max())


def test_torques_beyond_the_motors_are_clipped_and_the_clipped_ones_reported(robot: SimulatedRobot) -> None:
    model = robot.model
    robot.reset(in_the_air(model, 2))
    signs = np.where(np.arange(model.n) % 2, 1.0, -1.0)
    applied = robot.send(command(model, 1e4 * signs))
    np.testing.assert_array_equal(applied, signs * model.motor_torques)
    robot.advance(DT)
    np.testing.assert_array_equal(robot.read().joint_torques, applied)


def test_springs_and_dampers_act_on_the_state_at_the_moment_of_sending(robot: SimulatedRobot) -> None:
    model = robot.model
    robot.reset(in_the_air(model, 5))
    robot.send(command(model, 0.05 * model.motor_torques))
    for _ in range(5):
        robot.advance(DT)
    state = robot.read()
    applied = robot.send(command(model, np.zeros(model.n), stiffness=1.0, damping=0.1))
    expected = (model.q_nominal[7:] - state.q[7:]) - 0.1 * state.v[6:]
    np.testing.assert_allclose(applied, np.clip(expected, -model.motor_torques, model.motor_torques), rtol=1e-12)


def test_a_push_moves_the_centre_of_mass_by_impulse_over_mass(robot: SimulatedRobot) -> None:
    model = robot.model
    start = in_the_air(model, 4)
    robot.reset(start)
    force = np.array([0.5, -0.4, 0.0]) * model.weight
    for _ in range(50):
        robot.push(force, model.pinocchio.names[1])
        robot.advance(DT)
    for _ in range(20):
        robot.advance(DT)
    _, velocity = centre_of_mass(model, robot.read())
    impulse = force * 0.05
    np.testing.assert_allclose(velocity[:2], impulse[:2] / model.mass, atol=0.01 * np.abs(impulse).max() / model.mass)


def test_reset_is_exact_and_at_rest_at_time_zero(robot: SimulatedRobot) -> None:
    model = robot.model
    robot.reset(model.q_nominal)
    stand(robot, 0.1, np.array([50.0, 0.0, 0.0]))
    q = in_the_air(model, 9)
    state = robot.reset(q)
    assert state.time == 0.0
    np.testing.assert_allclose(state.q[:3], q[:3], atol=RESET_TOLERANCE)
    np.testing.assert_allclose(pin.Quaternion(state.q[3:7]).matrix(), pin.Quaternion(q[3:7]).matrix(), atol=RESET_TOLERANCE)
    np.testing.assert_array_equal(state.q[7:], q[7:])
    np.testing.assert_array_equal(state.v, 0.0)


def test_time_counts_the_steps_and_a_long_advance_equals_many_short_ones(robot: SimulatedRobot) -> None:
    model = robot.model
    torques = 0.05 * model.motor_torques
    robot.reset(in_the_air(model, 6))
    robot.send(command(model, torques))
    robot.advance(5 * DT)
    at_once = robot.read()
    robot.reset(in_the_air(model, 6))
    robot.send(command(model, torques))
    for _ in range(5):
        robot.advance(DT)
    one_by_one = robot.read()
    assert at_once.time == one_by_one.time == 5 * DT
    np.testing.assert_array_equal(at_once.q, one_by_one.q)
    np.testing.assert_array_equal(at_once.v, one_by_one.v)


def test_states_are_the_readers_to_keep(robot: SimulatedRobot) -> None:
    robot.reset(robot.model.q_nominal)
    first = robot.read()
    kept = first.q.copy(), first.v.copy(), first.contact_wrenches.copy()
    stand(robot, 0.02)
    np.testing.assert_array_equal(first.q, kept[0])
    np.testing.assert_array_equal(first.v, kept[1])
    np.testing.assert_array_equal(first.contact_wrenches, kept[2])
    with pytest.raises(ValueError):
        first.q[0] = 1.0


def test_a_command_that_is_not_finite_is_refused_and_changes_nothing(robot: SimulatedRobot) -> None:
    model = robot.model
    robot.reset(model.q_nominal)
    before = robot.send(command(model, np.full(model.n, 0.5)))
    with pytest.raises(CommandNotFinite):
        robot.send(command(model, np.full(model.n, np.nan)))
    np.testing.assert_array_equal(robot.read().joint_torques, before)


def test_a_robot_without_commands_damps_its_joints_by_itself_until_the_next_command(robot: SimulatedRobot) -> None:
    model = robot.model
    robot.reset(in_the_air(model, 8))
    rng = np.random.default_rng(8)
    sent = robot.send(command(model, 0.05 * model.motor_torques * rng.uniform(-1.0, 1.0, model.n)))
    robot.advance(COMMAND_TIMEOUT)
    before = robot.read()
    np.testing.assert_array_equal(before.joint_torques, sent)
    robot.advance(DT)
    damped = robot.read()
    expected = compute_damping_torques(compute_damping_gains(model, DT), before.v[6:], model.motor_torques)
    np.testing.assert_array_equal(damped.joint_torques, expected)
    # Brakes only take power out.
    assert np.all(damped.joint_torques * before.v[6:] <= 0.0)
    robot.advance(0.3)
    assert np.abs(robot.read().v[6:]).max() < 0.5 * np.abs(before.v[6:]).max()
    sent = robot.send(command(model, np.zeros(model.n), stiffness=1.0))
    robot.advance(DT)
    np.testing.assert_array_equal(robot.read().joint_torques, sent)


def test_a_robot_damps_itself_at_the_same_step_however_its_time_is_cut(robot: SimulatedRobot) -> None:
    model = robot.model
    states = []
    for steps in (150, 1):
        robot.reset(in_the_air(model, 1))
        robot.send(command(model, 0.05 * model.motor_torques))
        for _ in range(150 // steps):
            robot.advance(steps * DT)
        states.append(robot.read())
    np.testing.assert_array_equal(states[0].q, states[1].q)
    np.testing.assert_array_equal(states[0].joint_torques, states[1].joint_torques)


def test_a_time_that_is_no_multiple_of_the_step_is_refused(robot: SimulatedRobot) -> None:
    with pytest.raises(TimeStepMismatch):
        robot.advance(1.5 * DT)


def test_a_push_on_an_unknown_frame_names_near_ones(robot: SimulatedRobot) -> None:
    with pytest.raises(FrameNotFound, match="did you mean"):
        robot.push(np.zeros(3), "left_han")


def digest_of_a_run(engine: str, robot_name: str) -> str:
    """Return a digest of all states of a run that stands, is pushed and falls."""
    robot = make_robot(engine, load_model(robot_name), load_world("table"))
    digest = run_and_digest(robot)
    robot.close()
    return digest


def run_and_digest(robot: SimulatedRobot) -> str:
    digest = hashlib.sha256()
    model = robot.model
    rng = np.random.default_rng(0)
    robot.reset(model.q_nominal)
    for step in range(900):
        torques = rng.normal(size=model.n)
        robot.send(command(model, torques, stiffness=500.0, damping=5.0))
        if step < 100:
            robot.push(np.array([3.0 * model.mass, 0.0, 0.0]), model.pinocchio.names[1])
        robot.advance(DT)
        state = robot.read()
        for array in (state.q, state.v, state.contact_wrenches):
            digest.update(array.tobytes())
    return digest.hexdigest()


@pytest.mark.parametrize("engine", known_engines())
def test_the_same_commands_give_the_same_states_bit_for_bit_also_in_another_process(engine: str) -> None:
    robot = make_robot(engine, load_model("talos"), load_world("table"))
    first = run_and_digest(robot)
    assert run_and_digest(robot) == first
    robot.close()
    code = f"import sys; sys.path.append('..'); import test_bodies; print(test_bodies.digest_of_a_run('{engine}', 'talos'))"
    other = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        cwd=__file__.rpartition("/")[0],
        capture_output=True,
        text=True,
        check=True,
    )
    assert other.stdout.split()[-1] == first


@pytest.mark.parametrize("engine", known_engines())
@pytest.mark.parametrize("name", ["talos", "g1"])
def test_hands_on_a_wall_are_pushed_away_from_it(engine: str, name: str) -> None:
    model = load_model(name)
    world = load_world("wall")
    wall = world.solids[0]
    face = wall.position[0] - wall.half_size[0]
    q = model.q_nominal.copy()
    hands = [i for i, effector in enumerate(model.effectors) if effector.contact is ContactKind.POINT]
    reach = max(model.effector_poses(q)[i, 0, 3] + model.effectors[i].radius for i in hands)
    q[0] += face + 0.001 - reach
    robot = make_robot(engine, model, world)
    before = robot.reset(q)
    balance, total = Balance(model), np.zeros((len(model.effectors), 6))
    for _ in range(300):
        state = robot.read()
        # The wrenches are of the step that has just ended: in world by where the hands were when it began.
        total += wrenches_in_world(model, replace(state, q=before.q))[0]
        before = state
        robot.send(command(model, balance.torques(state), stiffness=balance.stiffness, damping=balance.damping))
        robot.push(np.array([0.1 * model.weight, 0.0, 0.0]), model.pinocchio.names[1])
        robot.advance(DT)
    for hand in hands:
        assert total[hand, 0] * DT < -MIN_IMPULSE
        # Friction is a cone at every instant, so it is for the sum.
        assert np.linalg.norm(total[hand, 1:3]) <= 1.001 * wall.friction * -total[hand, 0]
    robot.close()


def place_sole(model: RobotModel, sole: int, target: pin.SE3) -> np.ndarray:
    """Return the nominal configuration moved so that a sole has a pose."""
    q = model.q_nominal.copy()
    base = pin.XYZQUATToSE3(q[:7])
    q[:7] = pin.SE3ToXYZQUAT(target * pin.SE3(model.effector_poses(q)[sole]).inverse() * base)
    return q


@pytest.mark.parametrize("engine", known_engines())
def test_a_sole_that_juts_out_over_a_tilted_block_bears_on_all_it_lies_on(engine: str) -> None:
    model, world = load_model("talos"), load_world("flat")
    block = Solid(name="block", size=(0.3, 0.34, 0.05), position=(0.0, 0.0, 0.5), rpy=(0.06, 0.0, 0.0))
    robot = make_robot(engine, model, world.model_copy(update={"solids": (block,)}))
    rng = np.random.default_rng(3)
    length = model.effectors[0].half_lengths[0]
    for _ in range(100):
        # Off parallel by what a sole that is pressed harder at one side is.
        turn = pin.rpy.rpyToMatrix(rng.uniform(-3e-4, -1e-4), rng.uniform(1e-5, 5e-5), 0.05)
        on_block = pin.SE3(turn, np.array([-0.02, 0.118, 0.025 - 3e-5]))
        robot.reset(place_sole(model, 0, block.to_se3() * on_block))
        robot.advance(DT)
        wrench = robot.read().contact_wrenches[0]
        assert wrench[2] > 0.0
        assert abs(wrench[4]) / wrench[2] < WITHIN_CORNERS * length
    robot.close()


@pytest.mark.parametrize("engine", known_engines())
def test_an_effector_may_be_on_the_base_link(engine: str) -> None:
    description = load_model("g1").description
    seat = Effector(name="seat", frame="pelvis", contact=ContactKind.POINT, radius=0.25, max_normal_force=300.0)
    # Its touch point on the pelvis goes: two that are touched are not carried by one joint.
    update = {"effectors": (*description.effectors, seat), "touch_points": ()}
    model = RobotModel(description.model_copy(update=update))
    q = pin.neutral(model.pinocchio)
    # Legs folded forward, so that it sits down.
    for side in ("left", "right"):
        q[7 + model.joint_names.index(f"{side}_hip_pitch_joint")] = -1.6
    q[2] = 0.25
    robot = make_robot(engine, model, load_world("flat"))
    robot.reset(q)
    np.testing.assert_allclose(robot.effector_poses()[-1], model.effector_poses(q)[-1], atol=FRAME_TOLERANCE)
    total = 0.0
    for _ in range(100):
        robot.advance(DT)
        total += wrenches_in_world(model, robot.read())[0][-1, 2]
    assert total * DT > MIN_IMPULSE
    robot.close()


@pytest.mark.parametrize("engine", known_engines())
def test_a_fixed_solid_that_is_shifted_is_where_it_was_shifted_to_for_all(engine: str) -> None:
    model, displacement = load_model("g1"), np.array([0.1, 0.0, 0.0])
    world = load_world("half_wall")
    robot = make_robot(engine, model, world)
    robot.shift_solid(0, displacement)
    robot.advance(DT)
    expected = np.add(world.solids[0].position, displacement)
    np.testing.assert_allclose(robot.solid_poses()[0, :3, 3], expected, atol=1e-9)
    np.testing.assert_allclose(robot.world.solids[0].position, expected)
    np.testing.assert_allclose(world.solids[0].position, expected - displacement)
    robot.close()


@pytest.mark.parametrize("engine", known_engines())
def test_movable_solids_rest_where_they_were_put_and_reset_puts_them_back(engine: str) -> None:
    model, world = load_model("g1"), load_world("table")
    robot = make_robot(engine, model, world)
    start = robot.solid_poses()
    expected = np.array([solid.to_se3().homogeneous for solid in world.solids])
    np.testing.assert_allclose(start, expected, atol=1e-9)
    q = model.q_nominal.copy()
    q[0] -= 2.0
    robot.reset(q)
    robot.advance(0.5)
    # Contacts give way by a millimetre at most.
    np.testing.assert_allclose(robot.solid_poses()[:, :3, 3], expected[:, :3, 3], atol=1e-3)
    robot.reset(q)
    np.testing.assert_allclose(robot.solid_poses(), expected, atol=1e-9)
    robot.close()


def test_an_unknown_engine_names_those_there_are() -> None:
    with pytest.raises(EngineNotAvailable, match="mujoco, pybullet"):
        make_robot("havok", load_model("g1"), load_world())


def test_a_missing_engine_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    model = load_model("g1")
    monkeypatch.delitem(sys.modules, "handhold.robots.simulation.pybullet_robot", raising=False)
    monkeypatch.setitem(sys.modules, "pybullet", None)
    with pytest.raises(EngineNotAvailable, match=r"Python 3\.11"):
        make_robot("pybullet", model, load_world())
