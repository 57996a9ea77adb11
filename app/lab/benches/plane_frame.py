"""``bench planes --frame``: what the planes of somebody's own depth image cost, in the units of the benchmark."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import numpy as np

from handhold.app.camera.open_camera import open_camera
from handhold.app.lab.benches.planes import find_timed
from handhold.app.lab.benches.timing import KernelClock, Stopwatch
from handhold.app.lab.figures import Figure, Outcome
from handhold.app.session.commit import current_commit
from handhold.perception.cameras.depth_frame import DepthFrame
from handhold.perception.errors import PerceptionError
from handhold.perception.planes.plane_finder import PlaneFinder

REPEATS = 100
"""How often the planes of the image are found."""


def run_frame(file: Path, intrinsics: str) -> Outcome:
    """Find the planes of one depth image again and again.

    Args:
        file: The image, 16 bits.
        intrinsics: Of its camera: numbers, or the path of a calibration file.

    Raises:
        AppError: It is no image, or there are no intrinsics.
        PerceptionError: It cannot be read.
        OSError: Likewise.
    """
    frame = _read(file, intrinsics)
    finder, kernel, times = PlaneFinder(frame.intrinsics), KernelClock(), Stopwatch()
    patches = find_timed(finder, frame, Stopwatch())  # compiles
    for _ in range(REPEATS):
        find_timed(finder, frame, times)
        kernel.tick()
    costs = [
        Figure(f"frame_{stage}_kernels{suffix}", float(np.percentile(spent, percent)) / 1e3 / kernel.microseconds, "-")
        for stage, spent in times.stages.items()
        for suffix, percent in (("", 95), ("_median", 50))
    ]
    return Outcome(
        name="planes",
        robot=None,
        engine=None,
        seed=0,
        commit=current_commit(),
        duration_s=0.0,
        fell=None,
        figures=[*costs, Figure("frame_planes", float(len(patches)), "-"), Figure("kernel", kernel.microseconds, "us")],
    )


def _read(file: Path, intrinsics: str) -> DepthFrame:
    with closing(open_camera(str(file), intrinsics)) as camera:
        frame = camera.read(0.0)
    if frame is None:
        raise PerceptionError(f"{file}: no image in it; give a depth picture")
    return frame
