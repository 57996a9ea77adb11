"""The frame that follows the head lazily: a dead band, a time constant, and nothing of the frame rate."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handhold.render.interface.ahead import MOVES_FROM, MOVES_UNTIL, TIME_CONSTANT, TURNS_FROM, TURNS_UNTIL, Ahead, step_ahead
from handhold.render.interface.placement import rotate_about_vertical

DT = 1.0 / 90.0


def look(heading: float, position: tuple[float, float, float] = (0.0, 0.0, 1.6), pitch: float = 0.0) -> np.ndarray:
    """Return a head's pose in the room."""
    c, s = math.cos(pitch), math.sin(pitch)
    pose = np.eye(4)
    pose[:3, :3] = rotate_about_vertical(heading) @ np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
    pose[:3, 3] = position
    return pose


def follow(ahead: Ahead, head: np.ndarray, seconds: float, dt: float = DT) -> Ahead:
    for _ in range(round(seconds / dt)):
        ahead = step_ahead(ahead, head, dt)
    return ahead


START = step_ahead(Ahead(), look(0.3), DT)


def test_it_begins_where_the_head_is_first_seen() -> None:
    assert (Ahead().place_in_room() == np.eye(4)).all()
    assert step_ahead(Ahead(), None, DT).position is None
    assert START.place_in_room() == pytest.approx(look(0.3), abs=1e-6)


@given(st.floats(-0.99, 0.99), st.floats(-0.57, 0.57), st.floats(-1.2, 1.2))
def test_within_the_dead_band_it_stands_still_wherever_the_gaze_goes(turn: float, way: float, pitch: float) -> None:
    head = look(0.3 + turn * TURNS_FROM, (way * MOVES_FROM, -way * MOVES_FROM, 1.6 + way * MOVES_FROM), pitch)
    assert step_ahead(START, head, DT) is START


@pytest.mark.parametrize(("turn", "way"), [(1.0, 0.0), (-2.9, 0.0), (0.0, 0.4), (1.5, 1.0)])
def test_beyond_it_it_comes_after_and_comes_to_rest(turn: float, way: float) -> None:
    head = look(0.3 + turn, (way, 0.0, 1.6))
    moving = follow(START, head, TIME_CONSTANT)
    assert moving.following
    left = math.exp(-1.0)
    assert abs(math.remainder(moving.heading - 0.3 - turn, math.tau)) == pytest.approx(left * abs(turn), rel=0.05, abs=1e-9)
    there = follow(moving, head, 3.0)
    assert not there.following
    assert there.position is not None
    assert abs(math.remainder(there.heading - 0.3 - turn, math.tau)) <= TURNS_UNTIL
    assert np.linalg.norm(there.position - head[:3, 3]) <= MOVES_UNTIL
    assert step_ahead(there, head, DT) is there


def test_it_goes_the_shorter_way_round() -> None:
    behind = follow(step_ahead(Ahead(), look(3.0), DT), look(-2.5), 0.2)
    assert behind.heading > 3.0


def test_the_way_does_not_hang_on_the_frame_rate() -> None:
    head = look(1.5)
    slow, fast = (follow(START, head, 0.4, dt) for dt in (1.0 / 50.0, 1.0 / 150.0))
    assert slow.heading == pytest.approx(fast.heading, abs=1e-9)


def test_a_head_that_is_not_tracked_moves_nothing() -> None:
    assert step_ahead(START, None, DT) is START
    assert step_ahead(START, np.full((4, 4), np.nan), DT) is START
