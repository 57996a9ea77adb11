"""The ground without an end, and the grid on solids: what tells distance and motion where everything has one colour."""

from __future__ import annotations

import numpy as np
import pytest
from easel import SIZE, Easel, find_pixel, make_eye, make_pose, make_solid, rgba, to_linear

from handhold.render.gl.eye import FieldOfView
from handhold.render.look_at import look_at
from handhold.render.scene import Ground, Scene, Shape

ALIKE, PER_METRE = 3, 0.02
"""Of 255: what drivers round, and what single precision changes of places for each metre away (0.1 mm at 1 km)."""
GRAY, WHITE = rgba(0.2, 0.2, 0.2, 1), rgba(1, 1, 1, 1)
GROUND = Ground(height=0.0, cell=0.5, color=rgba(0.1, 0.1, 0.1, 1.0), line_color=WHITE)
WIDE = FieldOfView(left=-0.8, right=0.8, up=0.8, down=-0.8)


def look_down(easel: Easel, x: float, y: float) -> np.ndarray:
    """Return how bright the ground is below an eye at a height of 1.5 m."""
    view = look_at(np.array([x, y, 1.5]), np.array([x + 0.6, y, 0.0]))
    return to_linear(easel.draw(Scene(background=rgba(0, 0, 0, 1), ground=GROUND), make_eye(view, WIDE))[..., 0].astype(float))


@pytest.mark.parametrize("far", [0.0, 40.0, -1000.0])
def test_the_ground_looks_the_same_wherever_one_stands(easel: Easel, far: float) -> None:
    here, there = look_down(easel, 0.25, 0.1), look_down(easel, 0.25 + far, 0.1 + far)
    assert np.abs(255 * (here - there)).max() <= ALIKE + PER_METRE * abs(far)


def test_one_who_walks_sees_the_ground_move(easel: Easel) -> None:
    assert np.abs(look_down(easel, 0.25, 0.1) - look_down(easel, 0.35, 0.1)).max() > 0.3


def test_lines_are_at_the_multiples_of_a_cell(easel: Easel) -> None:
    picture = look_down(easel, 0.25, 0.1)
    view = look_at(np.array([0.25, 0.1, 1.5]), np.array([0.85, 0.1, 0.0]))
    for x, y, on_line in ((0.5, 0.25, True), (1.25, 0.5, True), (0.75, 0.25, False), (1.25, -0.25, False)):
        column, row = find_pixel(np.array([x, y, 0.0]), view, WIDE).astype(int)
        near = picture[row - 1 : row + 2, column - 1 : column + 2]
        assert (near.max() > 2.0 * np.median(picture)) == on_line, (x, y)


def test_the_ground_fades_before_the_horizon_and_hides_nothing(easel: Easel) -> None:
    level = easel.draw(Scene(background=rgba(0, 0, 0, 1), ground=GROUND), make_eye(make_pose(0.0, 0.0, 1.5)))[..., 0]
    assert not level[: SIZE // 2].any()
    assert level[SIZE // 2 + 1].max() < 20
    below = make_solid(Shape.BOX, make_pose(3.0, 0.0, -1.0, 1.0), rgba(0, 1, 0, 1))
    faint = Ground(height=0.0, cell=0.5, color=rgba(0, 0, 0, 0), line_color=rgba(0, 0, 0, 0))
    eye = make_eye(look_at(np.array([0.0, 0.0, 1.5]), np.array([3.0, 0.0, -1.0])))
    assert easel.draw(Scene(background=rgba(0, 0, 0, 1), solids=(below,), ground=faint), eye)[SIZE // 2, SIZE // 2, 1] > 50


@pytest.mark.parametrize("shape", [Shape.BOX, Shape.CYLINDER])
@pytest.mark.parametrize("alpha", [1.0, 0.4])
def test_a_solid_has_lines_on_its_faces_where_it_has_a_grid(easel: Easel, shape: Shape, alpha: float) -> None:
    pose, color = make_pose(2.0, 0.0, 0.0, 1.0), rgba(0.6, 0.6, 0.6, alpha)
    plain, lined = (
        easel.draw(Scene(background=WHITE, solids=(make_solid(shape, pose, color, grid=grid),))) for grid in (0.0, 0.25)
    )
    differences = np.abs(plain.astype(int) - lined.astype(int))[..., 0]
    # the front is 1.5 m away: lines across z at -0.25, 0 and 0.25 m, and nothing between
    for z, on_line in ((0.25, True), (0.0, True), (0.125, False), (-0.125, False)):
        column, row = find_pixel(np.array([1.5, 0.06, z]), np.eye(4), make_eye().field_of_view).astype(int)
        assert (differences[row - 1 : row + 2, column].max() > 5) == on_line, z
