"""What a file of points without order shows: its planes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from handhold.perception.planes.cloud_planes import find_cloud_surfaces, read_points
from handhold.perception.surface import Surface

CLOUDS = (".ply", ".xyz")
"""How files of points end."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class CloudInspection:
    """A file of points with its planes.

    Attributes:
        file: The file.
        points: How many were read.
        surfaces: The planes, in the file's own axes.
        seconds: Time that finding them took [s].
    """

    file: Path
    points: int
    surfaces: tuple[Surface, ...]
    seconds: float

    def to_record(self) -> dict[str, Any]:
        """Return it as it is printed as JSON."""
        planes = [_describe(surface) for surface in self.surfaces]
        return {"cloud": str(self.file), "points": self.points, "milliseconds": 1e3 * self.seconds, "planes": planes}

    def summarize(self) -> str:
        """Return what it is in one line."""
        count = f"{len(self.surfaces)} plane{'' if len(self.surfaces) == 1 else 's'}"
        return f"cloud {self.file.name}: {count} in {self.points} points, {1e3 * self.seconds:.1f} ms"


def inspect_cloud(file: Path, clock: Callable[[], float]) -> CloudInspection:
    """Find the planes in a file of points, which are taken to be seen from its origin.

    Args:
        file: The file.
        clock: Any clock that only goes forwards [s]; open3d computes in several threads.

    Raises:
        BadCloud: It is not there, or has no points.
        ModuleNotFoundError: open3d or trimesh is not installed.
    """
    points = read_points(file)
    # loads the library, which is no part of what a cloud costs
    find_cloud_surfaces(np.zeros((0, 3)), np.zeros(3))
    start = clock()
    surfaces = find_cloud_surfaces(points, np.zeros(3))
    return CloudInspection(file=file, points=len(points), surfaces=surfaces, seconds=clock() - start)


def _describe(surface: Surface) -> dict[str, Any]:
    """Return the figures of a plane: normal, distance of the origin from it [m], area [m^2], part of it that was seen [-]."""
    normal = surface.pose[:3, 2]
    return {
        "normal": [round(float(each), 4) for each in normal],
        "distance": round(-float(normal @ surface.pose[:3, 3]), 4),
        "area": round(surface.area, 4),
        "corners": len(surface.boundary),
        "seen_ratio": round(surface.quality, 3),
    }
