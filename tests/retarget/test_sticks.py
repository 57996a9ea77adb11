"""What a thumb on a stick means."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handhold.retarget.engagement.sticks import is_centred, remove_dead_zone, remove_round_dead_zone

ROUNDING = 1e-12  # [-]
directions = st.floats(0.0, math.tau)


@pytest.mark.parametrize(
    ("deflection", "asked"), [(0.0, 0.0), (0.1, 0.0), (0.15, 0.0), (0.235, 0.1), (0.575, 0.5), (1.0, 1.0), (1.3, 1.0)]
)
def test_an_axis_asks_for_nothing_in_its_dead_zone_and_for_all_at_its_end(deflection: float, asked: float) -> None:
    assert remove_dead_zone(deflection) == pytest.approx(asked)
    assert remove_dead_zone(-deflection) == pytest.approx(-asked)


@given(directions, st.floats(0.0, 1.42))
def test_a_stick_asks_in_the_direction_it_points_however_it_points(direction: float, length: float) -> None:
    asked = remove_round_dead_zone((length * math.cos(direction), length * math.sin(direction)))
    size = math.hypot(*asked)
    assert size == pytest.approx(remove_dead_zone(length), abs=1e-9)
    assert asked[0] == pytest.approx(size * math.cos(direction), abs=1e-9)
    assert asked[1] == pytest.approx(size * math.sin(direction), abs=1e-9)


def test_both_axes_at_once_ask_for_no_more_than_one() -> None:
    assert remove_round_dead_zone((1.0, 1.0)) == pytest.approx((math.sqrt(0.5), math.sqrt(0.5)))
    assert remove_round_dead_zone((0.15, 0.0)) == (0.0, 0.0)
    assert remove_round_dead_zone((0.0, -0.1)) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("stick", "centred"),
    [((0.0, 0.0), True), ((0.15, 0.0), True), ((0.0, -0.15), True), ((0.12, 0.12), False), ((0.0, 0.16), False)],
)
def test_a_stick_is_let_go_within_its_dead_zone(stick: tuple[float, float], centred: bool) -> None:
    assert is_centred(stick) == centred
    assert (remove_round_dead_zone(stick) == (0.0, 0.0)) == centred
