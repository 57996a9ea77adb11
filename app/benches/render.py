"""``bench render``: what a stereo frame with everything in it costs the Python that draws it.

It is the CPU time of the thread that draws: uploading the scene once and submitting both eyes, 16 x 16 pixels each. With a
graphics card the card does the rest. Without one Mesa's llvmpipe would do it on this machine's cores: its threads for pixels
are not counted anyway, but it computes vertices in the thread that draws, 150 000 of them for each eye. So Mesa is asked to
take all calls, check them and do nothing more (``GALLIUM_NOOP``), not even copy what is uploaded (0.6 MB a frame, some 60 us);
``tests/render/gl`` sees that such calls make pictures. Other drivers do not know that wish, and their own work in the calling
thread counts.
"""

from __future__ import annotations

import gc
import os
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from handhold.app.benches.render_scene import EverythingShown
from handhold.app.benches.timing import KernelClock, Stopwatch, measure_ticks
from handhold.app.figures import Figure, Outcome, current_commit
from handhold.render.gl.egl import EglContext
from handhold.render.gl.eye import Eye, FieldOfView, look_at
from handhold.render.gl.renderer import Renderer
from handhold.render.gl.target import Target
from handhold.render.meshes import load_link_meshes
from handhold.render.scene import Scene
from handhold.robots.model import load_model

PIXELS = 16
WARM_UP = 200
FRAMES = 2000
KERNEL_EVERY = 10
GROWTH_FROM, GROWTH_TO = 2000, 10_000
ALLOCATION_GROWTH_MUST = 8000.0
"""Most that what Python holds may grow from frame 2000 to frame 10 000 [bytes]: one a frame; the smallest object has 24."""
RESIDENT_GROWTH_MUST = 16e6
"""Most that the whole process may [bytes]: C's allocator touches some megabytes of what it holds anyway as time goes on, and a
buffer or texture that OpenGL is not told to free takes 2000 and more a frame."""
SCENES = 32
"""Different scenes that are drawn in turn while memory is watched."""
EYES_APART = 0.063
FIELD_OF_VIEW = FieldOfView(left=-1.2, right=1.0, up=1.1, down=-1.1)


class StereoFrames:
    """Both eyes' pictures, drawn again and again by moving eyes and hands."""

    def __init__(self, renderer: Renderer) -> None:
        """Make the pictures."""
        self._renderer = renderer
        self._targets = (Target(PIXELS, PIXELS), Target(PIXELS, PIXELS))

    def load(self, scene: Scene) -> None:
        """Upload a scene."""
        self._renderer.load(scene)

    def draw(self, eyes: tuple[Eye, Eye]) -> None:
        """Submit both eyes."""
        for target, eye in zip(self._targets, eyes, strict=True):
            self._renderer.draw(target, eye)

    def close(self) -> None:
        """Free what OpenGL holds for them."""
        for target in self._targets:
            target.close()


def make_eyes(number: int) -> tuple[Eye, Eye]:
    """Return both eyes of a frame: an operator two metres in front of the robot who looks about."""
    head = look_at(np.array([2.0, 0.3 * np.sin(0.05 * number), 1.6]), np.array([0.0, 0.0, 1.0]))
    hand = head.copy()
    hand[2, 3] -= 0.4
    eyes = []
    for side in (0.5, -0.5):
        view = head.copy()
        view[:3, 3] += side * EYES_APART * head[:3, 1]
        eyes.append(
            Eye(
                view=view,
                field_of_view=FIELD_OF_VIEW,
                width=PIXELS,
                height=PIXELS,
                head=head,
                left_hand=hand,
                right_hand=hand,
            )
        )
    return eyes[0], eyes[1]


def run_render_bench() -> Outcome:
    """Time frames one by one, then watch the memory of the process over 10 000."""
    start = time.perf_counter()
    model = load_model("talos")
    shown = EverythingShown(model)
    with _without_pixels():
        context = EglContext()
    renderer = Renderer({"talos": load_link_meshes(model)})
    frames = StereoFrames(renderer)
    figures = [*_time_frames(shown, frames), *_measure_growth(shown, frames)]
    frames.close()
    renderer.close()
    context.close()
    return Outcome(
        name="render",
        robot="talos",
        engine=None,
        seed=0,
        commit=current_commit(),
        duration_s=time.perf_counter() - start,
        fell=None,
        figures=figures,
    )


@contextmanager
def _without_pixels() -> Iterator[None]:
    """Let contexts made within take calls and draw nothing (Mesa's drivers only)."""
    os.environ["GALLIUM_NOOP"] = "1"
    try:
        yield
    finally:
        del os.environ["GALLIUM_NOOP"]


def _time_frames(shown: EverythingShown, frames: StereoFrames) -> list[Figure]:
    stopwatch, kernel = Stopwatch(), KernelClock()
    latencies: list[int] = []
    gc.collect()
    gc.freeze()
    for number in range(WARM_UP + FRAMES):
        if number == WARM_UP:
            stopwatch.stages.clear()
            latencies.clear()
        snapshot, eyes = shown.make_snapshot(number), make_eyes(number)
        began = time.perf_counter_ns()
        scene = shown.compose(snapshot)
        stopwatch.start()
        frames.load(scene)
        stopwatch.mark("load")
        frames.draw(eyes)
        stopwatch.mark("draw")
        latencies.append(time.perf_counter_ns() - began)
        if number % KERNEL_EVERY == 0:
            kernel.tick()
    return [
        *_judge(stopwatch.stages, kernel.microseconds),
        Figure("snapshot_to_submit", float(np.median(latencies)) / 1e3, "us"),
    ]


def _judge(stages: dict[str, list[int]], kernel: float) -> list[Figure]:
    times = np.sum([np.array(stage) for stage in stages.values()], axis=0)
    spread = float(np.percentile(times, 99) / np.median(times))
    figures = measure_ticks(stages, kernel, must=(2000.0, 11.4), aim=(600.0, 3.4), name="frame")
    return [*figures, Figure("p99_over_median", spread, "-", must=2.0)]


def _measure_growth(shown: EverythingShown, frames: StereoFrames) -> list[Figure]:
    scenes = [shown.compose(shown.make_snapshot(number)) for number in range(SCENES)]
    gc.collect()
    tracemalloc.start()
    for number in range(GROWTH_TO):
        if number == GROWTH_FROM:
            traced, resident = tracemalloc.get_traced_memory()[0], _read_resident_memory()
        frames.load(scenes[number % SCENES])
        frames.draw(make_eyes(number))
    grown = (tracemalloc.get_traced_memory()[0] - traced, _read_resident_memory() - resident)
    tracemalloc.stop()
    return [
        Figure("allocation_growth", float(grown[0]), "bytes", must=ALLOCATION_GROWTH_MUST),
        Figure("resident_growth", float(grown[1]), "bytes", must=RESIDENT_GROWTH_MUST),
    ]


def _read_resident_memory() -> int:
    """Return the memory that the process holds, Python's, OpenGL's and all [bytes]."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
