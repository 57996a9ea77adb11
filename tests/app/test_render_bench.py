"""The benchmark of drawing, in a process of its own, with fewer frames than a user's."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

SCRIPT = """
import json
from handhold.app.lab.benches import render
render.FRAMES, render.FRAMES_BETWEEN = 500, 250
print(json.dumps(render.run_render_bench().to_json()))
"""
STAGES = {"stage_read", "stage_follow", "stage_compose", "stage_load", "stage_draw"}
EXPECTED = STAGES | {
    "frame_median",
    "frame_p99",
    "frame_kernels",
    "frame_between_snapshots",
    "interrupted",
    "p99_over_median",
    "snapshot_to_submit",
    "allocation_growth",
    "resident_growth",
}
GROWTHS = ("allocation_growth", "resident_growth")
"""What other processes on the machine cannot make fail; how fast frames are is for the benchmark itself to judge."""


@pytest.fixture(scope="module")
def figures() -> dict[str, dict[str, Any]]:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    return {figure["name"]: figure for figure in json.loads(done.stdout)["figures"]}


def test_the_benchmark_of_drawing_has_all_its_figures(figures: dict[str, dict[str, Any]]) -> None:
    assert set(figures) >= EXPECTED
    assert all(figures[name]["value"] > 0.0 for name in EXPECTED - {*GROWTHS, "interrupted"})


def test_a_frame_is_all_its_stages_and_composing_is_one_of_them(figures: dict[str, dict[str, Any]]) -> None:
    frame = figures["frame_median"]["value"]
    stages = sum(figures[name]["value"] for name in STAGES)
    assert stages == pytest.approx(frame, rel=0.1)  # a sum of medians is not quite the median of sums
    assert figures["frame_between_snapshots"]["value"] < frame
    assert figures["frame_p99"]["value"] > frame
    assert figures["p99_over_median"]["value"] > 1.0


@pytest.mark.parametrize("name", GROWTHS)
def test_nothing_grows_from_frame_to_frame(figures: dict[str, dict[str, Any]], name: str) -> None:
    assert figures[name]["value"] <= figures[name]["must"]
