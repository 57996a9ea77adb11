"""What a file of points without order shows: its planes."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

from handhold.perception.planes.cloud_planes import find_cloud_surfaces, read_points
from handhold.perception.surface import Surface

CLOUDS = (".ply", ".xyz")
"""How files of points end."""


def inspect_cloud(file: Path) -> dict[str, Any]:
    """Find the planes in a file of points, which were seen from its origin; the record is that of ``Inspection``.

    Raises:
        BadCloud: It is not there, or has no points.
        ModuleNotFoundError: open3d or trimesh is not installed.
    """
    points = read_points(file)
    start = time.thread_time()
    surfaces = find_cloud_surfaces(points, np.zeros(3))
    seconds = time.thread_time() - start
    planes = [_describe(surface) for surface in surfaces]
    return {"camera": f"cloud {file.name}", "points": len(points), "milliseconds": 1e3 * seconds, "planes": planes}


def _describe(surface: Surface) -> dict[str, Any]:
    normal = surface.pose[:3, 2]
    return {
        "normal": [round(float(each), 4) for each in normal],
        "distance": round(-float(normal @ surface.pose[:3, 3]), 4),
        "area": round(surface.area, 4),
        "corners": len(surface.boundary),
        "seen_ratio": round(surface.quality, 3),
    }
