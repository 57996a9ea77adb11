"""Whether memory grows while frames are drawn, one after another, with everything in them.

The frames are drawn by a driver that draws (Mesa's llvmpipe): the one that only checks calls, by which ``bench render`` times
them, itself keeps some hundred bytes of every draw call, which this driver does not (20 000 frames: none). It computes every
vertex in the thread that draws, so that each of the robot's meshes has one triangle here. It runs in a process of its own,
because the drivers of a process are chosen once.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from handhold.app.lab.benches.headset_input import open_headset
from handhold.app.lab.benches.render_scene import EverythingShown
from handhold.app.lab.benches.software_context import make_software_context
from handhold.app.lab.benches.stereo_frames import StereoFrames, make_eyes
from handhold.app.lab.figures import Figure
from handhold.devices.openxr.device import OpenXrDevice
from handhold.render.gl.renderer import Renderer
from handhold.render.meshes import load_link_meshes
from handhold.robots.model import load_model

FROM, TO = 1000, 3000
"""Frames between which memory is watched: before, what is looked up for the first time is still kept."""
COLLECT_EVERY = 50
"""Frames before them after which garbage is collected: at each of some ten collections, whenever the first was, there are 20
to 60 objects more than at the one before, and then no more (counted every 500 frames, to the 12 000th)."""
WINDOW = 500
"""Frames of each part, which has a growth of its own: a leak grows in every one, what is looked up late in one of them. The
median is taken for all."""
ALLOCATION_GROWTH_MUST = 0.1 * (TO - FROM)
"""Most that the number of objects that Python holds may grow from the first of these frames to the last: one in ten frames.
What is looked up for the first time is kept (layouts of texts, colours), and that ends."""
RESIDENT_GROWTH_MUST = 2e3 * (TO - FROM)
"""Maximum growth of the process [bytes]: a buffer or texture that OpenGL is not told to free takes 2000 and more a frame."""
SCENES = 32
"""Different snapshots that are shown in turn."""


def measure_growth() -> list[Figure]:
    """Draw the frames in a process of its own; return how much memory grew."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(_measure).result()


def _measure() -> list[Figure]:
    model = load_model("talos")
    shown, context = EverythingShown(model), make_software_context()
    meshes = tuple(replace(mesh, faces=mesh.faces[:1]) for mesh in load_link_meshes(model))
    renderers = Renderer({"talos": meshes}), Renderer({})
    frames = StereoFrames(*renderers)
    with open_headset() as device:
        draw = _make_drawing(shown, frames, device)
        for number in range(FROM):
            draw(number)
            if number % COLLECT_EVERY == 0:
                gc.collect()
        resident, objects = _read_resident_memory(), [_count_objects()]
        for first in range(FROM, TO, WINDOW):
            for number in range(first, first + WINDOW):
                draw(number)
            objects.append(_count_objects())
        resident = _read_resident_memory() - resident
    frames.close()
    for renderer in renderers:
        renderer.close()
    context.close()
    grown = np.median(np.diff(objects)) * (TO - FROM) / WINDOW
    return [
        Figure("allocation_growth", float(grown), "objects", must=ALLOCATION_GROWTH_MUST),
        Figure("resident_growth", float(resident), "bytes", must=RESIDENT_GROWTH_MUST),
    ]


def _make_drawing(shown: EverythingShown, frames: StereoFrames, device: OpenXrDevice | None) -> Callable[[int], None]:
    snapshots = [shown.make_snapshot(number) for number in range(SCENES)]

    def draw(number: int) -> None:
        snapshot = snapshots[number % SCENES]
        if device is not None:
            device.read()
        view = shown.follow(shown.make_sample(number), snapshot)
        frames.load(shown.compose(snapshot, view, number))
        frames.draw(make_eyes(number))

    return draw


def _count_objects() -> int:
    """Return how many blocks of memory Python's objects hold."""
    gc.collect()
    return sys.getallocatedblocks()


def _read_resident_memory() -> int:
    """Return the memory that the process holds, Python's, OpenGL's and all [bytes]."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
