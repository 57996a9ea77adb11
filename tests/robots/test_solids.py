"""Solids that are parts of one another move as one body, alike in both engines."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pybullet as bullet
import pytest

from handhold.robots.model import RobotModel, load_model
from handhold.robots.simulation.engines import known_engines, make_robot
from handhold.robots.simulation.mujoco_robot import MujocoRobot
from handhold.robots.simulation.pybullet_world import add_solids
from handhold.robots.worlds import Solid, World

POSITION = (3.0, 0.0, 1.5)
"""Of the box, beside the robot [m]."""


@pytest.fixture(scope="module")
def talos() -> RobotModel:
    return load_model("talos")


def make_world(lid_offset: float, rpy: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> World:
    """A box with a board on top of it that is set off to one side [m]; both are turned."""
    turn = pin.SE3(pin.rpy.rpyToMatrix(*rpy), np.array(POSITION))
    lid = turn.act(np.array([lid_offset, 0.0, 0.11]))
    return World(
        title="a box with a lid",
        solids=(
            Solid(name="box", size=(0.2, 0.2, 0.2), position=POSITION, rpy=rpy, mass=1.0),
            Solid(name="lid", part_of="box", size=(0.4, 0.2, 0.02), position=tuple(lid.tolist()), rpy=rpy, mass=0.5),
        ),
        source="test",
    )


def play(model: RobotModel, engine: str, world: World, seconds: float) -> np.ndarray:
    """Return the poses of all solids at the beginning and at the end, shape ``(2, solids, 4, 4)``."""
    body = make_robot(engine, model, world)
    try:
        body.reset(model.q_nominal)
        before = body.solid_poses()
        for _ in range(round(seconds / 1e-3)):
            body.advance(1e-3)
        return np.stack([before, body.solid_poses()])
    finally:
        body.close()


@pytest.mark.parametrize("engine", known_engines())
def test_a_part_is_where_it_was_put_and_stays_there_on_the_whole(talos: RobotModel, engine: str) -> None:
    world = make_world(0.1, rpy=(0.3, -0.2, 0.5))
    before, after = play(talos, engine, world, 1.0)
    for solid, pose in zip(world.solids, before, strict=True):
        np.testing.assert_allclose(pose, solid.to_se3().homogeneous, atol=1e-6)
    placements = [np.linalg.inv(poses[0]) @ poses[1] for poses in (before, after)]
    assert after[0, 2, 3] < POSITION[2] - 1.0, "it has fallen"
    np.testing.assert_allclose(placements[1], placements[0], atol=1e-6)


def test_both_engines_let_it_fall_about_the_same_centre(talos: RobotModel) -> None:
    ends = [play(talos, engine, make_world(0.1), 0.4)[1] for engine in known_engines()]
    for end in ends:
        com = (end[0, :3, 3] + 0.5 * end[1, :3, 3]) / 1.5
        assert com[0] == pytest.approx(POSITION[0] + 0.5 * 0.1 / 1.5, abs=1e-3)
    assert np.abs(ends[0] - ends[1]).max() < 0.01


@pytest.mark.parametrize("engine", known_engines())
@pytest.mark.parametrize(("mass", "topples"), [(0.5, False), (3.0, True)])
def test_it_topples_once_the_centre_of_the_whole_is_beyond_its_foot(
    talos: RobotModel, engine: str, mass: float, *, topples: bool
) -> None:
    box, lid = make_world(0.18).solids
    drop = POSITION[2] - 0.5 * box.size[2]
    box, lid = (s.model_copy(update={"position": (*s.position[:2], s.position[2] - drop)}) for s in (box, lid))
    world = World(title="it stands", solids=(box, lid.model_copy(update={"mass": mass})), source="test")
    _, after = play(talos, engine, world, 1.0)
    assert bool(after[0, 2, 2] < 0.9) is topples


def test_bullet_has_the_inertia_of_the_whole() -> None:
    offset, heights = 0.18, np.array([0.2, 0.02])
    client = bullet.connect(bullet.DIRECT)
    try:
        (box, lid) = add_solids(client, make_world(offset, rpy=(0.3, -0.2, 0.5)))
        mass, _, moments = bullet.getDynamicsInfo(box.body, -1, physicsClientId=client)[:3]
    finally:
        bullet.disconnect(client)
    assert box.body == lid.body
    assert mass == pytest.approx(1.5)
    masses, lengths, places = np.array([1.0, 0.5]), np.array([0.2, 0.4]), np.array([[0.0, 0.0, 0.0], [offset, 0.0, 0.11]])
    off = places - masses @ places / masses.sum()
    tensor = sum(
        m * (np.diag([0.2**2 + h**2, x**2 + h**2, x**2 + 0.2**2]) / 12.0 + (d @ d) * np.eye(3) - np.outer(d, d))
        for m, x, h, d in zip(masses, lengths, heights, off, strict=True)
    )
    assert sorted(moments) == pytest.approx(np.linalg.eigvalsh(tensor), rel=1e-6)


def test_a_part_has_the_friction_of_the_whole(talos: RobotModel) -> None:
    box, lid = make_world(0.1).solids
    world = World(title="rough", solids=(box, lid.model_copy(update={"friction": 0.1})), source="test")
    body = MujocoRobot(talos, world)
    assert [body._mujoco.geom(f"solid {k}").friction[0] for k in range(2)] == [0.8, 0.8]


@pytest.mark.parametrize("engine", known_engines())
def test_a_push_moves_the_whole_that_a_solid_belongs_to_and_ends_with_the_period(talos: RobotModel, engine: str) -> None:
    body = make_robot(engine, talos, make_world(0.0))
    try:
        body.reset(talos.q_nominal)
        for _ in range(10):
            body.push_solid(np.array([15.0, 0.0, 0.0]), 0)
            body.advance(1e-3)
        before = body.solid_poses()[:, 0, 3]
        for _ in range(100):
            body.advance(1e-3)
        # 15 N on 1.5 kg for 10 ms: that of the centre of mass, since the whole turns as well.
        moved = np.average(body.solid_poses()[:, 0, 3] - before, weights=[1.0, 0.5])
        assert moved == pytest.approx(0.1 * 0.1, abs=2e-4)
    finally:
        body.close()
