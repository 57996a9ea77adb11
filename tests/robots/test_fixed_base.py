"""Robots that are bolted down: several arms on a stand, in both engines, retargeted and controlled like any other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from shipped import BOLTED_DOWN
from stances import stand

from handhold.retarget.bracing.mode import BracingMode
from handhold.robots.contact import Stance
from handhold.robots.control.controller import WholeBodyController
from handhold.robots.description import RobotDescription, load_description
from handhold.robots.errors import DescriptionError
from handhold.robots.estimation.external_force import ExternalForceObserver
from handhold.robots.estimation.fall import has_fallen
from handhold.robots.model import RobotModel, load_model
from handhold.robots.qp import DaqpSolver
from handhold.robots.robot import COMMAND_TIMEOUT, JointCommand, RobotState, SimulatedRobot
from handhold.robots.simulation.engines import make_robot
from handhold.robots.worlds import Solid, World, load_world

# Of joint accelerations over one step of the physics, which is semi-implicit [rad/s^2].
ACCELERATION_TOLERANCE = 0.05
# Of an estimated force where nothing moves [N].
FORCE_TOLERANCE = 1.0
# Sums of a few lengths: rounding only.
ROUNDING = 1e-9
PERIOD = 1e-3


@pytest.fixture(scope="module", params=BOLTED_DOWN)
def model(request: pytest.FixtureRequest) -> RobotModel:
    return load_model(request.param)


@pytest.fixture(scope="module", params=["mujoco", "pybullet"])
def robot(request: pytest.FixtureRequest, model: RobotModel) -> Iterator[SimulatedRobot]:
    body = make_robot(request.param, model, add_falling_ball(load_world("flat")))
    yield body
    body.close()


def add_falling_ball(world: World) -> World:
    """Return a world with a ball that falls far from the robot: it has coordinates of its own in an engine."""
    ball = Solid(name="ball", shape="sphere", size=(0.1,), position=(3.0, 0.0, 5.0), mass=1.0)
    return world.model_copy(update={"solids": (*world.solids, ball)})


def command(model: RobotModel, time: float, torques: np.ndarray) -> JointCommand:
    """Return a command of torques alone."""
    nothing = np.zeros(model.n)
    return JointCommand(time=time, positions=nothing, velocities=nothing, torques=torques, stiffness=nothing, damping=nothing)


def balance_torques(model: RobotModel, q: np.ndarray) -> np.ndarray:
    """Return the joint torques that hold the arms up, shape ``(n,)`` [Nm]."""
    return np.asarray(pin.computeGeneralizedGravity(model.pinocchio, model.pinocchio.createData(), q)[6:])


def test_copies_of_a_urdf_are_where_they_are_mounted() -> None:
    model = load_model("dual-panda")
    file, mounts = str(model.description.urdf_file()), dict(model.description.mounted)
    arm = pin.buildModelFromUrdf(file)
    joints = np.random.default_rng(0).uniform(arm.lowerPositionLimit, arm.upperPositionLimit)
    joints[7:] = 0.0  # the fingers are locked
    arm_data, data = arm.createData(), model.pinocchio.createData()
    pin.framesForwardKinematics(arm, arm_data, joints)
    q = model.q_nominal.copy()
    q[7:14], q[14:] = joints[:7], -joints[:7]
    pin.framesForwardKinematics(model.pinocchio, data, q)
    mounted = mounts["left_"] * arm_data.oMf[arm.getFrameId("panda_hand")]
    found = data.oMf[model.pinocchio.getFrameId("left_panda_hand")]
    np.testing.assert_allclose(found.homogeneous, mounted.homogeneous, atol=ROUNDING)
    assert model.mass == pytest.approx(2.0 * sum(inertia.mass for inertia in arm.inertias))
    assert len(model.visuals.geometryObjects) == 22
    root = next(shape for shape in model.visuals.geometryObjects if shape.name.startswith("right_panda_link0"))
    np.testing.assert_allclose(root.placement.translation, mounts["right_"].translation, atol=ROUNDING)


def test_what_is_bolted_down_bears_anything(model: RobotModel) -> None:
    stance = Stance.of_reference(model, [0])
    assert (stance.fixed, stance.planes, stance.size) == (1, 1, 6)
    assert stance.cone.shape == (0, 6)
    assert not stance.normals.any()


def test_it_stays_where_it_is_and_its_joints_accelerate_as_forward_dynamics_predict(
    robot: SimulatedRobot, model: RobotModel
) -> None:
    q = model.q_nominal.copy()
    q[:3] = 0.3, -0.2, 0.1
    q[3:7] = pin.Quaternion(pin.rpy.rpyToMatrix(0.0, 0.0, 0.7)).coeffs()
    state = robot.reset(q)
    np.testing.assert_allclose(state.q, q, atol=1e-6)
    torques = balance_torques(model, q) + 0.2 * np.array([(-1.0) ** j for j in range(model.n)]) * model.motor_torques
    robot.send(command(model, 0.0, torques))
    robot.advance(PERIOD)
    after = robot.read()
    data = model.pinocchio.createData()
    mass = pin.crba(model.pinocchio, data, q)[6:, 6:]
    expected = np.linalg.solve(np.triu(mass) + np.triu(mass, 1).T, torques - balance_torques(model, q))
    np.testing.assert_allclose(after.v[6:] / PERIOD, expected, atol=ACCELERATION_TOLERANCE * np.abs(expected).max())
    np.testing.assert_allclose(after.q[:7], q[:7], atol=1e-6)
    np.testing.assert_allclose(after.v[:6], 0.0, atol=ROUNDING)
    assert not has_fallen(model, after)
    assert robot.solid_poses()[0, 2, 3] < 5.0


def test_without_commands_it_damps_its_joints_by_itself(robot: SimulatedRobot, model: RobotModel) -> None:
    state = robot.reset(model.q_nominal)
    robot.send(command(model, state.time, balance_torques(model, state.q)))
    robot.advance(COMMAND_TIMEOUT)
    held = robot.read()
    assert np.abs(held.v).max() < 0.01
    robot.advance(0.3)
    assert np.abs(robot.read().joint_torques - held.joint_torques).max() > 1.0


def test_a_push_at_a_hand_is_estimated_though_nothing_measures_the_mount(robot: SimulatedRobot, model: RobotModel) -> None:
    state = robot.reset(model.q_nominal)
    observer = ExternalForceObserver(model, sensed=[i for i, e in enumerate(model.effectors) if e.sensed])
    observer.update(state, PERIOD)
    force, hand = np.array([10.0, -5.0, 8.0]), model.effectors[1]
    data = model.pinocchio.createData()
    for _ in range(300):
        pin.framesForwardKinematics(model.pinocchio, data, state.q)
        jacobian = pin.computeFrameJacobian(
            model.pinocchio, data, state.q, model.pinocchio.getFrameId(hand.frame), pin.LOCAL_WORLD_ALIGNED
        )
        torques = balance_torques(model, state.q) - jacobian[:3, 6:].T @ force - 5.0 * state.v[6:]
        robot.send(command(model, state.time, torques))
        robot.push(force, hand.frame)
        robot.advance(PERIOD)
        state = robot.read()
        observer.update(state, PERIOD)
    np.testing.assert_allclose(observer.forces[1], force, atol=FORCE_TOLERANCE)
    np.testing.assert_allclose(observer.forces[2], 0.0, atol=FORCE_TOLERANCE)


def test_stretched_arms_are_not_given_a_part_of_what_the_mount_bears() -> None:
    model, force, elbow = load_model("dual-panda"), np.array([0.0, 0.0, -30.0]), -0.7
    q, data = model.q_nominal.copy(), model.pinocchio.createData()
    for side in ("left", "right"):
        q[7 + model.joint_names.index(f"{side}_panda_joint4")] = elbow
    torques = balance_torques(model, q)
    for hand in model.effectors[1:]:
        frame = model.pinocchio.getFrameId(hand.frame)
        jacobian = pin.computeFrameJacobian(model.pinocchio, data, q, frame, pin.LOCAL_WORLD_ALIGNED)
        torques -= jacobian[:3, 6:].T @ force
    unsensed = np.zeros((len(model.effectors), 6))
    state = RobotState(time=0.0, q=q, v=np.zeros(model.nv), joint_torques=torques, contact_wrenches=unsensed)
    observer = ExternalForceObserver(model, sensed=[])
    for _ in range(300):
        observer.update(state, PERIOD)
    # With the mount's wrench damped as well each hand was off by 11 N.
    np.testing.assert_allclose(observer.forces[1:], [force, force], atol=FORCE_TOLERANCE)


@pytest.mark.parametrize("parts", [1, 2])
@pytest.mark.parametrize("engine", ["mujoco", "pybullet"])
def test_what_lies_on_a_tilted_palm_weighs_down_on_it_by_pressure_and_friction(engine: str, parts: int) -> None:
    model, mass = load_model("dual-panda"), 0.5
    q = model.q_nominal.copy()
    palm = model.effector_poses(q)[1]
    # The contact's normal, into the hand, points down but for 10 degrees.
    down = pin.rpy.rpyToMatrix(np.radians(10.0), 0.0, 0.0) @ [0.0, 0.0, -1.0]
    q[3:7] = pin.Quaternion.FromTwoVectors(palm[:3, 2].copy(), down).coeffs()
    q[2] = 1.5
    palm = model.effector_poses(q)[1]
    box = pin.SE3(
        pin.Quaternion.FromTwoVectors(np.array([0.0, 0.0, -1.0]), down).toRotationMatrix(), palm[:3, 3] - 0.0305 * down
    )
    x, y, z = box.translation.tolist()
    roll, pitch, yaw = pin.rpy.matrixToRpy(box.rotation).tolist()
    place = {"position": (x, y, z), "rpy": (roll, pitch, yaw), "friction": 0.8}
    solid = Solid(name="box", size=(0.06, 0.06, 0.06), mass=mass, **place)
    # Bullet lists a pair the other way round where a body has parts.
    part = Solid(name="part", size=(0.02, 0.02, 0.02), mass=mass, part_of="box", **place)
    body = make_robot(engine, model, load_world("flat").model_copy(update={"solids": (solid, part)[:parts]}))
    state = body.reset(q)
    forces = []
    for _ in range(1500):
        held = JointCommand(
            time=state.time,
            positions=q[7:],
            velocities=np.zeros(model.n),
            torques=balance_torques(model, state.q),
            stiffness=2.0 * model.motor_torques,
            damping=0.05 * model.motor_torques,
        )
        body.send(held)
        body.advance(PERIOD)
        state = body.read()
        forces.append(body.effector_poses()[1, :3, :3] @ state.contact_wrenches[1, :3])
    body.close()
    # The arm swings a little: on the average it bears the weight.
    force = np.mean(forces[-1000:], axis=0)
    np.testing.assert_allclose(force, [0.0, 0.0, -9.81 * parts * mass], atol=0.15)


def test_it_is_retargeted_and_controlled_without_any_balance(model: RobotModel) -> None:
    state = RobotState(
        time=0.0,
        q=stand(model).q,
        v=np.zeros(model.nv),
        joint_torques=np.zeros(model.n),
        contact_wrenches=np.zeros((len(model.effectors), 6)),
    )
    mode = BracingMode(model, DaqpSolver())
    reference = mode.enter(state).reference
    assert mode.seiko.equilibrium_error < 1e-6
    assert mode.describe().report.region is None
    joint_command = WholeBodyController(model, DaqpSolver()).track(reference, state)
    # The hands are asked to stay: what holds the arms up.
    np.testing.assert_allclose(joint_command.torques, balance_torques(model, state.q), atol=0.5)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"walking": load_description("g1").walking}, "does not walk"),
        ({"mounts": [{"prefix": "left_"}, {"prefix": "left_"}]}, "different prefixes"),
        ({"base_rpy": [0.0, 0.1, 0.0]}, "leave out base_rpy"),
        ({"effectors": [{"max_normal_force": 10.0}]}, "leave out max_normal_force"),
        ({"effectors": [{"hand": "left", "standing": False}]}, "give standing = true"),
        ({"effectors": [{}, {"name": "second"}]}, "leave it out"),
        ({"effectors": [{}, {"name": "foot", "contact": "point", "max_normal_force": 10.0}]}, "needs no foot"),
    ],
)
def test_what_contradicts_itself_is_refused_in_words(changes: dict, words: str) -> None:
    stand_effector = {"name": "stand", "frame": "stand", "contact": "fixed", "standing": True}
    content = load_description("dual-panda").model_dump() | {"effectors": [stand_effector]}
    if "effectors" in changes:
        changes = changes | {"effectors": [stand_effector | change for change in changes["effectors"]]}
    with pytest.raises(ValueError, match=words):
        RobotDescription.model_validate(content | changes)


def test_an_mjcf_cannot_be_mounted(tmp_path: Path) -> None:
    (tmp_path / "arm.xml").write_text('<mujoco><worldbody><body name="link"/></worldbody></mujoco>')
    description = load_description("dual-panda")
    urdf = description.urdf.model_copy(update={"package": "", "path": "arm.xml"})
    moved = description.model_copy(update={"urdf": urdf, "source": str(tmp_path / "robot.toml")})
    with pytest.raises(DescriptionError, match="give a URDF"):
        RobotModel(moved)
