"""Planes in points without order, from a lidar, another camera or a file: by open3d (extra ``[clouds]``).

Depth images have an order, in which ``PlaneFinder`` finds more, and sooner (``handhold bench planes``). Where there is none,
open3d's patches are taken [Araujo2020]_, and each gets the convex hull of its points: what it has of concavities and holes is
not known of it, and its quality says how much of the hull was seen.

.. [Araujo2020] A. Araujo, M. Oliveira, "A robust statistics approach for plane detection in unorganized point clouds", Pattern
   Recognition 100, 2020.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial import ConvexHull

from handhold.perception.errors import PerceptionError
from handhold.perception.surface import Surface

VOXEL = 0.02
"""Points are thinned out to one in a cube of this side [m]."""

NEIGHBOURS = 30
"""Points that a normal comes from."""

MAX_NORMAL_SPREAD = 20.0
"""How far the normals of a patch may differ [deg]."""

MIN_COPLANARITY = 80.0
"""How flat a patch must be at least [deg]: the angle between its normal and the lines between its points."""

OUTLIER_RATIO = 0.25
"""Part of a patch's points that may lie off it [-]."""

MIN_EDGE = 0.1
"""Least length of a patch [m]: less is no place for a hand."""

MIN_POINTS = 3 * NEIGHBOURS

MAX_COORDINATE = 1e3
"""How far from the origin a point may be [m]: what is further is none, or in another unit."""


class BadCloud(PerceptionError):
    """A file of points that is none, or has none."""

    def __init__(self, file: Path, reason: str) -> None:
        self.file = file
        super().__init__(f"{file}: {reason}; give a cloud of points in metres (.ply, .xyz)")


def read_points(file: Path) -> np.ndarray:
    """Read the points of a file, those within ``MAX_COORDINATE``, shape ``(k, 3)`` [m].

    By trimesh: open3d's readers crash on some damaged files.

    Raises:
        BadCloud: It is not there, damaged, or has no points.
        ModuleNotFoundError: trimesh is not installed.
    """
    import trimesh

    if not file.is_file():
        raise BadCloud(file, "no such file")
    try:
        points = np.asarray(trimesh.load(file, process=False).vertices, dtype=np.float64).reshape(-1, 3)
    except Exception as error:
        # whatever a reader of foreign bytes stumbles over
        raise BadCloud(file, f"it cannot be read ({type(error).__name__})") from None
    points = points[(np.abs(points) <= MAX_COORDINATE).all(axis=1)]
    if len(points) == 0:
        raise BadCloud(file, f"it has no points within {MAX_COORDINATE:.0f} m")
    return points


def find_cloud_surfaces(points: np.ndarray, viewpoint: np.ndarray, *, voxel: float = VOXEL) -> tuple[Surface, ...]:
    """Find planes in points, the largest first.

    Args:
        points: Shape ``(k, 3)`` [m].
        viewpoint: From where they were seen, which normals point to, shape ``(3,)`` [m].
        voxel: Points are thinned out to one in a cube of this side [m].

    Raises:
        ModuleNotFoundError: open3d is not installed.
    """
    import open3d as o3d

    cloud = o3d.geometry.PointCloud(o3d.utility.Vector3dVector(np.asarray(points, dtype=np.float64)))
    cloud = cloud.voxel_down_sample(voxel)
    if len(cloud.points) < MIN_POINTS:
        return ()
    search = o3d.geometry.KDTreeSearchParamKNN(NEIGHBOURS)
    cloud.estimate_normals(search)
    boxes = cloud.detect_planar_patches(
        normal_variance_threshold_deg=MAX_NORMAL_SPREAD,
        coplanarity_deg=MIN_COPLANARITY,
        outlier_ratio=OUTLIER_RATIO,
        min_plane_edge_length=MIN_EDGE,
        min_num_points=MIN_POINTS,
        search_param=search,
    )
    thinned = np.asarray(cloud.points)
    patches = [thinned[_thicken(box, voxel).get_point_indices_within_bounding_box(cloud.points)] for box in boxes]
    surfaces = [_make_surface(patch, viewpoint, voxel) for patch in patches if len(patch) >= MIN_POINTS]
    return tuple(sorted(surfaces, key=lambda surface: -surface.area))


def _thicken(box: Any, voxel: float) -> Any:
    """Return a patch's box with room for its points: open3d's is as thick as they differ, of exact ones nothing at all."""
    import open3d as o3d

    return o3d.geometry.OrientedBoundingBox(box.center, box.R, np.asarray(box.extent) + 0.5 * voxel)


def _make_surface(points: np.ndarray, viewpoint: np.ndarray, voxel: float) -> Surface:
    """Fit a plane to the points of a patch, and lay their hull into it."""
    middle = points.mean(axis=0)
    _, spread, axes = np.linalg.svd(points - middle, full_matrices=False)
    normal = axes[2] * np.sign(axes[2] @ (viewpoint - middle) or 1.0)
    pose: np.ndarray[Any, np.dtype[np.float64]] = np.eye(4)
    pose[:3, :3] = np.column_stack([np.cross(axes[1], normal), axes[1], normal])
    pose[:3, 3] = middle
    flat = (points - middle) @ pose[:3, :2]
    hull = ConvexHull(flat)
    rms = float(spread[2] / np.sqrt(len(points)))
    return Surface(
        pose=pose,
        boundary=flat[hull.vertices],
        area=float(hull.volume),
        quality=min(1.0, len(points) * voxel**2 / float(hull.volume)),
        age=0.0,
        offset_error=rms / np.sqrt(len(points)),
    )
