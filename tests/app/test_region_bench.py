"""The benchmark of the stability region, on a short piece of its motion."""

from __future__ import annotations

import numpy as np
import pytest

from handhold.app.lab.benches.region import RegionTimer, compute_distance, measure, record_motion
from handhold.robots.model import load_model


def test_a_moved_robot_is_followed_and_every_stage_timed() -> None:
    motion = record_motion(load_model("talos"), 0.2)
    timer = RegionTimer(load_model("talos"), motion[0])
    errors = [timer.measure_errors(timer.tick(q)) for q in motion]
    assert {len(times) for times in timer.stopwatch.stages.values()} == {len(motion)}
    queries, incremental = np.max(errors, axis=0)
    assert incremental < 1e-3  # [m]; over 20 s it is 0.02 mm
    assert queries < 1e-2  # [m]; over 20 s it is 5 mm


def test_a_distance_is_negative_outside() -> None:
    square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    assert compute_distance(square, np.array([0.3, 0.5])) == pytest.approx(0.3)
    assert compute_distance(square, np.array([1.3, 1.4])) == pytest.approx(-0.5)


def test_a_time_that_is_too_long_holds_in_kernels() -> None:
    slow = measure("region_full", np.full(5, 400.0), 300.0)
    assert all(figure.holds for figure in slow)
    assert not all(figure.holds for figure in measure("region_full", np.full(5, 400.0), 100.0))
