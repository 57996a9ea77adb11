"""``bench planes``: what the planes of a depth image cost, and how right they are in random rooms."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from PIL import Image, ImageDraw

from handhold.app.lab.benches.depth_rooms import D455, DepthRoom, draw_depth_rooms
from handhold.app.lab.benches.timing import KernelClock, Stopwatch
from handhold.app.lab.figures import Figure, Outcome
from handhold.app.session.commit import current_commit
from handhold.perception.cameras.depth_frame import DepthFrame
from handhold.perception.planes.boundary import Patch, find_boundaries
from handhold.perception.planes.plane_finder import PlaneFinder

ROOMS = 200

MAX_DEPTH = 6.0
"""Depth to which boundaries reach [m]."""

MIN_PIXELS, WITHIN = 8000, 2.0
"""Pixels of a face nearer than this [m] from which it is to be found."""

GOOD_SIGMA = 0.15
"""Noise of the disparity up to which normals and offsets count [pixels]."""

MIN_OVERLAP = 0.5
"""Intersection over union from which a plane is said to be a face [-]."""

ONE_FACE = 0.5
"""Part of a plane's pixels that see one face for it to be of that face, and not of nothing that there is [-]."""


@dataclass(slots=True)
class Tally:
    """What became of the faces of all rooms.

    Attributes:
        faces: How many there were to find.
        found: How many were.
        frames: How many images there were.
        spurious: How many planes are no face.
        normal_errors: Of the faces found with good noise [deg].
        offset_errors: Likewise, at the middle of what is seen of the face [m].
        overlaps: Intersection over union of boundary and face, in the image [-].
    """

    faces: int = 0
    found: int = 0
    frames: int = 0
    spurious: int = 0
    normal_errors: list[float] = field(default_factory=list)
    offset_errors: list[float] = field(default_factory=list)
    overlaps: list[float] = field(default_factory=list)

    def add(self, room: DepthRoom, patches: tuple[Patch, ...]) -> None:
        """Compare what was found in a room with what there is."""
        self.frames += 1
        masks = [draw_patch(patch, room) for patch in patches]
        self.spurious += sum(not _is_a_face(mask, patch, room) for mask, patch in zip(masks, patches, strict=True))
        counts = np.bincount(room.faces[room.ranges < WITHIN].ravel(), minlength=len(room.normals) + 1)
        for face in np.flatnonzero(counts[1:] >= MIN_PIXELS) + 1:
            self.faces += 1
            self._add_face(room, int(face), patches, masks)

    def _add_face(self, room: DepthRoom, face: int, patches: tuple[Patch, ...], masks: list[np.ndarray]) -> None:
        there = room.faces == face
        overlaps = [float((mask & there).sum() / (mask | there).sum()) for mask in masks]
        best = int(np.argmax(overlaps)) if overlaps else -1
        if best < 0 or overlaps[best] < MIN_OVERLAP:
            return
        self.found += 1
        self.overlaps.append(overlaps[best])
        if room.sigma <= GOOD_SIGMA:
            normal, offset = measure_errors(room, face, patches[best])
            self.normal_errors.append(normal)
            self.offset_errors.append(offset)

    def to_figures(self) -> list[Figure]:
        """Return the figures; of errors the 95th percentile, and the median beside it."""
        return [
            Figure("faces_found", 100.0 * self.found / max(1, self.faces), "%", must=97.0, larger_is_better=True),
            Figure("normal_error", _percentile(self.normal_errors, 95), "deg", must=0.5),
            Figure("normal_error_median", _percentile(self.normal_errors, 50), "deg"),
            Figure("offset_error", _percentile(self.offset_errors, 95), "m", must=0.005),
            Figure("offset_error_median", _percentile(self.offset_errors, 50), "m"),
            Figure("spurious", self.spurious / max(1, self.frames), "-", must=0.5),
            Figure("overlap", float(np.mean(self.overlaps or [np.nan])), "-", must=0.9, larger_is_better=True),
            Figure("overlap_p05", _percentile(self.overlaps, 5), "-", larger_is_better=True),
            Figure("faces", float(self.faces), "-"),
        ]


def run_plane_bench(rooms: int = ROOMS) -> Outcome:
    """Find the planes of random rooms; times in kernels, errors against the faces that each pixel sees."""
    finder, kernel, times, tally = PlaneFinder(D455), KernelClock(), Stopwatch(), Tally()
    for number, room in enumerate(draw_depth_rooms(rooms)):
        if number == 0:  # compiles
            find_boundaries(finder.find(room.frame), MAX_DEPTH)
        patches = find_timed(finder, room.frame, times)
        kernel.tick()
        tally.add(room, patches)
    costs = [
        Figure(f"{stage}_kernels", float(np.percentile(times.stages[stage], 95)) / 1e3 / kernel.microseconds, "-", 30.0, 16.0)
        for stage in ("extraction", "boundaries")
    ]
    medians = [
        Figure(f"{stage}_kernels_median", float(np.median(times.stages[stage])) / 1e3 / kernel.microseconds, "-")
        for stage in ("extraction", "boundaries")
    ]
    return Outcome(
        name="planes",
        robot=None,
        engine=None,
        seed=0,
        commit=current_commit(),
        duration_s=0.0,
        fell=None,
        figures=[*costs, *medians, *tally.to_figures(), Figure("kernel", kernel.microseconds, "us")],
    )


def find_timed(finder: PlaneFinder, frame: DepthFrame, times: Stopwatch) -> tuple[Patch, ...]:
    """Find the planes of a depth image and their boundaries, and mark what each takes."""
    times.start()
    image = finder.find(frame)
    times.mark("extraction")
    patches = find_boundaries(image, MAX_DEPTH)
    times.mark("boundaries")
    return patches


def measure_errors(room: DepthRoom, face: int, patch: Patch) -> tuple[float, float]:
    """Return the angle between a patch's normal and a face's [deg], and its distance from the face in its middle [m]."""
    normal = room.normals[face - 1]
    angle = np.degrees(np.arccos(np.clip(normal @ patch.plane.normal, -1.0, 1.0)))
    i = room.frame.intrinsics
    rows, columns = np.nonzero(room.faces == face)
    depth = room.ranges[rows, columns]
    middle = np.array([np.mean(depth * (columns - i.cx) / i.fx), np.mean(depth * (rows - i.cy) / i.fy), np.mean(depth)])
    return float(angle), abs(float(patch.plane.normal @ middle) + patch.plane.distance)


def draw_patch(patch: Patch, room: DepthRoom) -> np.ndarray:
    """Return which pixels see a patch by its boundary and its holes, shape as the image's."""
    i = room.frame.intrinsics
    image = Image.new("1", (i.width, i.height))
    draw = ImageDraw.Draw(image)
    for polygon, value in ((patch.boundary, 1), *((hole, 0) for hole in patch.holes)):
        points = patch.pose[:3, 3] + polygon @ patch.pose[:3, :2].T
        pixels = points[:, :2] / points[:, 2:] * [i.fx, i.fy] + [i.cx, i.cy]
        draw.polygon([tuple(pixel) for pixel in pixels.tolist()], fill=value)
    return np.array(image)


def _is_a_face(mask: np.ndarray, patch: Patch, room: DepthRoom) -> bool:
    """Whether most of a patch sees one face, in whose plane it lies."""
    counts = np.bincount(room.faces[mask], minlength=len(room.normals) + 1)[1:]
    if not counts.size or counts.max() < ONE_FACE * mask.sum():
        return False
    return bool(room.normals[int(np.argmax(counts))] @ patch.plane.normal > np.cos(np.radians(5.0)))


def _percentile(values: list[float], percent: float) -> float:
    return float(np.percentile(values, percent)) if values else float("nan")
