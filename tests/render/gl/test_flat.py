"""Lines, fills, points, camera pictures and the vignette."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from easel import (
    FOCAL,
    SIZE,
    SQUARE,
    Easel,
    differs,
    find_middle,
    find_pixel,
    make_eye,
    make_pose,
    make_solid,
    rgba,
    to_linear,
    to_srgb,
)

from handhold.render.gl.eye import FieldOfView
from handhold.render.look_at import look_at
from handhold.render.scene import Anchor, Cloud, Fill, Lines, Picture, Scene, Shape

ONE_STEP = 1
"""Rounding of a colour to 8 bits [-]."""
ONE_PIXEL = 1.0
"""Rounding of a place to pixels [pixels]."""
WHITE = rgba(1, 1, 1, 1)
FACING = np.array([[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], dtype=np.float32)
"""Axes of a screen that is looked at along x."""


def make_line(start: tuple[float, ...], end: tuple[float, ...], width: float, color: np.ndarray = WHITE) -> Lines:
    return Lines(ends=np.array([[start, end]], dtype=np.float32), colors=color[None], width=width)


def make_square(x: float, half: float, color: np.ndarray) -> Fill:
    corners = half * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], dtype=np.float32)
    points = np.column_stack([np.full(4, x, np.float32), corners])
    return Fill(triangles=points[[[0, 1, 2], [0, 2, 3]]], colors=np.tile(color, (2, 1)))


def make_screen(image: np.ndarray, version: int, width: float, height: float) -> Picture:
    transform = make_pose(1.0, 0.0, 0.0)
    transform[:3, :3] = FACING @ np.diag([width, height, 1.0])
    return Picture(image=image, version=version, transform=transform)


@pytest.mark.parametrize("eye", [(0.0, 0.0, 0.0), (1.0, -1.0, 0.0), (1.0, 0.1, 1.0)])
def test_a_ribbon_faces_the_eye_wherever_it_is(easel: Easel, eye: tuple[float, float, float]) -> None:
    position = np.array(eye)
    line = make_line((1.0, 0.0, -0.4), (1.0, 0.0, 0.4), 0.1)
    towards = np.array([1.0, 0.0, 0.0])
    picture = easel.draw_on_black(make_eye(look_at(position, towards)), lines=(line,))
    across = differs(picture, np.zeros(3), by=100)[SIZE // 2].sum()
    assert across == pytest.approx(0.1 * FOCAL / np.linalg.norm(towards - position), abs=2 * ONE_PIXEL)


def test_the_ends_of_a_line_are_round_and_where_it_ends(easel: Easel) -> None:
    picture = easel.draw_on_black(lines=(make_line((1.0, 0.2, 0.0), (1.0, -0.2, 0.0), 0.1),))
    columns = np.nonzero(differs(picture, np.zeros(3), by=100)[SIZE // 2])[0]
    assert columns[0] == pytest.approx(SIZE / 2 - 0.25 * FOCAL, abs=ONE_PIXEL)
    assert columns[-1] + 1 == pytest.approx(SIZE / 2 + 0.25 * FOCAL, abs=ONE_PIXEL)
    area = (0.4 * 0.1 + np.pi * 0.05**2) * FOCAL**2
    assert to_linear(picture[..., 0]).sum() == pytest.approx(area, rel=0.02)  # a pixel has four samples


def test_a_line_that_passes_the_eye_is_cut_off_and_not_torn(easel: Easel) -> None:
    picture = easel.draw_on_black(lines=(make_line((-5.0, -0.3, -0.2), (5.0, -0.3, -0.2), 0.02),))
    rows, columns = np.nonzero(differs(picture, np.zeros(3), by=100))
    # Seen from above its right side it runs from the right lower corner to the vanishing point in the middle.
    assert (rows >= SIZE / 2 - 1).all()
    assert (columns >= SIZE / 2 - 1).all()
    slope = (rows - SIZE / 2) / np.maximum(columns - SIZE / 2, 1)
    far = columns > 0.75 * SIZE
    assert slope[far] == pytest.approx(np.full(far.sum(), 0.2 / 0.3), abs=0.1)


def test_a_line_thinner_than_a_pixel_stays_whole(easel: Easel) -> None:
    line = make_line((20.0, 8.0, 0.3), (20.0, -8.0, -0.3), 0.001)
    seen = differs(easel.draw_on_black(lines=(line,)), np.zeros(3), by=30)
    assert seen[:, SIZE // 8 : -SIZE // 8].any(axis=0).all()


def test_a_fill_is_seen_from_both_sides_alike_and_blended_by_its_alpha(easel: Easel) -> None:
    scene = Scene(background=rgba(0.5, 0.5, 0.5, 1), fills=(make_square(1.0, 0.3, rgba(1.0, 0.2, 0.0, 0.25)),))
    expected = to_srgb(0.25 * np.array([1.0, 0.2, 0.0]) + 0.75 * 0.5)
    for position in (0.0, 2.0):
        view = look_at(np.array([position, 0.0, 0.0]), np.array([1.0, 0.0, 0.0]))
        pixel = easel.draw(scene, make_eye(view))[SIZE // 2, SIZE // 2, :3]
        assert pixel.astype(int) == pytest.approx(expected, abs=ONE_STEP)


def test_the_background_is_shown_as_srgb(easel: Easel) -> None:
    color = rgba(0.02, 0.2, 0.8, 1)
    picture = easel.draw(Scene(background=color))
    assert picture[0, 0, :3].astype(int) == pytest.approx(to_srgb(color[:3]), abs=ONE_STEP)
    assert (picture == picture[0, 0]).all()


def test_on_a_clear_background_colors_come_out_multiplied_by_alpha(easel: Easel) -> None:
    fill = make_square(1.0, 0.3, rgba(1.0, 0.5, 0.0, 0.5))
    picture = easel.draw(Scene(background=np.zeros(4, np.float32), fills=(fill,))).astype(int)
    assert picture[0, 0].tolist() == [0, 0, 0, 0]
    assert picture[SIZE // 2, SIZE // 2] == pytest.approx([*to_srgb(np.array([0.5, 0.25, 0.0])), 127.5], abs=ONE_STEP)


def test_what_lies_in_one_plane_has_an_order(easel: Easel) -> None:
    wall = np.diag([1.0, 2.0, 2.0, 1.0]).astype(np.float32)
    wall[0, 3] = 2.5
    solid = make_solid(Shape.BOX, wall, rgba(0, 0, 1, 1))
    fill, line = make_square(2.0, 0.5, rgba(0, 1, 0, 1)), make_line((2.0, 0.5, 0.0), (2.0, -0.5, 0.0), 0.05, rgba(1, 0, 0, 1))
    picture = easel.draw_on_black(lines=(line,), fills=(fill,), solids=(solid,)).astype(int)
    assert picture[SIZE // 2, SIZE // 2, :3].tolist() == [255, 0, 0]
    assert picture[SIZE // 2 + 15, SIZE // 2, :3].tolist() == [0, 255, 0]


def test_a_solid_hides_lines_and_fills_behind_it(easel: Easel) -> None:
    solid = make_solid(Shape.BOX, make_pose(1.0, 0.0, 0.0, 0.5), rgba(0, 0, 1, 1))
    fill, line = make_square(2.0, 0.1, rgba(0, 1, 0, 1)), make_line((2.0, 0.1, 0.0), (2.0, -0.1, 0.0), 0.05)
    alone = easel.draw_on_black(solids=(solid,))
    assert (easel.draw_on_black(lines=(line,), fills=(fill,), solids=(solid,)) == alone).all()


def make_cloud(version: int, y: float = 0.0, size: float = 0.2) -> Cloud:
    color = np.array([[200, 100, 30]], dtype=np.uint8)
    return Cloud(positions=np.array([[1.0, y, 0.1]], np.float32), colors=color, size=size, version=version)


def test_a_point_is_a_disc_of_its_size_and_color(easel: Easel) -> None:
    picture = easel.draw_on_black(cloud=make_cloud(1))
    assert np.abs(find_middle(picture, np.zeros(3)) - find_pixel(np.array([1, 0, 0.1]), np.eye(4), SQUARE)).max() < ONE_PIXEL
    assert differs(picture, np.zeros(3)).sum() == pytest.approx(np.pi / 4 * (0.2 * FOCAL) ** 2, rel=0.05)  # cut into pixels
    column, row = (int(place) for place in find_pixel(np.array([1, 0, 0.1]), np.eye(4), SQUARE))
    assert picture[row, column, :3].astype(int) == pytest.approx([200, 100, 30], abs=ONE_STEP)


def test_a_cloud_is_uploaded_when_its_version_changes(easel: Easel) -> None:
    first = easel.draw_on_black(cloud=make_cloud(11))
    assert (easel.draw_on_black(cloud=make_cloud(11, y=0.2)) == first).all()
    assert (easel.draw_on_black(cloud=make_cloud(12, y=0.2)) != first).any()
    assert not differs(easel.draw_on_black(), np.zeros(3)).any()
    assert (easel.draw_on_black(cloud=make_cloud(11)) == first).all()


def test_a_cloud_of_doubles_that_is_a_view_is_drawn_too(easel: Easel) -> None:
    wide = np.zeros((8, 6))
    wide[::2, :3] = (1.0, 0.0, 0.1)
    cloud = make_cloud(21)
    view = Cloud(positions=wide[::2, :3], colors=np.repeat(cloud.colors, 4, axis=0), size=0.2, version=22)
    assert (easel.draw_on_black(cloud=cloud) == easel.draw_on_black(cloud=view)).all()


def test_a_picture_is_shown_upright_and_with_its_colors(easel: Easel) -> None:
    image = np.array([[(250, 0, 0), (0, 250, 0)], [(0, 0, 250), (180, 180, 180)]], dtype=np.uint8)
    shown = easel.draw_on_black(pictures=(make_screen(image, 1, 0.8, 0.8),))
    near, far = SIZE // 4, 3 * SIZE // 4
    corners = [[shown[row, column, :3].tolist() for column in (near, far)] for row in (near, far)]
    assert corners == image.tolist()
    assert differs(shown, np.zeros(3)).sum() == pytest.approx((0.8 * SIZE) ** 2, rel=0.02)  # its edge is cut into pixels


def test_a_picture_is_uploaded_when_its_version_changes(easel: Easel) -> None:
    dark, bright = (np.full((3, 5, 3), level, np.uint8) for level in (50, 200))
    first = easel.draw_on_black(pictures=(make_screen(dark, 5, 0.8, 0.8),))
    assert (easel.draw_on_black(pictures=(make_screen(bright, 5, 0.8, 0.8),)) == first).all()
    assert easel.draw_on_black(pictures=(make_screen(bright, 6, 0.8, 0.8),))[SIZE // 2, SIZE // 2, 0] == 200


def test_pictures_of_other_sizes_and_more_of_them_fit(easel: Easel) -> None:
    for version, shape in ((31, (3, 5, 3)), (31, (7, 2, 3)), (31, (3, 5, 3))):
        image = np.full(shape, 10 * shape[0], np.uint8)
        screens = tuple(make_screen(image, version, size, size) for size in (0.8, 0.4))
        assert easel.draw_on_black(pictures=screens)[SIZE // 2, SIZE // 2, 0] == 10 * shape[0]


def test_the_vignette_darkens_the_edge_around_the_axis_of_the_eye(easel: Easel) -> None:
    white = rgba(1, 1, 1, 1)
    asymmetric = FieldOfView(left=-1.5, right=0.9, up=0.9, down=-1.5)
    axis = round(SIZE * 1.5 / 2.4)
    row = easel.draw(Scene(background=white, vignette=1.0), make_eye(field_of_view=asymmetric))[SIZE - axis, :, 0].astype(int)
    assert row[axis] == 255
    assert row[0] == 0
    reach = SIZE - axis
    assert np.abs(row[axis:] - row[axis - reach : axis][::-1]).max() <= ONE_STEP


def test_without_a_vignette_the_edge_stays_bright(easel: Easel) -> None:
    wide = make_eye(field_of_view=FieldOfView(left=-1.5, right=1.5, up=1.5, down=-1.5))
    assert (easel.draw(Scene(background=WHITE), wide)[..., :3] == 255).all()
    faint = easel.draw(Scene(background=WHITE, vignette=0.5), wide)[SIZE // 2, :, 0].astype(int)
    strong = easel.draw(Scene(background=WHITE, vignette=1.0), wide)[SIZE // 2, :, 0].astype(int)
    assert (strong <= faint).all()
    assert strong.sum() < faint.sum() < 255 * SIZE


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_of_two_panes_the_nearer_one_is_blended_over_the_other(easel: Easel, side: float, reverse: bool) -> None:
    red, blue = rgba(1, 0, 0, 0.5), rgba(0, 0, 1, 0.5)
    panes = (make_square(0.9, 0.3, red), make_square(1.1, 0.3, blue))
    eye = make_eye(look_at(np.array([1.0 - side, 0.0, 0.0]), np.array([1.0, 0.0, 0.0])))
    middle = easel.draw_on_black(eye, fills=panes[::-1] if reverse else panes)[SIZE // 2, SIZE // 2, :3]
    near, far = (0, 2) if side > 0 else (2, 0)
    expected = np.zeros(3)
    expected[near], expected[far] = 0.5, 0.25
    assert middle.astype(float) == pytest.approx(to_srgb(expected), abs=ONE_STEP)


def test_panes_of_one_fill_are_sorted_too_and_each_eye_has_its_own_order(easel: Easel) -> None:
    panes = [make_square(x, 0.3, color) for x, color in ((1.1, rgba(0, 0, 1, 0.5)), (0.9, rgba(1, 0, 0, 0.5)))]
    both = Fill(
        triangles=np.concatenate([pane.triangles for pane in panes]), colors=np.concatenate([pane.colors for pane in panes])
    )
    ahead = easel.draw_on_black(fills=(both,))[SIZE // 2, SIZE // 2]
    behind = easel.look(make_eye(look_at(np.array([2.0, 0.0, 0.0]), np.zeros(3))))[SIZE // 2, SIZE // 2]
    assert ahead[0] > ahead[2]
    assert behind[2] > behind[0]


def test_what_lies_on_a_plate_stays_on_it_however_far_from_its_middle(easel: Easel) -> None:
    plate, spot = make_square(1.0, 0.4, rgba(0, 0, 1, 1)), make_square(1.0, 0.1, rgba(1, 0, 0, 1))
    spot.triangles[:, :, 1:] += 0.25
    on_it = replace(spot, middles=np.tile(np.array([1.0, 0.0, 0.0], np.float32), (2, 1)))
    flat = replace(plate, middles=on_it.middles)
    column, row = find_pixel(np.array([1.0, 0.25, 0.25]), np.eye(4), SQUARE)
    shown = easel.draw_on_black(fills=(flat, on_it))[int(row), int(column), :3]
    assert shown.tolist() == [255, 0, 0]


def test_what_is_fixed_to_the_head_is_blended_over_what_is_nearer(easel: Easel) -> None:
    at_head = replace(make_square(1.0, 0.3, rgba(1, 0, 0, 1)), anchor=Anchor.HEAD)
    near = make_square(0.5, 0.2, rgba(0, 0, 1, 1))
    assert easel.draw_on_black(fills=(at_head, near))[SIZE // 2, SIZE // 2, :3].tolist() == [255, 0, 0]
