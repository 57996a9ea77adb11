"""Bodies that would strike what is known keep a motion from being played; what they only pass does not."""

import numpy as np
import pinocchio as pin
import pytest

from handhold.app.host.surfaces import list_surfaces
from handhold.perception.surface import Surface
from handhold.retarget.motions.body_sweep import BodySweep
from handhold.retarget.motions.loading import load_known_motions, load_motion
from handhold.robots.worlds import load_world

FLAT = list_surfaces(load_world("flat"))


@pytest.fixture(scope="module")
def squat(humanoids) -> BodySweep:
    return BodySweep(load_motion("squat", humanoids["g1"]).motion, humanoids["g1"])


def make_face(position, normal, half: float = 0.5) -> Surface:
    """Return a square face; its normal along an axis."""
    z = np.array(normal, dtype=float)
    x = np.roll(np.abs(z), 1)
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = np.column_stack([x, np.cross(z, x), z]), position
    boundary = half * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    return Surface(pose=pose, boundary=boundary, area=4.0 * half**2, quality=1.0, age=0.0)


def test_a_knee_does_not_strike_the_wall_that_it_bends_towards(squat):
    reason = squat.find_obstacle(pin.SE3.Identity(), (*FLAT, make_face([0.25, 0.0, 0.5], [-1.0, 0.0, 0.0])))
    assert reason.endswith("too near a wall: move away from it first")
    assert "shank" in reason or "leg" in reason
    assert squat.find_obstacle(pin.SE3.Identity(), (*FLAT, make_face([0.80, 0.0, 0.5], [-1.0, 0.0, 0.0]))) == ""


def test_where_the_frame_is_counts(squat):
    wall = make_face([0.0, 1.25, 0.5], [0.0, -1.0, 0.0])
    turned = pin.SE3(pin.rpy.rpyToMatrix(0.0, 0.0, 0.5 * np.pi), np.array([0.0, 1.0, 0.0]))
    assert "a wall" in squat.find_obstacle(turned, (wall,))
    assert squat.find_obstacle(pin.SE3.Identity(), (wall,)) == ""


def test_a_wall_behind_which_it_stands_or_that_ends_beside_it_is_not_in_its_way(squat):
    behind = make_face([0.25, 0.0, 0.5], [1.0, 0.0, 0.0])
    beside = make_face([0.25, 1.0, 0.5], [-1.0, 0.0, 0.0])
    low = make_face([0.25, 0.0, -0.35], [-1.0, 0.0, 0.0])  # a step of 15 cm
    assert squat.find_obstacle(pin.SE3.Identity(), (behind, beside, low)) == ""


def test_a_body_does_not_sit_down_on_what_is_below_nor_rise_into_what_is_above(squat, humanoids):
    stool = make_face([-0.1, 0.0, 0.45], [0.0, 0.0, 1.0], half=0.1)
    assert "what is below" in squat.find_obstacle(pin.SE3.Identity(), (stool,))
    wave = BodySweep(load_motion("wave", humanoids["g1"]).motion, humanoids["g1"])
    shelf = make_face([0.1, -0.3, 1.0], [0.0, 0.0, -1.0])
    assert "what is above" in wave.find_obstacle(pin.SE3.Identity(), (shelf,))


@pytest.mark.parametrize("robot", ["talos", "g1", "icub"])
def test_every_shipped_motion_has_room_in_its_own_world(humanoids, robot):
    for checked in load_known_motions(humanoids[robot])[0]:
        surfaces = list_surfaces(load_world(checked.motion.world))
        assert BodySweep(checked.motion, humanoids[robot]).find_obstacle(pin.SE3.Identity(), surfaces) == ""
