"""Solids in the way: distances and lines of sight, against points that are drawn at random within them."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handhold.render.obstacles import NO_OBSTACLES, Obstacles
from handhold.robots.worlds import Solid

SHAPES = {"box": (0.8, 0.5, 1.2), "sphere": (0.5,), "cylinder": (0.3, 1.0)}
PLACE = {"position": (0.4, -0.2, 0.9), "rpy": (0.4, -0.7, 1.1)}
NEAR = 0.05
"""How much farther than the solid the nearest of 40 000 points within it may be [m]."""

positions = st.tuples(*(st.floats(-2.0, 2.0) for _ in range(3))).map(np.array)


def make_solid(shape: str) -> Solid:
    return Solid(name=shape, shape=shape, size=SHAPES[shape], **PLACE)  # type: ignore[arg-type]


def is_within(solid: Solid, points: np.ndarray) -> np.ndarray:
    own = (points - np.array(solid.position)) @ solid.to_se3().rotation
    half = solid.half_size
    if solid.shape == "box":
        return (np.abs(own) <= half).all(axis=1)
    if solid.shape == "sphere":
        return np.linalg.norm(own, axis=1) <= half[0]
    return (np.linalg.norm(own[:, :2], axis=1) <= half[0]) & (np.abs(own[:, 2]) <= half[1])


def fill(solid: Solid) -> np.ndarray:
    """Return points all over a solid, some of a box in its very corners: few that are drawn at random come near them."""
    rng = np.random.default_rng(0)
    points = rng.uniform(-1.0, 1.0, (150_000, 3)) + np.array(solid.position)
    corners = np.array(list(product((-1.0, 1.0), repeat=3))) * np.resize(solid.half_size, 3) * (1.0 - 1e-9)
    corners = corners @ solid.to_se3().rotation.T + np.array(solid.position)
    return np.vstack([points[is_within(solid, points)][:40_000], corners[is_within(solid, corners)]])


FILLED = {shape: fill(make_solid(shape)) for shape in SHAPES}


@pytest.mark.parametrize("shape", SHAPES)
@given(point=positions)
@settings(max_examples=60, deadline=None)
def test_clearance_and_nearest_point_are_those_of_the_solid(shape: str, point: np.ndarray) -> None:
    solid = make_solid(shape)
    obstacles = Obstacles((solid,))
    clearance = obstacles.measure_clearance(point[None])[0]
    nearest = obstacles.find_nearest(point)[0]
    expected = np.linalg.norm(FILLED[shape] - point, axis=1).min()
    assert expected - NEAR <= clearance <= expected + 1e-9
    assert np.linalg.norm(nearest - point) == pytest.approx(clearance, abs=1e-9)
    assert is_within(solid, nearest[None] * (1 - 1e-9) + 1e-9 * np.array(solid.position))[0]


@pytest.mark.parametrize("shape", SHAPES)
@given(eye=positions, target=positions)
@settings(max_examples=150, deadline=None)
def test_a_solid_is_between_where_the_line_goes_through_it(shape: str, eye: np.ndarray, target: np.ndarray) -> None:
    solid = make_solid(shape)
    between = Obstacles((solid,)).find_between(eye[None], target[None])[0, 0, 0]
    shares = np.linspace(0.0, 1.0, 4001)[:, None]
    line = eye + shares * (target - eye)
    if is_within(solid, line).any():
        assert between
    elif between:
        # only a corner that falls between two points of the line
        shrunk = np.array(solid.position) + 0.98 * (line - np.array(solid.position))
        assert is_within(solid, shrunk).any()


def test_of_many_eyes_targets_and_solids_each_is_judged_for_itself() -> None:
    solids = [Solid(name=str(x), size=(0.2, 1.0, 1.0), position=(x, 0.0, 0.0)) for x in (1.0, 2.0)]
    eyes, targets = np.array([(0.0, 0.0, 0.0), (1.5, 0.0, 0.0)]), np.array([(1.5, 0.0, 0.0), (3.0, 0.0, 0.0), (0.0, 3.0, 0.0)])
    between = Obstacles(solids).find_between(eyes, targets)
    assert between.shape == (2, 3, 2)
    assert between[0].tolist() == [[True, False], [True, True], [False, False]]
    assert between[1].tolist() == [[False, False], [False, True], [False, False]]


def test_what_a_hand_touches_does_not_hide_the_hand() -> None:
    wall = Obstacles((Solid(name="wall", size=(0.1, 2.0, 2.0), position=(1.0, 0.0, 0.0)),))
    eye, hand = np.zeros((1, 3)), np.array([(0.97, 0.0, 0.0)])
    assert wall.find_between(eye, hand).all()
    assert not wall.find_between(eye, hand, short=0.08).any()


def test_without_solids_nothing_is_in_the_way() -> None:
    assert NO_OBSTACLES.measure_clearance(np.zeros((2, 3))).tolist() == [np.inf, np.inf]
    assert NO_OBSTACLES.find_between(np.zeros((1, 3)), np.ones((2, 3))).shape == (1, 2, 0)
