import numpy as np
import pytest

from handhold.app.host.footholds import find_start
from handhold.app.host.starting_place import TOE_ROOM, compute_reach_ahead, find_near_face
from handhold.robots.model import RobotModel, load_model
from handhold.robots.simulation.engines import make_robot
from handhold.robots.worlds import load_world

WORLD = "workshop"
BY_THE_TRUNK = 0.12  # [m]: what a trunk that leans adds to a short arm's reach
WALKED_UP = 0.08  # [m]: height that a walk goes up at a step
LIGHT = 0.1  # [N]: less is no contact


@pytest.fixture(params=["talos", "g1", "icub", "anymal"], scope="module")
def model(request: pytest.FixtureRequest) -> RobotModel:
    return load_model(request.param)


def test_every_robot_starts_with_the_wall_within_reach_of_its_hands(model: RobotModel) -> None:
    face = find_near_face(next(solid for solid in load_world(WORLD).solids if solid.name == "wall"))
    poses = model.effector_poses(find_start(WORLD, model))
    for index, effector in enumerate(model.effectors):
        gap = face - float(poses[index, 0, 3])
        if effector.hand:
            hand = poses[index, :3, 3]
            assert effector.radius < gap - effector.radius < compute_reach_ahead(model, index, hand) + BY_THE_TRUNK
        else:
            assert gap > TOE_ROOM


def test_nothing_of_a_robot_touches_the_world_but_what_it_stands_on(model: RobotModel) -> None:
    robot = make_robot("mujoco", model, load_world(WORLD))
    state = robot.reset(find_start(WORLD, model))
    robot.advance(1e-3)
    state = robot.read()
    robot.close()
    hands = [index for index, effector in enumerate(model.effectors) if effector.hand]
    assert np.abs(state.contact_wrenches[hands]).max() < LIGHT


def test_the_box_is_low_enough_to_step_on_and_large_enough_for_two_feet() -> None:
    box = next(solid for solid in load_world(WORLD).solids if solid.name == "box")
    model = load_model("talos")
    length = 2.0 * max(effector.half_lengths[0] for effector in model.effectors if effector.half_lengths)
    assert box.position[2] - box.half_size[2] == pytest.approx(0.0)
    assert box.size[2] <= WALKED_UP
    assert min(box.size[:2]) > 2.0 * length


def test_a_world_without_a_place_to_start_leaves_the_robot_at_the_origin(model: RobotModel) -> None:
    assert abs(find_start("flat", model)[0]) < 0.1
