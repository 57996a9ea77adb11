"""Tools that a robot holds rigidly, in the physics engines."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from handhold.robots.errors import DescriptionError, HandNotFound
from handhold.robots.model import GRAVITY, RobotModel, load_model
from handhold.robots.simulation.engines import known_engines, make_robot
from handhold.robots.simulation.links import Link, build_links
from handhold.robots.simulation.tools import hold_tools
from handhold.robots.worlds import Solid, Tool, World, load_world

BAR = Tool(name="bar", hand="left", size=(0.04, 0.06, 0.2), position=(0.01, 0.02, -0.1), rpy=(0.1, 0.2, 0.3), mass=0.5)
WORLD = World(title="a bar in a hand", tools=(BAR,), source="test")


@pytest.fixture(scope="module")
def model() -> RobotModel:
    return load_model("dual-panda")


def test_its_shape_and_inertia_are_the_links_and_all_other_links_stay_as_they_are(model: RobotModel) -> None:
    before = build_links(model)
    after = hold_tools(before, model, WORLD)
    hand = model.effector_of_hand("left")
    assert hand is not None
    link = model.effector_joints[hand] - 1
    assert [k for k in range(len(before)) if after[k] is not before[k]] == [link]
    placement = pin.SE3(model.effector_placements[hand]) * BAR.to_se3()
    (shape,) = after[link].shapes[len(before[link].shapes) :]
    assert (shape.kind, shape.effector) == ("box", hand)
    np.testing.assert_allclose(shape.size, 0.5 * np.array(BAR.size))
    np.testing.assert_allclose(shape.placement.homogeneous, placement.homogeneous)
    added = find_inertia(after[link]) - find_inertia(before[link])
    expected = placement.act(pin.Inertia.FromBox(BAR.mass, *BAR.size))
    np.testing.assert_allclose(added.matrix(), expected.matrix(), atol=1e-9)


def find_inertia(link: Link) -> pin.Inertia:
    rotation = link.inertia.rotation
    return pin.Inertia(link.mass, link.inertia.translation, rotation @ np.diag(link.principal_inertia) @ rotation.T)


@pytest.mark.parametrize("engine", known_engines())
def test_what_a_tool_touches_pushes_its_hand_about_the_contact_frame(model: RobotModel, engine: str) -> None:
    # A ball lies on the upper side of an upright tool, 0.17 m from the palm: nothing else of the robot is there.
    hand = model.effector_of_hand("left")
    assert hand is not None
    upright = {"size": (0.2, 0.2, 0.2), "position": (0.0, 0.0, -0.1), "rpy": (0.0, 0.0, -0.3354)}
    end = pin.SE3(model.effector_poses(model.q_nominal)[hand]).act(np.array([0.0, 0.0, -0.17]))
    radius, mass = 0.05, 1.0
    x, y, z = end.tolist()
    place = (x, y, z + 0.1 + radius - 1e-4)
    ball = Solid(name="ball", shape="sphere", size=(radius,), friction=0.5, mass=mass, position=place)
    world = WORLD.model_copy(update={"tools": (BAR.model_copy(update=upright),), "solids": (ball,)})
    body = make_robot(engine, model, world)
    body.advance(0.001)
    wrench = body.read().contact_wrenches[hand]
    rotation = body.effector_poses()[hand, :3, :3]
    force, moment = rotation @ wrench[:3], rotation @ wrench[3:]
    assert force[2] < -0.1 * mass * GRAVITY, "the ball presses down on it"
    lever = end - body.effector_poses()[hand, :3, 3]
    assert moment @ np.cross(lever, np.array([0.0, 0.0, -1.0])) > 0.0
    body.close()


@pytest.mark.parametrize("engine", known_engines())
def test_a_robot_without_the_hand_is_told_so(engine: str) -> None:
    model = load_model(str(Path(__file__).parent / "hopper.toml"))
    world = WORLD.model_copy(update={"tools": (BAR.model_copy(update={"hand": "right"}),)})
    with pytest.raises(HandNotFound, match="no right hand to hold the tool 'bar'"):
        make_robot(engine, model, world)


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [('"left"', '"third"', "'left' or 'right'"), ("mass = 0.2", "mass = 0.0", "greater than"), ("mass = 0.2", "", "missing")],
)
def test_a_wrong_key_is_named(tmp_path: Path, before: str, after: str, words: str) -> None:
    tool = '[[tools]]\nname = "peg"\nhand = "left"\nsize = [0.1, 0.1, 0.1]\nposition = [0.0, 0.0, 0.0]\nmass = 0.2\n'
    file = tmp_path / "world.toml"
    file.write_text('title = "a peg"\n' + tool)
    assert load_world(str(file)).tools[0].name == "peg"
    file.write_text('title = "a peg"\n' + tool.replace(before, after))
    with pytest.raises(DescriptionError, match=words):
        load_world(str(file))
