"""The stability region at the operator's waist, and how its margin goes."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from snapshots import make_snapshot, with_report

from handhold.render.elements.balance_disc import (
    DEFAULT_DISC_VIEW,
    DISC_AT,
    ENLARGED,
    HEADING_STEP,
    RADIUS,
    DiscView,
    describe_trend,
    draw_balance_disc,
    draw_trend,
    find_disc_view,
)
from handhold.render.interface.margin_trend import NO_TREND, SPACING, TREND_DURATION, MarginTrend, step_trend
from handhold.render.interface.placement import rotate_about_vertical
from handhold.render.interface.settings import Settings, Viewpoint
from handhold.render.scene import Anchor, Fill, Label, Lines
from handhold.render.snapshot import Snapshot
from handhold.retarget.mode_report import StabilityRegion
from handhold.robots.model import RobotModel, load_model

SINGLE = 1e-5  # [m], scenes are in single precision
WORLD_AXES = np.array([[0.12, 0.0], [0.0, 0.05], [-0.05, 0.0], [0.0, -0.05]])


@pytest.fixture(scope="module")
def model() -> RobotModel:
    return load_model("talos")


def make_region(margin: float = 0.06, **changes: Any) -> StabilityRegion:
    values = {"vertices": WORLD_AXES, "height": 0.1, "margin": margin, "edge": 0, "limit": "left foot edge"}
    return StabilityRegion(**(values | changes))


def at(snapshot: Snapshot, time: float, margin: float | None) -> Snapshot:
    return with_report(replace(snapshot, time=time), region=None if margin is None else make_region(margin))


def follow(snapshot: Snapshot, times: np.ndarray, margins: np.ndarray) -> MarginTrend:
    trend = NO_TREND
    for time, margin in zip(times.tolist(), margins.tolist(), strict=True):
        trend = step_trend(trend, at(snapshot, time, margin))
    return trend


@given(rate=st.floats(-0.05, 0.05), period=st.sampled_from([0.011, 0.016, 0.1, 0.25]))
def test_the_rate_of_a_margin_that_goes_steadily_is_found_at_any_rate_of_snapshots(
    model: RobotModel, rate: float, period: float
) -> None:
    times = np.arange(0.0, 3.0, period)
    trend = follow(make_snapshot(model), times, 0.05 + rate * times)
    assert trend.rate == pytest.approx(rate, abs=1e-6)


def test_only_the_last_seconds_are_kept_however_long_it_takes(model: RobotModel) -> None:
    times = np.arange(0.0, 30.0, 0.02)
    trend = follow(make_snapshot(model), times, np.full(len(times), 0.05))
    assert trend.times[0] >= trend.times[-1] - TREND_DURATION
    assert len(trend.times) <= TREND_DURATION / SPACING + 1


def test_what_was_seen_before_changes_nothing_and_a_robot_that_begins_anew_has_no_past(model: RobotModel) -> None:
    snapshot = make_snapshot(model)
    trend = follow(snapshot, np.arange(5.0, 7.0, 0.1), np.full(20, 0.05))
    assert step_trend(trend, at(snapshot, trend.times[-1], 0.01)) is trend
    assert step_trend(trend, at(snapshot, 0.5, 0.02)).margins == (0.02,)
    assert step_trend(trend, at(snapshot, 60.0, 0.02)).margins == (0.02,)
    assert step_trend(trend, at(snapshot, 7.2, None)) == NO_TREND
    assert step_trend(NO_TREND, None) is NO_TREND
    assert math.isnan(NO_TREND.rate)


@pytest.mark.parametrize(
    ("rate", "words"),
    [(0.02, "6.0 cm margin ↑ 2.0 cm/s"), (-0.012, "6.0 cm margin ↓ 1.2 cm/s"), (0.0, "6.0 cm margin → steady")],
)
def test_the_trend_is_told_in_words(model: RobotModel, rate: float, words: str) -> None:
    times = np.arange(0.0, 2.0, 0.1)
    assert describe_trend(make_region(), follow(make_snapshot(model), times, 0.06 + rate * times)) == words


def test_the_trend_is_drawn_as_columns_of_the_last_seconds(model: RobotModel) -> None:
    times = np.arange(0.0, 8.0, 0.1)
    columns = draw_trend(follow(make_snapshot(model), times, np.clip(0.13 - 0.02 * times, 0.0, 1.0)))
    assert len(columns) == 16
    assert list(columns) == sorted(columns, reverse=True)
    assert columns[-1] == "▁"
    assert draw_trend(NO_TREND) == ""


def draw(
    model: RobotModel, disc_view: DiscView = DEFAULT_DISC_VIEW, settings: Settings | None = None, **changes: Any
) -> tuple[Any, ...]:
    snapshot = replace(make_snapshot(model, region=make_region()), **changes)
    return draw_balance_disc(snapshot, settings or Settings(), disc_view)


def find_outline(elements: tuple[Any, ...]) -> np.ndarray:
    # with the way to the nearest edge behind it
    return next(e.ends[:-1, 0] for e in elements if isinstance(e, Lines) and len(e.ends) == len(WORLD_AXES) + 1)


def test_the_region_is_enlarged_but_no_further_than_the_disc(model: RobotModel) -> None:
    small = find_outline(draw(model))
    size = np.linalg.norm(small[0] - small[2])
    assert size == pytest.approx(ENLARGED * np.linalg.norm(WORLD_AXES[0] - WORLD_AXES[2]), abs=SINGLE)
    large = find_outline(draw_balance_disc(
        make_snapshot(model, region=make_region(vertices=4.0 * WORLD_AXES)), Settings(), DEFAULT_DISC_VIEW
    ))  # fmt: skip
    assert np.linalg.norm((large - DISC_AT)[:, :2], axis=1).max() < RADIUS


@given(heading=st.floats(-4.0, 4.0), room=st.floats(-3.0, 3.0))
def test_what_is_ahead_in_the_world_is_ahead_on_the_disc_wherever_the_operator_faces(
    model: RobotModel, heading: float, room: float
) -> None:
    pose = np.eye(4)
    pose[:3, :3] = rotate_about_vertical(room)
    corners = find_outline(draw(model, find_disc_view(NO_TREND, pose, heading)))
    way = rotate_about_vertical(room + heading) @ (corners[0] - corners[2])
    assert abs(math.atan2(way[1], way[0])) <= 0.5 * HEADING_STEP + 1e-6


def test_all_of_it_goes_along_with_the_operator_and_nothing_is_drawn_of_what_is_not_known(model: RobotModel) -> None:
    assert all(element.anchor is Anchor.AHEAD for element in draw(model))
    assert draw(model, settings=Settings(balance_disc=False)) == ()
    assert draw(model, position_com_in_world=np.full(3, np.nan)) == ()
    assert draw_balance_disc(make_snapshot(model), Settings(), DEFAULT_DISC_VIEW) == ()


def test_through_the_robots_eyes_there_is_no_plate_over_its_hands(model: RobotModel) -> None:
    def measure(view: Viewpoint) -> float:
        fills = [e for e in draw(model, settings=Settings(view=view)) if isinstance(e, Fill)]
        return max(float(np.linalg.norm(fill.triangles - DISC_AT, axis=2).max()) for fill in fills)

    assert measure(Viewpoint.THIRD_PERSON) == pytest.approx(RADIUS, abs=SINGLE)
    assert measure(Viewpoint.FIRST_PERSON) < RADIUS - 0.01


def test_the_words_tell_margin_limit_and_trend_together(model: RobotModel) -> None:
    times = np.arange(0.0, 6.0, 0.1)
    trend = follow(make_snapshot(model), times, np.full(len(times), 0.06))
    (label,) = (e for e in draw(model, DiscView(trend)) if isinstance(e, Label))
    assert label.text.splitlines() == ["6.0 cm margin → steady", "left foot edge", 16 * "▅"]
