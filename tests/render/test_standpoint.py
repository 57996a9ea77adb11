"""Where the operator stands: where there is room, and where the robot is seen, in every shipped world."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from snapshots import make_snapshot

from handhold.render.elements.stage import Stage
from handhold.render.interface.placement import compute_base_pose, place_room
from handhold.render.interface.settings import Settings, Viewpoint
from handhold.render.interface.standpoint import CLEARANCE, choose_standpoint
from handhold.render.obstacles import Obstacles
from handhold.robots.model import load_model
from handhold.robots.worlds import Solid, known_worlds, load_world

APART = (Viewpoint.THIRD_PERSON, Viewpoint.SHOULDER)
MIN_ROOM = 0.45
"""Lacks of room of less than 5 cm are alike [m]."""
HEAD = np.eye(4)
HEAD[2, 3] = 1.6


@cache
def load_robot():
    model = load_model("talos")
    return model, make_snapshot(model)


def find_head(world: str, view: Viewpoint) -> tuple[np.ndarray, Stage]:
    model, snapshot = load_robot()
    stage = Stage(model, load_world(world))
    room = place_room(Settings(view=view), HEAD, snapshot, stage.position_eye_in_base, stage.obstacles)
    return room @ HEAD, stage


@pytest.mark.parametrize("view", APART)
@pytest.mark.parametrize("world", known_worlds())
def test_in_every_world_there_is_room_around_the_operator_and_the_robot_is_seen(world: str, view: Viewpoint) -> None:
    head, stage = find_head(world, view)
    _, snapshot = load_robot()
    base = compute_base_pose(snapshot.q)
    column = head[:3, 3] - np.outer((0.0, 0.3, 0.6), (0.0, 0.0, 1.0))
    assert stage.obstacles.measure_clearance(column).min() >= MIN_ROOM
    points = np.array([base[:3, 3], base[:3, :3] @ stage.position_eye_in_base + base[:3, 3]])
    points = np.vstack([points, snapshot.left.target[:3, 3], snapshot.right.target[:3, 3]])
    assert not stage.obstacles.find_between(head[None, :3, 3], points).any()
    assert head[:3, :3] == pytest.approx(base[:3, :3], abs=1e-3)


def test_where_nothing_stands_the_usual_standpoint_is_taken() -> None:
    usual = np.array([-0.85, 0.0, 2.3])
    there = choose_standpoint(usual, np.array([1.0, 0.0]), np.zeros((1, 3)), np.array([0.0, 0.0, 1.6]), Obstacles())
    assert (there == usual).all()


@pytest.mark.parametrize("turned", [0.0, 2.3])
def test_the_nearest_place_is_taken_that_has_room_and_sight(turned: float) -> None:
    c, s = np.cos(turned), np.sin(turned)
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    usual, eye = turn @ (-0.85, 0.0, 2.3), np.array([0.0, 0.0, 1.6])
    robot = np.array([(0.0, 0.0, 1.0), (0.0, 0.0, 1.6)])
    screen = Solid(name="screen", size=(0.1, 0.6, 2.4), position=tuple(turn @ (-0.6, 0.0, 1.2)), rpy=(0.0, 0.0, turned))
    obstacles = Obstacles((screen,))
    assert obstacles.measure_clearance(usual[None])[0] < CLEARANCE
    there = choose_standpoint(usual, turn[:2, 0], robot, eye, obstacles)
    assert obstacles.measure_clearance(there[None])[0] >= MIN_ROOM
    assert not obstacles.find_between(there[None], robot).any()
    assert 0.0 < np.linalg.norm(there - usual) <= 1.2


def test_within_a_narrow_place_the_roomiest_is_taken() -> None:
    walls = [Solid(name=str(y), size=(6.0, 0.1, 3.0), position=(0.0, y, 1.5)) for y in (-0.4, 0.4)]
    usual = np.array([-0.85, 0.25, 2.3])
    there = choose_standpoint(
        usual, np.array([1.0, 0.0]), np.array([(0.0, 0.0, 1.0)]), np.array([0.0, 0.0, 1.6]), Obstacles(walls)
    )
    assert abs(there[1]) < 0.1
