"""Coloured points that cameras have measured, for people to look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from handhold.perception.cameras.depth_frame import DepthFrame

MAX_POINTS = 30_000
"""Points of all cameras together at most: what a browser and a headset draw within their frames, and 0.45 MB on a link."""

MAX_DEPTH = 5.0
"""Depth up to which points are shown [m]: beyond, the noise of a D455 is centimetres."""

_NEAR, _FAR = np.array([255.0, 190.0, 60.0]), np.array([40.0, 70.0, 160.0])


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class PointCloud:
    """Points in world.

    Attributes:
        time: When the oldest of them were exposed, by the host's clock [s].
        positions: Shape ``(k, 3)``, float32 [m].
        colors: Red, green, blue, shape ``(k, 3)``, uint8 (sRGB).
    """

    time: float
    positions: np.ndarray
    colors: np.ndarray


def make_point_cloud(frame: DepthFrame, camera_pose: np.ndarray, max_points: int) -> PointCloud:
    """Take points of a frame, every so many pixels along rows and columns.

    Args:
        frame: Depth, and colour where the camera has it; without it points are coloured by their depth.
        camera_pose: Pose of the optical axes in world, shape ``(4, 4)``.
        max_points: How many at most.
    """
    pinhole = frame.intrinsics
    step = int(np.ceil(np.sqrt(pinhole.width * pinhole.height / max_points)))
    rows, columns = np.mgrid[step // 2 : pinhole.height : step, step // 2 : pinhole.width : step]
    depth = frame.depth[rows, columns] * frame.unit
    seen = (depth > 0.0) & (depth < MAX_DEPTH)
    rows, columns, z = rows[seen], columns[seen], depth[seen]
    local = np.column_stack([(columns - pinhole.cx) / pinhole.fx * z, (rows - pinhole.cy) / pinhole.fy * z, z])
    positions = (local @ camera_pose[:3, :3].T + camera_pose[:3, 3]).astype(np.float32)
    colors = _color_by_depth(z) if frame.color is None else frame.color[rows, columns]
    return PointCloud(time=frame.time, positions=positions[:max_points], colors=colors[:max_points])


def merge_clouds(clouds: Sequence[PointCloud]) -> PointCloud:
    """Merge clouds, at least one; the whole is as old as its oldest points."""
    return PointCloud(
        time=min(cloud.time for cloud in clouds),
        positions=np.concatenate([cloud.positions for cloud in clouds]),
        colors=np.concatenate([cloud.colors for cloud in clouds]),
    )


def find_cloud_fault(cloud: PointCloud) -> str:
    """Find what is wrong with a cloud that came from elsewhere, in words; empty for nothing."""
    shape = cloud.positions.shape
    if cloud.positions.dtype != np.float32 or len(shape) != 2 or shape[1] != 3 or shape[0] > MAX_POINTS:
        return "a cloud's positions are no list of points"
    if cloud.colors.dtype != np.uint8 or cloud.colors.shape != shape:
        return "a cloud has other colours than points"
    if not (np.isfinite(cloud.positions).all() and np.isfinite(cloud.time)):
        return "a cloud has a number in it that is none"
    return ""


def _color_by_depth(depth: np.ndarray) -> np.ndarray:
    ratio = np.clip(depth / MAX_DEPTH, 0.0, 1.0)[:, None]
    return np.asarray(np.round((1.0 - ratio) * _NEAR + ratio * _FAR).astype(np.uint8))
