r"""Depth images of triangles, drawn by the processor.

Inverse depth is linear over the image of a plane, :math:`1/Z = A x + B y + C`, so that a triangle is three edges and one
linear function: no perspective correction is needed, and the nearest surface is the one with the greatest inverse depth.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from handhold.perception.cameras.depth_frame import Intrinsics

NEAR = 0.1
"""Distance before which nothing is drawn [m]: what is nearer to a camera than this is inside it."""

NOTHING = -1
"""Face of a pixel that sees nothing."""


class Rasteriser:
    """Draws triangles into an image of inverse depth.

    Attributes:
        inverse_depth: As last drawn, shape ``(height, width)``, float32 [1/m]; 0 where nothing is seen (view).
        faces: Number of the face that each pixel sees, shape ``(height, width)``, int32; ``NOTHING`` for none (view).
    """

    def __init__(self, intrinsics: Intrinsics) -> None:
        self.intrinsics = intrinsics
        self.inverse_depth = np.zeros((intrinsics.height, intrinsics.width), dtype=np.float32)
        self.faces = np.full((intrinsics.height, intrinsics.width), NOTHING, dtype=np.int32)

    def clear(self) -> None:
        """Begin a new image."""
        self.inverse_depth[:] = 0.0
        self.faces[:] = NOTHING

    def draw(self, triangles: np.ndarray, faces: np.ndarray) -> None:
        """Draw triangles over what is there; nearer ones hide what is behind them.

        Args:
            triangles: Corners in the camera's optical frame, shape ``(triangles, 3, 3)`` [m]; seen from both sides.
            faces: Number of the face that each belongs to, shape ``(triangles,)``.
        """
        i = self.intrinsics
        _draw(
            np.ascontiguousarray(triangles, dtype=np.float64),
            np.ascontiguousarray(faces, dtype=np.int32),
            np.array([i.fx, i.fy, i.cx, i.cy]),
            self.inverse_depth,
            self.faces,
        )


@njit(cache=True)
def _draw(triangles: np.ndarray, faces: np.ndarray, pinhole: np.ndarray, inverse_depth: np.ndarray, seen: np.ndarray) -> None:
    polygon = np.empty((4, 3))
    for t in range(len(triangles)):
        corners = clip_near(triangles[t], polygon)
        for k in range(1, corners - 1):
            draw_triangle(polygon[0], polygon[k], polygon[k + 1], faces[t], pinhole, inverse_depth, seen)


@njit(cache=True)
def clip_near(triangle: np.ndarray, polygon: np.ndarray) -> int:
    """Write what is beyond the near plane of a triangle as a polygon, shape ``(4, 3)``; returns its corners, 0, 3 or 4."""
    count = 0
    for k in range(3):
        a, b = triangle[k], triangle[(k + 1) % 3]
        if a[2] >= NEAR:
            polygon[count] = a
            count += 1
        if (a[2] >= NEAR) != (b[2] >= NEAR):
            s = (NEAR - a[2]) / (b[2] - a[2])
            polygon[count] = a + s * (b - a)
            count += 1
    return count


@njit(cache=True)
def draw_triangle(
    a: np.ndarray, b: np.ndarray, c: np.ndarray, face: int, pinhole: np.ndarray, inverse_depth: np.ndarray, seen: np.ndarray
) -> None:
    """Draw one triangle, all of which is beyond the near plane, over what is there.

    Args:
        a: Corner in the camera's optical frame, shape ``(3,)`` [m].
        b: The same.
        c: The same.
        face: Its number.
        pinhole: ``fx, fy, cx, cy`` [pixels].
        inverse_depth: Drawn into, shape ``(height, width)``, float32 [1/m].
        seen: Faces, drawn into, shape ``(height, width)``, int32.
    """
    fx, fy, cx, cy = pinhole
    wa, wb, wc = 1.0 / a[2], 1.0 / b[2], 1.0 / c[2]
    ua, va = fx * a[0] * wa + cx, fy * a[1] * wa + cy
    ub, vb = fx * b[0] * wb + cx, fy * b[1] * wb + cy
    uc, vc = fx * c[0] * wc + cx, fy * c[1] * wc + cy
    area = (ub - ua) * (vc - va) - (uc - ua) * (vb - va)
    if abs(area) < 1e-12:
        return
    # 1/Z as a linear function of the pixel
    du = ((wb - wa) * (vc - va) - (wc - wa) * (vb - va)) / area
    dv = ((wc - wa) * (ub - ua) - (wb - wa) * (uc - ua)) / area
    height, width = inverse_depth.shape
    first, last = max(0, int(np.ceil(min(va, vb, vc)))), min(height - 1, int(np.floor(max(va, vb, vc))))
    for row in range(first, last + 1):
        left, right = np.inf, -np.inf
        for u0, v0, u1, v1 in ((ua, va, ub, vb), (ub, vb, uc, vc), (uc, vc, ua, va)):
            if min(v0, v1) <= row <= max(v0, v1):
                if v0 == v1:
                    left, right = min(left, u0, u1), max(right, u0, u1)
                else:
                    u = u0 + (u1 - u0) * (row - v0) / (v1 - v0)
                    left, right = min(left, u), max(right, u)
        if not left <= right:
            continue
        start, end = max(0, int(np.ceil(left))), min(width - 1, int(np.floor(right)))
        w = wa + dv * (row - va) + du * (start - ua)
        for column in range(start, end + 1):
            if w > inverse_depth[row, column]:
                inverse_depth[row, column] = w
                seen[row, column] = face
            w += du
