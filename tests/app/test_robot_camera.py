"""The simulated depth camera that a robot carries."""

import math

import numpy as np
import pinocchio as pin
import pytest

from handhold.app.camera.pinhole import make_intrinsics
from handhold.app.camera.robot_shapes import NoCamera, RobotShapes
from handhold.app.camera.simulated_view import SimulatedView
from handhold.app.camera.sole_plane import find_sole_plane
from handhold.app.camera.world_shapes import make_world_bodies
from handhold.perception.simulation.hulls import contains
from handhold.perception.simulation.simulated_camera import FrameTiming
from handhold.perception.simulation.stereo_noise import UNIT, StereoNoise
from handhold.robots.description import Camera
from handhold.robots.model import load_model
from handhold.robots.simulation.engines import make_robot
from handhold.robots.simulation.links import build_links
from handhold.robots.worlds import Solid, World, load_world

EXACT = StereoNoise(sigma=0.0, step=1e-4, holes=0.0, flying=0.0)
AT_ONCE = FrameTiming(latency=0.0)
HUMANOIDS = ("talos", "g1", "icub")


@pytest.fixture(scope="module")
def talos():
    return load_model("talos")


def no_solids():
    return np.zeros((0, 4, 4))


def list_poses(world):
    return np.array([solid.to_se3().homogeneous for solid in world.solids]).reshape(-1, 4, 4)


def look(view, q, solids=no_solids):
    view.advance(0.0, q, solids)
    return view.take()


@pytest.mark.parametrize("robot", HUMANOIDS)
def test_cameras_look_ahead_or_down_ahead_and_stand_upright(robot):
    model = load_model(robot)
    pose, _ = RobotShapes(model).compute(model.q_nominal)
    right, down, ahead = pose[:3, :3].T
    assert np.allclose(pose[:3, :3] @ pose[:3, :3].T, np.eye(3), atol=1e-9)
    assert np.linalg.det(pose[:3, :3]) == pytest.approx(1.0)
    # The robot looks along x: ahead, level or down by less than 60 degrees, no roll.
    assert ahead[0] > 0.5
    assert -math.sin(math.radians(60.0)) < ahead[2] < 0.05
    assert abs(ahead[1]) < 0.02
    assert down[2] < -0.5
    assert right[1] < -0.99


@pytest.mark.parametrize("robot", HUMANOIDS)
def test_the_camera_follows_the_robot(robot):
    model = load_model(robot)
    shapes = RobotShapes(model)
    random = np.random.default_rng(0)
    data = model.pinocchio.createData()
    q = pin.integrate(model.pinocchio, model.q_nominal, 0.3 * random.normal(size=model.nv))
    pose, poses = shapes.compute(q)
    pin.framesForwardKinematics(model.pinocchio, data, q)
    camera = model.description.cameras[0]
    expected = data.oMf[model.pinocchio.getFrameId(camera.frame)] * camera.offset.to_se3()
    assert np.allclose(pose, expected.homogeneous)
    assert all(np.allclose(at, data.oMi[int(j)].homogeneous) for at, j in zip(poses, shapes.joints, strict=True))


@pytest.mark.parametrize("robot", HUMANOIDS)
def test_all_shapes_of_the_physics_are_seen_but_what_houses_the_camera(robot):
    model = load_model(robot)
    shapes = RobotShapes(model)
    pose, poses = shapes.compute(model.q_nominal)
    number = sum(len(link.shapes) for link in build_links(model))
    assert number - 2 <= len(shapes.bodies) < number
    for body, at in zip(shapes.bodies, poses, strict=True):
        assert not contains(body, at[:3, :3].T @ (pose[:3, 3] - at[:3, 3]))


def test_hulls_are_where_the_effectors_are(talos):
    shapes = RobotShapes(talos)
    q = pin.integrate(talos.pinocchio, talos.q_nominal, 0.2 * np.random.default_rng(1).normal(size=talos.nv))
    _, poses = shapes.compute(q)
    for effector, at in zip(talos.effector_joints, talos.effector_poses(q), strict=True):
        (body,) = [k for k, joint in enumerate(shapes.joints) if joint == effector]
        corners = shapes.bodies[body].corners.reshape(-1, 3) @ poses[body][:3, :3].T + poses[body][:3, 3]
        # A sole's frame is in the middle of its lower face, a hand's in the middle of its ball.
        assert np.linalg.norm(corners - at[:3, 3], axis=1).min() < 0.13
        assert ((corners - at[:3, 3]) @ at[:3, 2]).min() > -0.021


def test_the_pinhole_has_the_described_field_of_view():
    camera = Camera(name="c", frame="f", width=848, height=480, horizontal_fov=1.5)
    i = make_intrinsics(camera)
    # From the outer edge of the first column to that of the last.
    assert math.atan2(0.5 + i.cx, i.fx) + math.atan2(i.width - 0.5 - i.cx, i.fx) == pytest.approx(1.5)
    assert (i.width, i.height, i.fx) == (848, 480, i.fy)
    assert i.cy == 239.5
    assert i.baseline == 0.095


def test_a_wall_is_as_far_away_as_it_is(talos):
    world = load_world("wall")
    (wall, *_) = world.solids
    face = wall.position[0] - 0.5 * wall.size[0]
    view = SimulatedView(talos, world, noise=EXACT, timing=AT_ONCE)
    pose, _ = RobotShapes(talos).compute(talos.q_nominal)
    frame = look(view, talos.q_nominal, lambda: list_poses(world))
    assert UNIT * frame.depth[100, 424] == pytest.approx(face - pose[0, 3], abs=2.0 * UNIT)


def test_the_floor_is_where_the_soles_are(talos):
    frame = look(SimulatedView(talos, load_world("flat"), noise=EXACT, timing=AT_ONCE), talos.q_nominal)
    pose, _ = RobotShapes(talos).compute(talos.q_nominal)
    i = frame.intrinsics
    for row, column in ((400, 100), (470, 424), (430, 800)):
        ray = np.array([(column - i.cx) / i.fx, (row - i.cy) / i.fy, 1.0])
        point = pose[:3, :3] @ (UNIT * frame.depth[row, column] * ray) + pose[:3, 3]
        assert point[2] == pytest.approx(0.0, abs=2.0 * UNIT)


def test_something_that_is_moved_is_seen_where_it_is(talos):
    world = load_world("wall")
    view = SimulatedView(talos, world, noise=EXACT, timing=FrameTiming(rate=10.0, latency=0.0))
    depths = []
    for k in range(4):
        poses = list_poses(world)
        poses[0, 0, 3] += 0.1 * k
        view.advance(0.1 * k, talos.q_nominal, lambda poses=poses: poses)
        depths.append(UNIT * view.take().depth[100, 424])
    assert np.allclose(np.diff(depths), 0.1, atol=2.0 * UNIT)


def test_a_camera_that_is_mounted_awry_sees_from_where_it_is(talos):
    mounting = np.eye(4)
    mounting[:3, :3] = pin.exp3(np.array([math.radians(-5.0), 0.0, 0.0]))
    mounting[2, 3] = 0.02
    world = load_world("wall")
    straight, awry = (
        look(SimulatedView(talos, world, noise=EXACT, timing=AT_ONCE, mounting=m), talos.q_nominal, lambda: list_poses(world))
        for m in (None, mounting)
    )
    near, down = (UNIT * frame.depth[240, 424] for frame in (straight, awry))
    # Nearer by 2 cm along its axis, and further down by 5 deg: by the cosines along the optical axes.
    pitch = -talos.description.cameras[0].offset.rpy[0]
    ahead = (near - 0.02) * math.cos(pitch)
    assert down == pytest.approx(ahead / math.cos(pitch + math.radians(5.0)), abs=3.0 * UNIT)


def test_a_robot_without_a_camera_is_told_so():
    model = load_model("anymal")
    with pytest.raises(NoCamera, match=r"\[\[cameras\]\]"):
        RobotShapes(model)


def test_a_camera_that_is_not_there_is_named(talos):
    with pytest.raises(NoCamera, match="'belly'"):
        RobotShapes(talos, "belly")


def test_every_kind_of_solid_has_its_size():
    solids = (
        Solid(name="box", size=(0.1, 0.2, 0.3), position=(0.0, 0.0, 0.0)),
        Solid(name="ball", shape="sphere", size=(0.1,), position=(0.0, 0.0, 0.0), mass=1.0),
        Solid(name="post", shape="cylinder", size=(0.1, 0.5), position=(0.0, 0.0, 0.0), colour=(0.1, 0.2, 0.3)),
    )
    (floor, *bodies), colors = make_world_bodies(World(title="all kinds", solids=solids, source="a test"))
    extents = [np.ptp(body.corners.reshape(-1, 3), axis=0) for body in bodies]
    # Round shapes are made of flat pieces.
    assert np.allclose(extents, [[0.1, 0.2, 0.3], [0.2, 0.2, 0.2], [0.2, 0.2, 0.5]], atol=1e-3)
    assert floor.corners[:, :, 2].max() == 0.0
    assert np.allclose(colors[-1], [0.1, 0.2, 0.3])
    assert len(colors) == 4


def test_it_runs_in_lockstep_with_a_simulation_and_the_same_every_time(talos):
    world = load_world("wall")

    def run():
        robot = make_robot("mujoco", talos, world)
        state = robot.reset(talos.q_nominal)
        view = SimulatedView(talos, world, with_color=True, seed=3)
        frames = []
        for _ in range(100):
            view.advance(state.time, state.q, robot.solid_poses)
            frames.append(view.take())
            robot.advance(1e-3)
            state = robot.read()
        robot.close()
        return [frame for frame in frames if frame is not None]

    first, second = run(), run()
    assert [frame.number for frame in first] == [0, 1]
    for one, other in zip(first, second, strict=True):
        assert one.time == other.time
        assert np.array_equal(one.depth, other.depth)
        assert np.array_equal(one.color, other.color)


@pytest.mark.parametrize("robot", HUMANOIDS)
def test_the_soles_of_a_standing_robot_are_on_the_floor(robot):
    model = load_model(robot)
    assert np.allclose(find_sole_plane(model, model.q_nominal), [0.0, 0.0, 1.0, 0.0], atol=1e-3)


def test_soles_that_are_not_on_one_floor_give_none(talos):
    q = talos.q_nominal.copy()
    q[7 + talos.joint_names.index("leg_left_4_joint")] += 0.3
    assert find_sole_plane(talos, q) is None
    right = next(e for e, about in enumerate(talos.effectors) if "right" in about.name and about.standing)
    assert np.allclose(find_sole_plane(talos, q, (right,)), [0.0, 0.0, 1.0, 0.0], atol=1e-6)
    assert find_sole_plane(talos, q, ()) is None
