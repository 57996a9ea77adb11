"""``bench render``: what a stereo frame with everything in it costs the Python that makes it.

A frame is all that the headset's thread does for a frame that shows a new snapshot, as every frame does where the headset is
no faster than the snapshots (60 a second). Faster headsets have frames between them: ``frame_between_snapshots``. Its stages:

- ``follow``: the interface follows the operator's sample, and what the robot is told of it is made;
- ``compose``: the snapshot becomes a scene (robot and surfaces have moved, the cloud is new);
- ``load``: what is fixed to the head is parted from the rest, and both are uploaded, the former where it has changed;
- ``draw``: both eyes, and the picture that is fixed to the head where it has changed, are submitted.

What the OpenXR runtime and its library take is not in it. Times are CPU times of this thread. Pictures are 16 x 16 pixels:
with a graphics card the card does the rest. Without one Mesa's llvmpipe would do it on this machine's cores: its threads for
pixels are not counted anyway, but it computes vertices in the thread that draws, 150 000 of them for each eye. So Mesa is
asked to take all calls, check them and do nothing more (``GALLIUM_NOOP``), not even copy what is uploaded (0.6 MB a frame,
some 60 us); ``tests/render/gl`` sees that such calls make pictures. Other drivers do not know that wish, and their own work
in the calling thread counts.

As in a session, the process asks for the station's priority, and all that start-up made is kept from the garbage collector
(``gc.freeze``), which stays on and then has little to look through. What is left of slow frames are those in which another
process took the core and left it with cold caches: they say nothing of our own cost, so frames that the kernel interrupted are
not counted, and ``interrupted`` tells their share.
"""

from __future__ import annotations

import gc
import os
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from handhold.app.benches.render_scene import EverythingShown
from handhold.app.benches.timing import KernelClock, Stopwatch, measure_ticks
from handhold.app.figures import Figure, Outcome, current_commit
from handhold.app.priority import STATION_NICENESS, ask_for_priority
from handhold.render.gl.egl import EglContext
from handhold.render.gl.eye import Eye, FieldOfView, look_at
from handhold.render.gl.renderer import Renderer
from handhold.render.gl.target import Target
from handhold.render.head_scene import describe_looks, split_scene
from handhold.render.meshes import load_link_meshes
from handhold.render.scene import Scene
from handhold.render.snapshot import Snapshot
from handhold.robots.model import load_model

PIXELS = 16
WARM_UP = 200
FRAMES = 2000
FRAMES_BETWEEN = 1000
KERNEL_EVERY = 10
GROWTH_FROM, GROWTH_TO = 2000, 10_000
ALLOCATION_GROWTH_MUST = 800.0
"""Most that the number of objects that Python holds may grow from frame 2000 to frame 10 000: one in ten frames. What is
looked up for the first time is kept (layouts of texts, colours), and that ends."""
RESIDENT_GROWTH_MUST = 16e6
"""Most that the whole process may [bytes]: C's allocator touches some megabytes of what it holds anyway as time goes on, and a
buffer or texture that OpenGL is not told to free takes 2000 and more a frame."""
SCENES = 32
"""Different snapshots that are shown in turn while memory is watched."""
EYES_APART = 0.063
FIELD_OF_VIEW = FieldOfView(left=-1.2, right=1.0, up=1.1, down=-1.1)
HEAD_EYE = Eye(view=np.eye(4), field_of_view=FIELD_OF_VIEW, width=PIXELS, height=PIXELS, head=np.eye(4))


class StereoFrames:
    """Both eyes' pictures and the one that is fixed to the head, drawn again and again by moving eyes and hands."""

    def __init__(self, renderer: Renderer, head_renderer: Renderer) -> None:
        """Make the pictures."""
        self._renderer, self._head_renderer = renderer, head_renderer
        self._targets = (Target(PIXELS, PIXELS), Target(PIXELS, PIXELS))
        self._head_target = Target(PIXELS, PIXELS)
        self._head_looks: tuple[object, ...] = ()
        self._head_changed = False

    def load(self, scene: Scene) -> None:
        """Upload a scene, what is fixed to the head only where it has changed (as ``Headset`` and ``HeadPicture`` do)."""
        around, at_head = split_scene(scene)
        self._renderer.load(around)
        looks = describe_looks(at_head)
        self._head_changed = looks != self._head_looks
        if self._head_changed:
            self._head_looks = looks
            self._head_renderer.load(at_head)

    def draw(self, eyes: tuple[Eye, Eye]) -> None:
        """Submit both eyes."""
        if self._head_changed:
            self._head_renderer.draw(self._head_target, HEAD_EYE)
        for target, eye in zip(self._targets, eyes, strict=True):
            self._renderer.draw(target, eye)

    def close(self) -> None:
        """Free what OpenGL holds for them."""
        for target in (*self._targets, self._head_target):
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
    ask_for_priority(STATION_NICENESS)
    model = load_model("talos")
    shown = EverythingShown(model)
    with _without_pixels():
        context = EglContext()
    renderers = Renderer({"talos": load_link_meshes(model)}), Renderer({})
    frames = StereoFrames(*renderers)
    figures = [*_time_frames(shown, frames), *_measure_growth(shown, frames)]
    frames.close()
    for renderer in renderers:
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
    interruptions = [_count_interruptions()]
    gc.collect()
    gc.freeze()
    for number in range(WARM_UP + FRAMES):
        if number == WARM_UP:
            stopwatch.stages.clear()
            latencies.clear()
            interruptions = [_count_interruptions()]
        began = _time_frame(shown, frames, stopwatch, number, shown.make_snapshot(number))
        latencies.append(time.perf_counter_ns() - began)
        interruptions.append(_count_interruptions())
        if number >= WARM_UP and number % KERNEL_EVERY == 0:
            kernel.tick()
    between = Stopwatch()
    snapshot = shown.make_snapshot(WARM_UP + FRAMES)
    for number in range(FRAMES_BETWEEN):
        _time_frame(shown, frames, between, number, snapshot)
    own = np.diff(interruptions) == 0
    return [
        *_judge({stage: np.array(times)[own].tolist() for stage, times in stopwatch.stages.items()}, kernel, own),
        Figure("interrupted", float(1.0 - own.mean()), "-"),
        Figure("frame_between_snapshots", float(np.median(_sum_stages(between.stages))) / 1e3, "us"),
        Figure("snapshot_to_submit", float(np.median(latencies)) / 1e3, "us"),
    ]


def _time_frame(shown: EverythingShown, frames: StereoFrames, stopwatch: Stopwatch, number: int, snapshot: Snapshot) -> int:
    """Make a frame that shows a snapshot; return when the snapshot was there [ns]."""
    sample, eyes = shown.make_sample(number), make_eyes(number)
    began = time.perf_counter_ns()
    stopwatch.start()
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


def _judge(stages: dict[str, list[int]], kernel: KernelClock, own: np.ndarray) -> list[Figure]:
    """Return the figures of a frame, its spread by what the kernel took about each (``KernelClock.spread_over``)."""
    times = _sum_stages(stages) / kernel.spread_over(len(own))[own]
    spread = float(np.percentile(times, 99) / np.median(times))
    figures = measure_ticks(stages, kernel.microseconds, must=(2000.0, 11.4), aim=(600.0, 3.4), name="frame")
    return [*figures, Figure("p99_over_median", spread, "-", must=2.0)]


def _measure_growth(shown: EverythingShown, frames: StereoFrames) -> list[Figure]:
    snapshots = [shown.make_snapshot(number) for number in range(SCENES)]
    for number in range(GROWTH_TO):
        if number == GROWTH_FROM:
            objects, resident = _count_objects(), _read_resident_memory()
        snapshot = snapshots[number % SCENES]
        view = shown.follow(shown.make_sample(number), snapshot)
        frames.load(shown.compose(snapshot, view, number))
        frames.draw(make_eyes(number))
    grown = _read_resident_memory() - resident
    return [
        Figure("allocation_growth", float(_count_objects() - objects), "objects", must=ALLOCATION_GROWTH_MUST),
        Figure("resident_growth", float(grown), "bytes", must=RESIDENT_GROWTH_MUST),
    ]


def _count_objects() -> int:
    """Return how many blocks of memory Python's objects hold."""
    gc.collect()
    return sys.getallocatedblocks()


def _read_resident_memory() -> int:
    """Return the memory that the process holds, Python's, OpenGL's and all [bytes]."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
