"""What is fitted to records of a joint whose drive is known, and the motions that show what it is like."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from handhold.robots.estimation.identification.dynamics_rows import make_rows
from handhold.robots.estimation.identification.excitation import Excitation
from handhold.robots.estimation.identification.friction import fit_friction
from handhold.robots.estimation.identification.joint_record import JointRecord
from handhold.robots.estimation.identification.link_prior import make_root_metric
from handhold.robots.estimation.identification.plan import CLEARANCE, plan_joint
from handhold.robots.estimation.identification.rotor_inertia import fit_rotor_inertias
from handhold.robots.estimation.identification.slow_travel import SlowTravel
from handhold.robots.estimation.identification.swing import Swing
from handhold.robots.estimation.identification.torque_response import fit_torque_response
from handhold.robots.estimation.identification.torque_steps import TorqueSteps
from handhold.robots.estimation.unit_mount import UnitMount
from handhold.robots.model import GRAVITY, RobotModel, load_model
from handhold.robots.unitree.g1 import G1
from handhold.robots.unitree.h1 import H1

PERIOD, FINE = 2e-3, 1e-4
ELBOW = "left_elbow_joint"


@pytest.fixture(scope="module")
def model() -> RobotModel:
    return load_model("g1")


def record_motion(model: RobotModel, joint: int, excitation: Excitation, torque_of: object) -> JointRecord:
    """Record a joint that moves exactly as it is asked, with torques that a function of velocity and acceleration gives."""
    times = np.arange(0.0, excitation.duration, PERIOD)
    targets = [excitation.at(time) for time in times.tolist()]
    displacements = np.array([target.displacement for target in targets])
    velocities = np.array([target.velocity for target in targets])
    positions = np.tile(model.q_nominal[7:], (len(times), 1))
    positions[:, joint] += displacements
    torques, moving = np.zeros((len(times), model.n)), np.zeros((len(times), model.n))
    moving[:, joint] = velocities
    accelerations = np.gradient(velocities, PERIOD)
    torques[:, joint] = torque_of(positions[:, joint], velocities, accelerations)  # type: ignore[operator]
    return JointRecord(
        joint=joint,
        stiffness=10.0,
        damping=1.0,
        times=times,
        positions=positions,
        velocities=moving,
        torques=torques,
        angular_velocities=np.zeros((len(times), 3)),
        specific_forces=np.tile([0.0, 0.0, GRAVITY], (len(times), 1)),
        sent_at=times,
        desired_positions=positions[:, joint],
        desired_velocities=velocities,
        feed_forward=np.array([target.torque for target in targets]),
    )


@pytest.mark.parametrize(
    "excitation",
    [SlowTravel(-0.1, 0.1), SlowTravel(0.02, 0.2), Swing(0.5, 3.0), TorqueSteps(1.0, 2.0, np.random.default_rng(0))],
    ids=["travel", "travel to one side", "swing", "steps"],
)
def test_a_motion_begins_and_ends_at_rest_and_its_velocity_is_its_rate(excitation: Excitation) -> None:
    times = np.arange(-0.01, excitation.duration + 0.01, FINE)
    targets = [excitation.at(time) for time in times.tolist()]
    displacements = np.array([target.displacement for target in targets])
    velocities = np.array([target.velocity for target in targets])
    for target in (targets[0], targets[-1]):
        assert (target.displacement, target.velocity, target.torque) == (0.0, 0.0, 0.0)
    rates = np.diff(displacements) / FINE
    assert rates == pytest.approx(0.5 * (velocities[1:] + velocities[:-1]), abs=2e-3)
    assert np.abs(np.diff(velocities)).max() < 5e-3, "no jump"


@pytest.mark.parametrize("weight", [0.0, 5.0])
def test_friction_is_found_whatever_the_links_weigh(model: RobotModel, weight: float) -> None:
    joint = model.joint_names.index(ELBOW)

    def torque(q: np.ndarray, v: np.ndarray, _acceleration: np.ndarray) -> np.ndarray:
        return 0.4 * np.sign(v) + 0.3 * v + weight * np.cos(q)

    friction = fit_friction(record_motion(model, joint, SlowTravel(-0.1, 0.1), torque))
    assert friction.coulomb == pytest.approx(0.4, rel=1e-3)
    assert friction.viscous == pytest.approx(0.3, rel=1e-3)


def test_friction_is_never_negative(model: RobotModel) -> None:
    record = record_motion(model, 3, SlowTravel(-0.1, 0.1), lambda _q, v, _a: -0.4 * np.sign(v) - 0.1 * v)
    friction = fit_friction(record)
    assert (friction.coulomb, friction.viscous) == (0.0, 0.0)


@pytest.mark.parametrize(("delay", "bandwidth"), [(0.0, 60.0), (2e-3, 60.0), (4.3e-3, 25.0), (9e-3, 100.0)])
@pytest.mark.parametrize("jitter", [0.0, 4e-4])
def test_delay_and_bandwidth_are_found_whatever_their_size_and_however_unevenly_it_is_sent(
    model: RobotModel, delay: float, bandwidth: float, jitter: float
) -> None:
    record = record_motion(model, 0, TorqueSteps(1.0, 2.0, np.random.default_rng(0)), lambda q, _v, _a: 0.0 * q)
    sent_at = record.times + np.random.default_rng(1).uniform(0.0, jitter, len(record.times))
    asked = record.feed_forward
    told, torque, fine = np.zeros(len(record.times)), 0.0, 5e-5
    for step, now in enumerate(np.arange(0.0, record.times[-1] + fine, fine)):
        command = np.searchsorted(sent_at, now - delay, side="right") - 1
        torque += -math.expm1(-2.0 * math.pi * bandwidth * fine) * ((asked[command] if command >= 0 else 0.0) - torque)
        if (step + 1) % round(PERIOD / fine) == 0 and (step + 1) // round(PERIOD / fine) < len(told):
            told[(step + 1) // round(PERIOD / fine)] = torque
    # It does not move: what position and velocity ask for besides is a constant.
    torques = np.zeros_like(record.torques)
    torques[:, 0] = told
    response = fit_torque_response(replace(record, torques=torques, sent_at=sent_at, stiffness=0.0, damping=0.0))
    assert response.delay == pytest.approx(delay, abs=1e-4)
    assert response.bandwidth == pytest.approx(bandwidth, rel=0.03)
    assert response.residual < 0.05


def test_the_metric_of_a_link_is_that_of_its_pseudo_inertia(model: RobotModel) -> None:
    inertia = model.pinocchio.inertias[5]
    change = np.random.default_rng(0).normal(size=10)
    pseudo = pin.PseudoInertia.FromDynamicParameters(inertia.toDynamicParameters()).toMatrix()
    delta = pin.PseudoInertia.FromDynamicParameters(change).toMatrix()
    product = np.linalg.solve(pseudo, delta)
    assert np.sum((make_root_metric(inertia.toDynamicParameters()) @ change) ** 2) == pytest.approx(
        np.trace(product @ product)
    )


def test_a_rotor_is_found_beside_what_its_links_weigh_and_not_where_they_hide_it(model: RobotModel) -> None:
    elbow, hip = model.joint_names.index(ELBOW), model.joint_names.index("left_hip_pitch_joint")
    robot, data = model.pinocchio, model.pinocchio.createData()
    rows = {}
    for joint, rotor in ((elbow, 0.02), (hip, 0.03)):

        def torque(q: np.ndarray, v: np.ndarray, a: np.ndarray, joint: int = joint, rotor: float = rotor) -> np.ndarray:
            given = []
            for position, velocity, acceleration in zip(q, v, a, strict=True):
                here, moving, faster = model.q_nominal.copy(), np.zeros(model.nv), np.zeros(model.nv)
                here[7 + joint], moving[6 + joint], faster[6 + joint] = position, velocity, acceleration
                given.append(pin.rnea(robot, data, here, moving, faster)[6 + joint])
            return np.array(given) + rotor * a + 0.2 * np.sign(v)

        rows[joint] = [make_rows(model, record_motion(model, joint, part, torque), UnitMount()) for part in (Swing(0.5, 3.0),)]
    found = fit_rotor_inertias(model, rows, model.q_nominal[7:])
    assert found[elbow] == pytest.approx(0.02, rel=0.05)
    assert found[hip] is None


def test_no_joint_is_led_near_a_limit(model: RobotModel) -> None:
    random = np.random.default_rng(0)
    for joint in range(model.n):
        plan = plan_joint(model, model.q_nominal[7:], joint, random)
        assert plan is not None, model.joint_names[joint]
        q = model.q_nominal[7 + joint]
        for part in (plan.travel, plan.swing):
            way = [q + part.at(time).displacement for time in np.arange(0.0, part.duration, 0.01).tolist()]
            assert model.lower[joint] + 0.9 * CLEARANCE < min(way) < max(way) < model.upper[joint] - 0.9 * CLEARANCE
    at_limit = model.lower.copy()
    assert all(plan_joint(model, at_limit, joint, random) is None for joint in range(model.n))


@pytest.mark.parametrize("robot", ["g1", "h1"])
def test_rows_hold_where_the_base_moves_and_its_unit_is_elsewhere(robot: str) -> None:
    """The torques of the links that are described are what the rows make of their parameters."""
    model, mount = load_model(robot), {"g1": G1.unit, "h1": H1.unit}[robot]
    moved = model.joint_names.index("torso_joint" if robot == "h1" else ELBOW)
    times, robot_model = np.arange(0.0, 3.0, PERIOD), model.pinocchio
    swing, data = 0.3 * np.sin(4.0 * times), robot_model.createData()
    base = [_sway(time) for time in times.tolist()]
    q = np.tile(model.q_nominal, (len(times), 1))
    q[:, :7] = [pin.SE3ToXYZQUAT(pose) for pose in base]
    q[:, 7 + moved] += swing
    v = _differentiate(robot_model, q)
    accelerations = np.gradient(v, PERIOD, axis=0)
    torques = np.array([pin.rnea(robot_model, data, *row)[6:] for row in zip(q, v, accelerations, strict=True)])
    angles = q[:, 7 + model.joint_names.index(mount.joint)] if mount.joint else np.zeros(len(times))
    units = [pose.homogeneous @ mount.place(angle) for pose, angle in zip(base, angles.tolist(), strict=True)]
    positions, turns = np.array([unit[:3, 3] for unit in units]), [unit[:3, :3] for unit in units]
    pull = np.gradient(np.gradient(positions, PERIOD, axis=0), PERIOD, axis=0)
    pull[:, 2] += GRAVITY
    record = JointRecord(
        joint=moved,
        stiffness=10.0,
        damping=1.0,
        times=times,
        positions=q[:, 7:],
        velocities=v[:, 6:],
        torques=torques,
        angular_velocities=_find_rates(turns),
        specific_forces=np.array([turn.T @ force for turn, force in zip(turns, pull, strict=True)]),
        sent_at=times,
        desired_positions=q[:, 7 + moved],
        desired_velocities=v[:, 6 + moved],
        feed_forward=torques[:, moved],
    )
    rows = make_rows(model, record, mount)
    links = np.concatenate([inertia.toDynamicParameters() for inertia in robot_model.inertias[1:]])
    assert rows.links @ links == pytest.approx(rows.torques, abs=0.02 * np.abs(rows.torques).max())


def _sway(time: float) -> pin.SE3:
    """Return the pose of a base that hangs and sways at a time [s]."""
    turn = pin.rpy.rpyToMatrix(0.2 * np.sin(5.0 * time), 0.25 * np.cos(4.0 * time), 0.3 * np.sin(3.0 * time))
    return pin.SE3(turn, np.array([0.05 * np.sin(3.0 * time), 0.04 * np.cos(5.0 * time), 1.0]))


def _differentiate(robot: pin.Model, q: np.ndarray) -> np.ndarray:
    """Return the velocities of a path, shape ``(k, nv)``, by what is before and after."""
    inner = [pin.difference(robot, q[k - 1], q[k + 1]) / (2.0 * PERIOD) for k in range(1, len(q) - 1)]
    return np.array([inner[0], *inner, inner[-1]])


def _find_rates(turns: list[np.ndarray]) -> np.ndarray:
    """Likewise the angular velocities of attitudes, shape ``(k, 3)``, in their own axes."""
    inner = [pin.log3(turns[k - 1].T @ turns[k + 1]) / (2.0 * PERIOD) for k in range(1, len(turns) - 1)]
    return np.array([inner[0], *inner, inner[-1]])
