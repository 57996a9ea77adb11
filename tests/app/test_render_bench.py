"""The benchmark of drawing, as a user runs it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXPECTED = {
    "frame_median",
    "frame_p99",
    "frame_kernels",
    "p99_over_median",
    "snapshot_to_submit",
    "allocation_growth",
    "resident_growth",
}


def test_the_benchmark_of_drawing_prints_one_object_with_all_its_figures() -> None:
    done = subprocess.run([ROOT / "handhold", "bench", "render", "--json"], capture_output=True, text=True, check=False)
    figures = {figure["name"]: figure for figure in json.loads(done.stdout)["figures"]}
    assert set(figures) >= EXPECTED
    assert figures["frame_median"]["value"] <= figures["frame_median"]["must"]
    assert figures["allocation_growth"]["value"] <= figures["allocation_growth"]["must"]
