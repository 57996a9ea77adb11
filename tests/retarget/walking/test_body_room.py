"""A body that walks keeps from what stands upright: how much of a way is free before it."""

import numpy as np
import pytest

from handhold.app.host.surfaces import list_surfaces
from handhold.retarget.walking.body_room import BESIDE, BodyClearance, UprightFaces
from handhold.retarget.walking.footsteps import WalkingVelocity
from handhold.robots.worlds import Solid, World

FACE, ROOM = 1.0, 0.1  # [m]
WALL = Solid(name="wall", size=(0.2, 2.0, 1.0), position=(FACE + 0.1, 0.0, 0.5))
FACES = UprightFaces(list_surfaces(World(title="a wall", solids=(WALL,), source="")))
FEET = np.tile(np.eye(4), (2, 1, 1))


def find_share(point, way, room=ROOM):
    return FACES.find_free_ratio(np.array([point]), np.array([way]), np.array([room]))


@pytest.mark.parametrize("way", [0.5, 0.95, 1.0, 2.0, 7.0])
def test_a_point_may_go_on_until_its_room_is_used_up(way):
    assert find_share((0.0, 0.0, 0.5), (way, 0.0, 0.0)) == pytest.approx(min(1.0, (FACE - ROOM) / way))


@pytest.mark.parametrize("way", [(-1.0, 0.0, 0.0), (0.0, 5.0, 0.0), (0.0, 0.0, 0.0)])
def test_what_does_not_come_nearer_is_free(way):
    assert find_share((FACE - 0.5 * ROOM, 0.0, 0.5), way) == 1.0


def test_a_point_within_its_room_comes_no_nearer():
    assert find_share((FACE - 0.5 * ROOM, 0.0, 0.5), (1.0, 0.0, 0.0)) == 0.0


@pytest.mark.parametrize("point", [(0.0, 1.0 + BESIDE + 0.01, 0.5), (0.0, 0.0, 1.0 + BESIDE + 0.01)])
def test_beside_and_over_a_wall_the_way_is_free(point):
    assert find_share(point, (2.0, 0.0, 0.0)) == 1.0


def test_ground_bars_nothing():
    faces = UprightFaces(list_surfaces(World(title="a floor", source="")))
    assert faces.find_free_ratio(np.zeros((1, 3)), np.array([[0.0, 0.0, -1.0]]), np.zeros(1)) == 1.0


def test_the_nearest_point_decides_and_a_turn_sweeps_the_hands():
    points = np.array([[0.4, 0.5, 0.5], [0.0, 0.0, 0.5]])
    room = BodyClearance(faces=FACES, points=points, clearances=np.array([ROOM, 0.25]))
    straight, turning = room.find_free_ratios(FEET, WalkingVelocity(forward=1.0), 1.0)
    assert (straight, turning) == (0.5, 1.0)
    side = BodyClearance(faces=FACES, points=np.array([[0.0, -1.05, 0.5]]), clearances=np.array([ROOM]))
    assert side.find_free_ratios(FEET, WalkingVelocity(turning=1.5), 1.0)[1] < 1.0
    assert side.find_free_ratios(FEET, WalkingVelocity(turning=-1.5), 1.0)[1] == 1.0
