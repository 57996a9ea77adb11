"""Where things are seen: fields of view, the room, what moves with head and hands."""

from __future__ import annotations

import numpy as np
import pytest
from easel import AHEAD, BLACK, SIZE, SQUARE, Easel, differs, find_middle, find_pixel, make_eye, make_pose, make_solid, rgba

from handhold.render.gl.eye import FieldOfView
from handhold.render.look_at import look_at
from handhold.render.scene import Anchor, Scene, Shape, Solids

ONE_PIXEL = 1.0
"""How far from its predicted pixel the middle of a ball may be seen [pixels]: its outline is cut into pixels and facets."""
BALL = 0.03
LEFT = FieldOfView(left=-1.0, right=0.8, up=0.7, down=-0.9)
RIGHT = FieldOfView(left=-0.8, right=1.0, up=0.7, down=-0.9)


def make_ball(x: float, y: float, z: float, anchor: Anchor = Anchor.WORLD, size: float = BALL) -> Solids:
    return make_solid(Shape.SPHERE, make_pose(x, y, z, size), rgba(1, 1, 1, 1), anchor=anchor)


@pytest.mark.parametrize("field_of_view", [LEFT, RIGHT, SQUARE])
@pytest.mark.parametrize("point", [(1.0, 0.0, 0.0), (1.2, 0.4, 0.3), (1.0, -0.3, -0.35), (0.6, 0.2, -0.2)])
def test_a_point_is_seen_at_its_predicted_pixel(
    easel: Easel, field_of_view: FieldOfView, point: tuple[float, float, float]
) -> None:
    view = look_at(np.array([-0.1, 0.05, 0.02]), np.array([1.0, 0.1, 0.0]))
    picture = easel.draw_on_black(make_eye(view, field_of_view), solids=(make_ball(*point),))
    expected = find_pixel(np.array(point), view, field_of_view)
    assert np.abs(find_middle(picture, np.zeros(3)) - expected).max() < ONE_PIXEL


def test_both_eyes_see_a_near_point_apart(easel: Easel) -> None:
    left, right = make_pose(0.0, 0.0315, 0.0), make_pose(0.0, -0.0315, 0.0)
    seen = [
        find_middle(easel.draw_on_black(make_eye(view, field), solids=(make_ball(0.5, 0.0, 0.0),)), np.zeros(3))
        for view, field in ((left, LEFT), (right, RIGHT))
    ]
    expected = [find_pixel(np.array([0.5, 0.0, 0.0]), view, field) for view, field in ((left, LEFT), (right, RIGHT))]
    assert np.abs(np.array(seen) - expected).max() < ONE_PIXEL


def test_an_injected_turn_of_the_head_moves_the_picture_as_predicted(easel: Easel) -> None:
    easel.draw_on_black(solids=(make_ball(1.0, 0.0, 0.0),))
    angle = np.radians(20.0)
    turned = np.eye(4)
    turned[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    picture = easel.look(make_eye(turned))
    assert np.abs(find_middle(picture, np.zeros(3)) - find_pixel(np.array([1.0, 0, 0]), turned, SQUARE)).max() < ONE_PIXEL


def test_the_room_carries_the_eye_through_the_world(easel: Easel) -> None:
    room = make_pose(3.0, -2.0, 0.5)
    room[:2, :2] = [[0.0, -1.0], [1.0, 0.0]]
    view = make_pose(0.0, 0.1, 1.5)
    point = (room @ view @ np.array([1.0, 0.1, -0.1, 1.0]))[:3]
    picture = easel.draw_on_black(make_eye(view), solids=(make_ball(*point),), transform_room_to_world=room)
    assert np.abs(find_middle(picture, np.zeros(3)) - find_pixel(point, room @ view, SQUARE)).max() < ONE_PIXEL


@pytest.mark.parametrize(
    ("anchor", "name"), [(Anchor.HEAD, "head"), (Anchor.LEFT_HAND, "left_hand"), (Anchor.RIGHT_HAND, "right_hand")]
)
def test_what_is_anchored_moves_with_the_newest_pose(easel: Easel, anchor: Anchor, name: str) -> None:
    room = make_pose(1.0, 1.0, 1.0)
    scene = Scene(solids=(make_ball(0.1, 0.0, 0.0, anchor),), background=BLACK, transform_room_to_world=room)
    easel.renderer.load(scene)
    for pose in (make_pose(0.8, 0.1, 0.1), make_pose(0.9, -0.2, -0.1)):
        picture = easel.look(make_eye(**{name: pose}))
        expected = find_pixel((pose @ [0.1, 0.0, 0.0, 1.0])[:3], AHEAD, SQUARE)
        assert np.abs(find_middle(picture, np.zeros(3)) - expected).max() < ONE_PIXEL


@pytest.mark.parametrize("anchor", [Anchor.LEFT_HAND, Anchor.RIGHT_HAND])
def test_what_is_anchored_to_a_hand_that_is_not_tracked_is_left_out(easel: Easel, anchor: Anchor) -> None:
    assert not differs(easel.draw_on_black(solids=(make_ball(1.0, 0.0, 0.0, anchor),)), np.zeros(3)).any()


def test_what_is_anchored_to_the_head_goes_with_the_eye_where_no_head_is_told(easel: Easel) -> None:
    view = look_at(np.array([1.0, 2.0, 3.0]), np.array([0.0, 0.0, 0.5]))
    picture = easel.draw_on_black(make_eye(view), solids=(make_ball(1.0, 0.1, 0.2, Anchor.HEAD),))
    expected = find_pixel(np.array([1.0, 0.1, 0.2]), AHEAD, SQUARE)
    assert np.abs(find_middle(picture, np.zeros(3)) - expected).max() < ONE_PIXEL


def test_what_is_anchored_to_the_head_is_in_front_of_all_else(easel: Easel) -> None:
    hud = make_solid(Shape.BOX, make_pose(2.0, 0.0, 0.0, 0.2), rgba(1, 0, 0, 1), anchor=Anchor.HEAD)
    wall = make_solid(Shape.BOX, make_pose(1.0, 0.0, 0.0, 0.5), rgba(0, 1, 0, 1))
    red, green = easel.draw_on_black(solids=(hud, wall))[SIZE // 2, SIZE // 2, :2]
    assert red > 2 * green


def test_nothing_is_shaded_where_the_lens_hides_it(easel: Easel) -> None:
    wall = make_solid(Shape.BOX, make_pose(2.0, 0.0, 0.0, 1.5), rgba(1, 1, 1, 1))
    corner = np.array([[(-0.5, 0.5), (-0.5, 0.0), (0.0, 0.5)]], dtype=np.float32)
    eye = make_eye()
    whole = easel.draw_on_black(eye, solids=(wall,))
    hidden = easel.draw_on_black(
        type(eye)(view=eye.view, field_of_view=SQUARE, width=SIZE, height=SIZE, hidden=corner), solids=(wall,)
    )
    rows, columns = np.indices((SIZE, SIZE)) + 0.5
    inside = rows + columns < SIZE / 2 - 1
    outside = rows + columns > SIZE / 2 + 1
    assert (hidden[inside][:, :3] == 0).all()
    assert (hidden[outside] == whole[outside]).all()
    assert (whole[inside][:, :3] > 0).all()
