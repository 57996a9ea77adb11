"""What one image of a depth camera shows: its planes, and what finding them cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from handhold.perception.cameras.depth_camera import DepthCamera
from handhold.perception.cameras.depth_frame import DepthFrame
from handhold.perception.planes.boundary import Patch, find_boundaries
from handhold.perception.planes.plane import PlaneImage
from handhold.perception.planes.plane_finder import PlaneFinder

MAX_DEPTH = 6.0
"""Depth to which planes are looked for [m]."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Inspection:
    """An image with its planes.

    Attributes:
        camera: Name of the camera for people.
        frame: The image.
        image: Its planes.
        patches: Their boundaries, in the camera's optical axes.
        seconds: Time of the thread that found them [s].
    """

    camera: str
    frame: DepthFrame
    image: PlaneImage
    patches: tuple[Patch, ...]
    seconds: float

    @property
    def sigma(self) -> float | None:
        """Noise of the disparity [pixels]; None where the baseline is not known."""
        i = self.frame.intrinsics
        return self.image.sigma * i.fx * i.baseline if i.baseline else None

    def to_record(self) -> dict[str, Any]:
        """Return it as it is printed as JSON."""
        return {
            "camera": self.camera,
            "frame": self.frame.number,
            "time": self.frame.time,
            "sigma_px": self.sigma,
            "milliseconds": 1e3 * self.seconds,
            "planes": [describe_patch(patch) for patch in self.patches],
        }

    def summarize(self) -> str:
        """Return what it is in one line."""
        noise = f"noise {self.sigma:.2f} px, " if self.sigma is not None else ""
        count = f"{len(self.patches)} plane{'' if len(self.patches) == 1 else 's'}"
        return f"{self.camera}, image {self.frame.number}: {count}, {noise}{1e3 * self.seconds:.1f} ms"


def describe_patch(patch: Patch) -> dict[str, Any]:
    """Return the figures of a plane: normal and distance in the camera's optical axes [m], area [m^2]."""
    return {
        "normal": [round(float(each), 4) for each in patch.plane.normal],
        "distance": round(patch.plane.distance, 4),
        "area": round(compute_area(patch), 4),
        "corners": len(patch.boundary),
        "noise_ratio": round(patch.plane.noise_ratio, 3),
    }


def compute_area(patch: Patch) -> float:
    """Compute the area within a plane's boundary, its holes with it [m^2]."""
    x, y = patch.boundary.T
    return 0.5 * abs(float((x * np.roll(y, -1) - y * np.roll(x, -1)).sum()))


class Inspector:
    """Finds planes in the images of one camera."""

    def __init__(self, camera: DepthCamera, clock: Callable[[], float]) -> None:
        """Find nothing yet.

        Args:
            camera: Whose images they are.
            clock: What finding planes is timed by, such as that of the thread [s].
        """
        self._camera, self._clock = camera, clock
        self._finder = PlaneFinder(camera.intrinsics)
        self._is_compiled = False

    def inspect(self, frame: DepthFrame) -> Inspection:
        """Find the planes of an image; a camera that came back with another size is taken as it is."""
        if frame.intrinsics != self._finder.intrinsics:
            self._finder = PlaneFinder(frame.intrinsics)
        if not self._is_compiled:
            # no part of what an image costs
            find_boundaries(self._finder.find(frame), MAX_DEPTH)
            self._is_compiled = True
        start = self._clock()
        image = self._finder.find(frame)
        patches = find_boundaries(image, MAX_DEPTH)
        seconds = self._clock() - start
        return Inspection(camera=self._camera.title, frame=frame, image=image, patches=patches, seconds=seconds)
