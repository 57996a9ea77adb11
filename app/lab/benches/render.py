"""``bench render``: what a stereo frame with everything in it costs the Python that makes it.

A frame is all that the headset's thread does for a frame that shows a new snapshot, as every frame does where the headset is
no faster than the snapshots (60 a second). Faster headsets have frames between them: ``frame_between_snapshots``. Its stages:

- ``read``: the operator's sample is read from an OpenXR runtime (Monado, with simulated controllers: ``headset_input.py``);
- ``follow``: the interface follows the operator's sample, and what the robot is told of it is made;
- ``compose``: the snapshot becomes a scene (robot and surfaces have moved, the cloud is new);
- ``load``: what is fixed to the head is parted from the rest, and both are uploaded, the former where it has changed;
- ``draw``: both eyes, and the picture that is fixed to the head where it has changed, are submitted.

What the runtime does in this thread while it is read counts; its frames do not. Times are CPU times of this thread. Pictures
are 16 x 16 pixels:
with a graphics card the card does the rest. Without one Mesa's llvmpipe would do it on this machine's cores: its threads for
pixels are not counted anyway, but it computes vertices in the thread that draws, 150 000 of them for each eye. So Mesa is
asked to take all calls, check them and do nothing more (``GALLIUM_NOOP``), not even copy what is uploaded (0.6 MB a frame,
some 60 us); ``tests/render/gl`` sees that such calls make pictures. Other drivers do not know that wish, and their own work
in the calling thread counts.

As in a session, the process asks for the station's priority, and all that start-up made is kept from the garbage collector
(``gc.freeze``), which stays on and then has little to look through. What is left of slow frames are those in which another
process took the core and left it with cold caches: they say nothing of our own cost, so frames that the kernel interrupted are
not counted, and ``interrupted`` tells their share. Whether memory grows is told by ``render_growth.py``.
"""

from __future__ import annotations

import gc
import os
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from handhold.app.lab.benches.headset_input import open_headset
from handhold.app.lab.benches.render_growth import measure_growth
from handhold.app.lab.benches.render_scene import EverythingShown
from handhold.app.lab.benches.stereo_frames import StereoFrames, make_eyes
from handhold.app.lab.benches.timing import KernelClock, Stopwatch
from handhold.app.lab.figures import Figure, Outcome
from handhold.app.session.commit import current_commit
from handhold.app.session.priority import STATION_NICENESS, ask_for_priority
from handhold.devices.openxr.device import OpenXrDevice
from handhold.render.gl.egl import EglContext
from handhold.render.gl.renderer import Renderer
from handhold.render.meshes import load_link_meshes
from handhold.render.snapshot import Snapshot
from handhold.robots.model import load_model

WARM_UP = 200
FRAMES = 2000
FRAMES_BETWEEN = 1000
KERNEL_EVERY = 10
KERNELS_MUST, KERNELS_AIM = 4.5, 3.3
"""Bounds of a frame, everything shown [kernels]."""


def run_render_bench() -> Outcome:
    """Time frames one by one, then watch the memory of a process that draws some more."""
    start = time.perf_counter()
    ask_for_priority(STATION_NICENESS)
    model = load_model("talos")
    shown = EverythingShown(model)
    with _without_pixels():
        context = EglContext()
    renderers = Renderer({"talos": load_link_meshes(model)}), Renderer({})
    frames = StereoFrames(*renderers)
    with open_headset() as device:
        costs = _time_frames(shown, frames, device)
    frames.close()
    for renderer in renderers:
        renderer.close()
    context.close()
    growth = measure_growth()
    return Outcome(
        name="render",
        robot="talos",
        engine=None,
        seed=0,
        commit=current_commit(),
        duration_s=time.perf_counter() - start,
        fell=None,
        figures=[*costs, *growth],
    )


@contextmanager
def _without_pixels() -> Iterator[None]:
    """Let contexts made within take calls and draw nothing (Mesa's drivers only)."""
    os.environ["GALLIUM_NOOP"] = "1"
    try:
        yield
    finally:
        del os.environ["GALLIUM_NOOP"]


def _time_frames(shown: EverythingShown, frames: StereoFrames, device: OpenXrDevice | None) -> list[Figure]:
    stopwatch, kernel = Stopwatch(), KernelClock()
    latencies: list[int] = []
    interruptions = [_count_interruptions()]
    gc.collect()
    gc.freeze()
    for number in range(WARM_UP + FRAMES):
        if number == WARM_UP:
            stopwatch.stages.clear()
            latencies.clear()
            interruptions = [_count_interruptions()]
        began = _time_frame(shown, frames, device, stopwatch, number, shown.make_snapshot(number))
        latencies.append(time.perf_counter_ns() - began)
        interruptions.append(_count_interruptions())
        if number >= WARM_UP and number % KERNEL_EVERY == 0:
            kernel.tick()
    between = Stopwatch()
    snapshot = shown.make_snapshot(WARM_UP + FRAMES)
    for number in range(FRAMES_BETWEEN):
        _time_frame(shown, frames, device, between, number, snapshot)
    own = np.diff(interruptions) == 0
    return [
        *_judge(
            {stage: np.array(times)[own].tolist() for stage, times in stopwatch.stages.items()},
            kernel,
            own,
            whole=device is not None,
        ),
        Figure("interrupted", float(1.0 - own.mean()), "-"),
        Figure("frame_between_snapshots", float(np.median(_sum_stages(between.stages))) / 1e3, "us"),
        Figure("snapshot_to_submit", float(np.median(latencies)) / 1e3, "us"),
    ]


def _time_frame(
    shown: EverythingShown,
    frames: StereoFrames,
    device: OpenXrDevice | None,
    stopwatch: Stopwatch,
    number: int,
    snapshot: Snapshot,
) -> int:
    """Make a frame that shows a snapshot; return when the snapshot was there [ns]."""
    sample, eyes = shown.make_sample(number), make_eyes(number)
    began = time.perf_counter_ns()
    stopwatch.start()
    if device is not None:
        device.read()
    stopwatch.mark("read")
    view = shown.follow(sample, snapshot)
    stopwatch.mark("follow")
    scene = shown.compose(snapshot, view, number)
    stopwatch.mark("compose")
    frames.load(scene)
    stopwatch.mark("load")
    frames.draw(eyes)
    stopwatch.mark("draw")
    return began


def _count_interruptions() -> int:
    """Return how often the kernel has given this thread's core to somebody else."""
    return resource.getrusage(resource.RUSAGE_THREAD).ru_nivcsw


def _sum_stages(stages: dict[str, list[int]]) -> np.ndarray:
    return np.sum([np.array(stage) for stage in stages.values()], axis=0)


def _judge(stages: dict[str, list[int]], kernel: KernelClock, own: np.ndarray, *, whole: bool) -> list[Figure]:
    """Return the figures of a frame, its spread by what the kernel took about each (``KernelClock.spread_over``).

    Args:
        stages: Times of every stage, one a frame [ns].
        kernel: The kernel.
        own: Which frames the times are of.
        whole: Whether no stage is missing; what a frame costs is not known otherwise.
    """
    frames = _sum_stages(stages) / 1e3 if whole else np.full(1, np.nan)
    times = frames / (kernel.spread_over(len(own))[own] if whole else 1.0)
    median = float(np.median(frames))
    return [
        Figure("frame_median", median, "us"),
        Figure("frame_p99", float(np.percentile(frames, 99)), "us"),
        Figure("frame_kernels", median / kernel.microseconds, "-", must=KERNELS_MUST, aim=KERNELS_AIM),
        Figure("kernel", kernel.microseconds, "us"),
        *(Figure(f"stage_{name}", float(np.median(taken)) / 1e3, "us") for name, taken in stages.items()),
        Figure("p99_over_median", float(np.percentile(times, 99) / np.median(times)), "-", must=2.0),
    ]
