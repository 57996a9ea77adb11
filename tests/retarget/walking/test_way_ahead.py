"""How far a robot may walk on what is known of the ground."""

import numpy as np
import pytest

from handhold.perception.surface import Surface
from handhold.retarget.walking.footsteps import WalkingVelocity
from handhold.retarget.walking.ground import GroundMap
from handhold.retarget.walking.way_ahead import find_free_share

SOLE = np.array([0.10, 0.06])
CORNERS = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
FORWARD = WalkingVelocity(forward=0.5)
TIME = 1.6  # [s]: 0.8 m ahead


def level(x, height, half_lengths=(0.5, 1.0)):
    pose = np.eye(4)
    pose[:3, 3] = x, 0.0, height
    return Surface(pose=pose, boundary=CORNERS * half_lengths, area=1.0, quality=1.0, age=0.0)


FLOOR = level(0.0, 0.0, (10.0, 10.0))


def share(*surfaces, velocity=FORWARD, yaw=0.0, height=0.0):
    c, s = np.cos(yaw), np.sin(yaw)
    feet = np.tile(np.eye(4), (2, 1, 1))
    feet[:, :2, :2] = [[c, -s], [s, c]]
    feet[:, :2, 3] = np.array([[-s, c], [s, -c]]) * 0.085
    return find_free_share(GroundMap(surfaces, SOLE), feet, height, velocity, TIME)


def test_over_a_floor_and_over_nothing_known_it_may_go_on():
    assert share(FLOOR) == 1.0
    assert share() == 1.0


@pytest.mark.parametrize("height", [0.10, 0.3, 0.75])
def test_before_a_box_or_a_table_it_slows_down_and_stops(height):
    assert share(FLOOR, level(1.2, height)) == 0.5  # soles end 0.1 m ahead of their middle: 0.5 m are free
    assert share(FLOOR, level(0.7, height)) == 0.0


def test_under_something_high_it_may_go_on():
    assert share(FLOOR, level(0.7, 2.0)) == 1.0


def test_steps_up_one_after_the_other_are_walked_over():
    assert share(FLOOR, level(0.8, 0.05), level(1.3, 0.10)) == 1.0


def test_before_a_drop_it_stops():
    platform = level(0.0, 0.2)
    assert share(FLOOR, platform, height=0.2) == 0.25  # its edge is 0.5 m ahead
    assert share(FLOOR, platform, velocity=WalkingVelocity(sideways=0.1), height=0.2) == 1.0


def test_where_it_looks_is_where_it_goes():
    box = level(1.2, 0.3, (0.5, 0.5))
    assert share(FLOOR, box, yaw=np.pi / 2) == 1.0
    assert share(FLOOR, box, velocity=WalkingVelocity(sideways=-0.5), yaw=np.pi / 2) == 0.5
    assert share(FLOOR, box, velocity=WalkingVelocity(turning=0.3)) == 1.0
