"""Lines from one thing to another, whole and dashed, and what stands where the head faced."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from easel import AHEAD, SQUARE, Easel, find_pixel, make_eye, make_pose, make_solid, rgba

from handhold.render.scene import Anchor, Lines, Scene, Shape

RED, BLACK = rgba(1, 0, 0, 1), rgba(0, 0, 0, 1)
FIXED = np.array([1.0, 0.3, 0.2])
HAND = make_pose(1.0, -0.3, -0.2).astype(float)
TETHER = Lines(
    ends=np.array([[FIXED, np.zeros(3)]], dtype=np.float32),
    colors=RED[None],
    width=0.02,
    anchor=Anchor.RIGHT_HAND,
    starts_at=Anchor.WORLD,
)


def count_along(picture: np.ndarray) -> float:
    """Return how much of the way from one end to the other is red, 0 to 1."""
    ends = (find_pixel(FIXED, AHEAD, SQUARE), find_pixel(HAND[:3, 3], AHEAD, SQUARE))
    places = np.rint(np.linspace(*ends, 200)).astype(int)
    return float((picture[places[:, 1], places[:, 0], 0] > 128).mean())


def draw(easel: Easel, lines: Lines, hand: np.ndarray | None) -> np.ndarray:
    picture: np.ndarray = easel.draw(Scene(background=BLACK, lines=(lines,)), make_eye(right_hand=hand))
    return picture


def test_a_line_leads_from_one_thing_to_another_and_is_left_out_where_that_is_not_there(easel: Easel) -> None:
    assert count_along(draw(easel, TETHER, HAND)) > 0.98
    assert draw(easel, TETHER, None)[..., 0].max() == 0


@pytest.mark.parametrize("dash", [0.02, 0.05])
def test_half_of_a_dashed_line_is_seen(easel: Easel, dash: float) -> None:
    assert count_along(draw(easel, replace(TETHER, width=0.004, dash=dash), HAND)) == pytest.approx(0.5, abs=0.12)


def test_what_stands_ahead_is_placed_by_the_scene_in_the_room(easel: Easel) -> None:
    room, ahead = make_pose(0.1, -0.2, 0.1), make_pose(0.2, 0.1, -0.2)
    box = make_solid(Shape.BOX, make_pose(0.7, 0.0, 0.1, 0.02), RED, anchor=Anchor.AHEAD)
    scene = Scene(background=BLACK, solids=(box,), transform_room_to_world=room, transform_ahead_to_room=ahead)
    picture = easel.draw(scene, make_eye())
    rows, columns = np.nonzero(picture[..., 0] > 60)
    assert len(rows)
    # the eye is in the room as well
    expected = find_pixel((ahead @ make_pose(0.7, 0.0, 0.1))[:3, 3], AHEAD, SQUARE)
    assert (columns.mean() + 0.5, rows.mean() + 0.5) == pytest.approx(expected, abs=1.0)
