"""The momentum observer: its dynamics, what it makes of pushes and contacts, and what it makes of nothing."""

import time
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from handhold.app.host.cycle import Cycle
from handhold.app.host.standing import find_standing_posture
from handhold.app.lab.benches.timing import KernelClock
from handhold.devices.operator_input import HandInput, OperatorInput
from handhold.retarget.bracing.objects.object_push import DEAD_ZONE
from handhold.robots.estimation.external_force import GAIN, ExternalForceObserver
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import load_model
from handhold.robots.robot import RobotState
from handhold.robots.simulation.engines import make_robot
from handhold.robots.worlds import load_world

DT = 1e-3
MAX_UPDATE_KERNELS = 5.0 / 3.0  # 0.1 ms of a period of 1 ms where the kernel takes 60 us
LEFT_HAND = 2
PUSH = np.array([-20.0, 10.0, -20.0])  # [N], 30 N in all
PUSH_TOLERANCE = 3.0  # [N] 10 % of the push
# Standing quietly: the engines step by the observer's own equation, what is left is the time a contact's wrench is old.
QUIET = 3.0  # [N]
MOVING = 3.0  # [N] at the hand's largest speed in a far reach
SETTLING = 0.5  # [s] after which a robot put down stands quietly
# Explicit Euler over one time constant in 20 steps, against the continuous exponential.
EXPONENTIAL_TOLERANCE = 0.03
# [N, Nm] The flight is integrated by the very equation that is observed.
ROUNDING = 1e-8


@pytest.fixture(scope="module")
def talos():
    return load_model("talos")


class Flight:
    """A robot in free flight, integrated with pinocchio's forward dynamics, a force on its left hand."""

    def __init__(self, model, seed=0):
        random = np.random.default_rng(seed)
        self.model = model
        self.data = model.pinocchio.createData()
        self.q = pin.integrate(model.pinocchio, model.q_nominal, 0.2 * random.normal(size=model.nv))
        self.v = 0.3 * random.normal(size=model.nv)
        self.tau = random.normal(size=model.n)

    def push(self, force):
        """Return the generalised force of a force at the left hand in world axes, shape ``(nv,)``."""
        robot = self.model.pinocchio
        frame = self.model.effector_frames[LEFT_HAND]
        pin.computeJointJacobians(robot, self.data, self.q)
        pin.updateFramePlacements(robot, self.data)
        return pin.getFrameJacobian(robot, self.data, frame, pin.LOCAL_WORLD_ALIGNED)[:3].T @ force

    def step(self, external):
        robot = self.model.pinocchio
        applied = np.concatenate([np.zeros(6), self.tau]) + external
        self.v = self.v + DT * pin.aba(robot, self.data, self.q, self.v, applied)
        self.q = pin.integrate(robot, self.q, DT * self.v)
        return self.state()

    def state(self):
        effectors = len(self.model.effectors)
        return RobotState(time=0.0, q=self.q, v=self.v, joint_torques=self.tau, contact_wrenches=np.zeros((effectors, 6)))


@pytest.mark.parametrize("gain", [20.0, 50.0])
def test_the_residual_follows_a_constant_push_with_the_time_constant_of_the_gain(talos, gain):
    flight = Flight(talos)
    observer = ExternalForceObserver(talos, gain=gain)
    observer.update(flight.state(), DT)
    external = flight.push(PUSH)
    shares = []
    for _ in range(round(5.0 / gain / DT)):
        residual = observer.update(flight.step(external), DT)
        shares.append(float(residual @ external / (external @ external)))
        assert np.abs(residual - shares[-1] * external).max() < ROUNDING
    times = DT * np.arange(1, len(shares) + 1)
    np.testing.assert_allclose(shares, 1.0 - np.exp(-gain * times), atol=EXPONENTIAL_TOLERANCE)


def test_a_push_on_one_hand_of_a_flying_robot_is_found_there_and_not_at_the_other(talos):
    flight = Flight(talos)
    observer = ExternalForceObserver(talos, gain=4.0 * GAIN)
    observer.update(flight.state(), DT)
    for _ in range(200):
        observer.update(flight.step(flight.push(PUSH)), DT)
    # The arm swings: within the observer's 5 ms its Jacobian changes by a hundredth or two.
    assert np.linalg.norm(observer.forces[LEFT_HAND] - PUSH) < 0.05 * np.linalg.norm(PUSH)
    assert np.linalg.norm(observer.forces[3]) < 0.05 * np.linalg.norm(PUSH)


def test_what_a_stretched_arm_hardly_feels_is_as_it_is_expected():
    model = load_model("dual-panda")
    hands = [e for e, effector in enumerate(model.effectors) if not effector.standing]
    q = model.q_nominal.copy()
    # Right arm: elbow almost straight, so that nothing along the arm bends it.
    elbow, shoulder = (model.pinocchio.getJointId(f"right_panda_joint{number}") for number in (4, 2))
    q[model.pinocchio.joints[elbow].idx_q] = -0.1
    kinematics, observer = EffectorKinematics(model), ExternalForceObserver(model, sensed=[])
    kinematics.update(q)
    right = kinematics.poses[model.effector_of_hand("right")]
    along = right[:3, 3] - kinematics.data.oMi[shoulder].translation
    pressed = np.zeros((len(model.effectors), 6))
    pressed[model.effector_of_hand("right"), :3] = 100.0 * right[:3, :3].T @ along / np.linalg.norm(along)
    torques = pin.computeGeneralizedGravity(model.pinocchio, kinematics.data, q)[6:]
    for hand in hands:
        force = kinematics.poses[hand, :3, :3] @ pressed[hand, :3]
        torques = torques - kinematics.jacobians[hand, :3, 6:].T @ force
    state = RobotState(
        time=0.0, q=q, v=np.zeros(model.nv), joint_torques=torques, contact_wrenches=np.zeros((len(pressed), 6))
    )
    for _ in range(round(1.0 / DT)):
        observer.update(state, DT)
    unobserved = observer.find_unobserved(pressed)
    errors = []
    for hand in hands:
        rotation = kinematics.poses[hand, :3, :3]
        seen = rotation.T @ observer.forces[hand]
        errors.append(np.linalg.norm(seen - pressed[hand, :3]))
        np.testing.assert_allclose(seen + unobserved[hand, :3], pressed[hand, :3], atol=0.1)
        np.testing.assert_allclose(rotation.T @ observer.moments[hand] + unobserved[hand, 3:], 0.0, atol=0.1)
    assert max(errors) > DEAD_ZONE, "or the test shows nothing"


def test_free_motion_leaves_no_residual(talos):
    flight = Flight(talos, seed=1)
    observer = ExternalForceObserver(talos)
    observer.update(flight.state(), DT)
    for _ in range(200):
        residual = observer.update(flight.step(np.zeros(talos.nv)), DT)
        assert np.abs(residual).max() < ROUNDING


def test_the_increments_are_those_of_the_momentum(talos):
    r""":math:`M \Delta v + h\,dt` and :math:`\Delta p - (C^T v - g)\,dt` differ by the second order in dt only."""
    robot = talos.pinocchio
    errors = []
    for dt in (1e-3, 1e-4):
        flight = Flight(talos, seed=2)
        data = flight.data
        before = pin.crba(robot, data, flight.q) @ flight.v
        coriolis = pin.computeCoriolisMatrix(robot, data, flight.q, flight.v)
        gravity = pin.computeGeneralizedGravity(robot, data, flight.q)
        bias = pin.nonLinearEffects(robot, data, flight.q, flight.v)
        mass = np.triu(pin.crba(robot, data, flight.q))
        mass = mass + np.triu(mass, 1).T
        acceleration = np.random.default_rng(3).normal(size=talos.nv)
        after = flight.v + dt * acceleration
        momentum = pin.crba(robot, data, pin.integrate(robot, flight.q, dt * flight.v)) @ after
        classic = momentum - before - dt * (coriolis.T @ flight.v - gravity)
        errors.append(np.abs(classic - (mass @ (after - flight.v) + dt * bias)).max())
    assert errors[1] < 0.02 * errors[0]


def quiet_operator(t):
    return OperatorInput(time=t, sequence=int(90 * t), device="script")


def reaching_operator(t):
    """Squeezes and moves the left hand 0.9 m ahead at 0.5 m/s, out of reach, and back."""
    out = np.clip(0.5 * (t - 1.0), 0.0, 0.9) - np.clip(0.5 * (t - 4.0), 0.0, 0.9)
    pose = pin.SE3(np.eye(3), np.array([out, 0.0, 1.0]))
    hand = HandInput(pose=pose, aim=pose, squeeze=1.0 if t >= 0.8 else 0.0)
    return OperatorInput(time=t, sequence=int(90 * t), device="script", left=hand)


def play(model, engine, seconds, operator=quiet_operator, *, world="flat", push_from=np.inf, blind=False, **settings):
    """Let the robot stand under the cycle; return times, estimates and measured hand forces (world axes) of every period."""
    body = make_robot(engine, model, load_world(world))
    try:
        state = body.reset(find_standing_posture(model))
        cycle = Cycle(model, state)
        observer = ExternalForceObserver(model, **settings)
        estimates, measured = [], []
        for tick in range(round(seconds / DT)):
            seen = replace(state, contact_wrenches=np.zeros_like(state.contact_wrenches)) if blind else state
            observer.update(seen, DT)
            estimates.append(observer.forces.copy())
            rotation = body.effector_poses()[LEFT_HAND, :3, :3]
            measured.append(rotation @ state.contact_wrenches[LEFT_HAND, :3])
            command, snapshot = cycle.step(operator(tick * DT), state, (), DT)
            assert not snapshot.stop
            body.send(command)
            if tick * DT >= push_from:
                body.push(PUSH, "handhold/left_hand")
            body.advance(DT)
            state = body.read()
    finally:
        body.close()
    return DT * np.arange(len(estimates)), np.array(estimates), np.array(measured)


@pytest.mark.parametrize("engine", ["mujoco", "pybullet"])
def test_a_push_on_a_hand_is_estimated_and_quiet_standing_is_no_push(talos, engine):
    times, estimates, _ = play(talos, engine, 1.8, push_from=1.0)
    quiet = (times > SETTLING) & (times < 1.0)
    assert np.linalg.norm(estimates[quiet, LEFT_HAND], axis=1).max() < QUIET
    late = times > 1.5
    assert np.linalg.norm(estimates[late, LEFT_HAND] - PUSH, axis=1).max() < PUSH_TOLERANCE
    assert np.linalg.norm(estimates[late, 3], axis=1).max() < PUSH_TOLERANCE


@pytest.mark.parametrize("engine", ["mujoco", "pybullet"])
def test_a_hand_that_moves_freely_shows_no_force(talos, engine):
    times, estimates, _ = play(talos, engine, 5.0, reaching_operator)
    assert np.linalg.norm(estimates[times > SETTLING, LEFT_HAND], axis=1).max() < MOVING


@pytest.mark.parametrize("engine", ["mujoco", "pybullet"])
def test_a_hand_on_a_wall_is_estimated_as_its_sensor_measures(talos, engine):
    _, estimates, measured = play(talos, engine, 4.0, reaching_operator, world="wall")
    # The sensor through the same low pass.
    filtered, share = np.zeros(3), GAIN * DT / (1.0 + GAIN * DT)
    errors, largest = [], 0.0
    for estimate, force in zip(estimates[:, LEFT_HAND], measured, strict=True):
        filtered = filtered + share * (force - filtered)
        errors.append(np.linalg.norm(estimate - filtered))
        largest = max(largest, float(np.linalg.norm(filtered)))
    assert largest > 10.0
    assert max(errors) < 0.1 * largest


def test_without_any_sensor_a_push_is_still_told_from_the_feet(talos):
    # The unknown weight on the feet is smeared by the way the pushed robot goes within 1 / gain: a shorter one.
    times, estimates, _ = play(talos, "mujoco", 1.3, push_from=1.0, blind=True, sensed=(), gain=4.0 * GAIN)
    # From ten time constants on, and before the arm that gives way comes to its stops: they push too.
    late = times > 1.05
    assert np.linalg.norm(estimates[late, LEFT_HAND] - PUSH, axis=1).max() < PUSH_TOLERANCE
    quiet = (times > SETTLING) & (times < 1.0)
    np.testing.assert_allclose(estimates[quiet, :2, 2].sum(axis=1), talos.weight, rtol=0.01)


def test_an_update_costs_little_of_a_period(talos):
    flight = Flight(talos)
    observer = ExternalForceObserver(talos)
    states = [flight.step(flight.push(PUSH)) for _ in range(300)]
    kernel, costs = KernelClock(), []
    for state in states:
        kernel.tick()
        began = time.thread_time()
        observer.update(state, DT)
        costs.append(time.thread_time() - began)
    assert 1e6 * np.median(costs) < MAX_UPDATE_KERNELS * kernel.microseconds
