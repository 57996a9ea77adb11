r"""A robot's own body taken out of a depth image, by what its kinematics say of where it is.

Every convex shape of the body is grown by a margin. Where a ray enters it at the depth :math:`Z_f` and leaves it at
:math:`Z_b`, what is measured between the two,

.. math:: Z_f \le Z \le Z_b ,

may be the body, though joints and mounting are a little off, and is dropped. What is nearer is in front of the body, and what
is further was seen past it; of the latter only what no neighbour sees as well is dropped, because at the edge of something
nearer a stereo camera measures depths between both. So the surroundings lose what lies within the margin of the body: about
a hand that leans on a wall a rim, wider than the margin by what the hand is round (a ball of radius r that touches a wall
hides :math:`\sqrt{2 r m + m^2}` about the touching point); and not the wall beside an arm that passes before it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numba import njit

from handhold.perception.cameras.depth_frame import DepthFrame, Intrinsics
from handhold.perception.errors import BadFrame
from handhold.perception.simulation.bodies import Bodies
from handhold.perception.simulation.hulls import grow
from handhold.perception.simulation.rasteriser import clip_near, draw_triangle
from handhold.perception.simulation.triangles import Triangles

MARGIN = 0.04
"""Margin about the body [m]: what a hand is displaced by where all joints are half a degree off, and the mounting one."""

BLOCK = 4
"""Pixels a side of the blocks that the body is drawn in: its margin is many of them wide."""

ALIKE = 0.03
"""Difference of inverse depth within which two pixels see the same surface [1/m]: somewhat more than a pixel's disparity."""

LEAST_ALIKE = 2
"""Of the four pixels next to one that sees past the body, those that have to see as far: else it flies off the body's edge."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class MaskedFrame:
    """A depth image without the robot's own body.

    Attributes:
        frame: The image with zeros where the body may be; all else is the same.
        pixels: Measured pixels that were dropped.
    """

    frame: DepthFrame
    pixels: int


class BodyMask:
    """Takes a robot's own body out of depth images."""

    def __init__(self, intrinsics: Intrinsics, bodies: tuple[Triangles, ...], *, margin: float = MARGIN) -> None:
        """Grow the body.

        Args:
            intrinsics: Of the images.
            bodies: Convex shapes of the body, each in a frame of its own.
            margin: About them [m].

        Raises:
            FlatBody: A shape encloses nothing.
        """
        self._intrinsics = intrinsics
        self._bodies = Bodies(tuple(grow(body, margin) for body in bodies))
        size = (-(-intrinsics.height // BLOCK), -(-intrinsics.width // BLOCK))
        self._front, self._back = np.zeros(size, dtype=np.float32), np.zeros(size, dtype=np.float32)
        self._faces, self._past = np.zeros(size, dtype=np.int32), np.zeros(size, dtype=np.bool_)

    def apply(self, frame: DepthFrame, camera_pose: np.ndarray, body_poses: np.ndarray) -> MaskedFrame:
        """Return a frame without the body.

        Args:
            frame: As it was seen.
            camera_pose: Optical frame of the camera when it was exposed, shape ``(4, 4)``.
            body_poses: Poses of the shapes at that time, in the same frame as the camera's, shape ``(bodies, 4, 4)``.

        Raises:
            BadFrame: The frame has other intrinsics than the mask.
        """
        i = self._intrinsics
        if frame.intrinsics != i:
            raise BadFrame("a frame of another camera than the one whose robot is to be masked", "make a mask for this camera")
        depth = frame.depth.copy()
        corners = self._bodies.place(camera_pose, body_poses)
        # The middle of a block of pixels is half a block less half a pixel after the middle of its first one.
        middle = 0.5 * (BLOCK - 1)
        pinhole = np.array([i.fx, i.fy, i.cx - middle, i.cy - middle]) / BLOCK
        images = (self._front, self._back, self._faces, self._past)
        pixels = _mask(corners, self._bodies.owners, pinhole, frame.unit, images, frame.depth, depth)
        return MaskedFrame(frame=replace(frame, depth=depth), pixels=pixels)


@njit(cache=True)
def _mask(
    corners: np.ndarray,
    owners: np.ndarray,
    pinhole: np.ndarray,
    unit: float,
    images: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    seen: np.ndarray,
    depth: np.ndarray,
) -> int:
    """Set the depth of all pixels to 0 that may see the body, and return how many had one."""
    front, back, faces, past = images
    past[:] = False
    dropped = 0
    first = 0
    while first < len(corners):
        end = first
        while end < len(corners) and owners[end] == owners[first]:
            end += 1
        bounds = _draw_both_sides(corners[first:end], pinhole, (front, back), faces)
        dropped += _drop((front, back, past), bounds, unit, depth)
        first = end
    return dropped + _drop_flying(past, unit, seen, depth)


@njit(cache=True)
def _draw_both_sides(
    corners: np.ndarray, pinhole: np.ndarray, sides: tuple[np.ndarray, np.ndarray], faces: np.ndarray
) -> tuple[int, int, int, int]:
    """Draw the inverse depth at which rays enter and leave a convex body; return the rows and columns that it is within.

    Every ray that passes through a convex body sees one face from within, where it leaves, and one from without, where it
    enters; none of the latter where the camera, or what is nearer than anything is drawn, is within the body.
    """
    front, back = sides
    fx, fy, cx, cy = pinhole
    left, right, top, bottom = np.inf, -np.inf, np.inf, -np.inf
    polygon = np.empty((4, 3))
    for t in range(len(corners)):
        a, b, c = corners[t]
        # Corners that are counter-clockwise from outside enclose a positive volume with a camera behind their face.
        volume = a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])
        side = back if volume > 0.0 else front
        count = clip_near(corners[t], polygon)
        for k in range(count):
            u, v = fx * polygon[k, 0] / polygon[k, 2] + cx, fy * polygon[k, 1] / polygon[k, 2] + cy
            left, right, top, bottom = min(left, u), max(right, u), min(top, v), max(bottom, v)
        for k in range(1, count - 1):
            draw_triangle(polygon[0], polygon[k], polygon[k + 1], t, pinhole, side, faces)
    if not left <= right:
        return 0, -1, 0, -1
    height, width = front.shape
    first_row, last_row = max(0, int(max(top, 0.0))), int(min(bottom, height - 1.0))
    return first_row, last_row, int(max(left, 0.0)), int(min(right, width - 1.0))


@njit(cache=True)
def _drop(
    images: tuple[np.ndarray, np.ndarray, np.ndarray], bounds: tuple[int, int, int, int], unit: float, depth: np.ndarray
) -> int:
    """Drop the pixels that may see a body, clear what was drawn of it, and return how many were dropped.

    Args:
        images: Inverse depth where rays enter it and leave it, and filled: whether a block has pixels that see past it.
        bounds: First and last row and column of blocks that it is within.
        unit: Of the depth [m].
        depth: Changed.
    """
    front, back, past = images
    top, bottom, left, right = bounds
    height, width = depth.shape
    dropped = 0
    for i in range(top, bottom + 1):
        for j in range(left, right + 1):
            leaves, enters = unit * back[i, j], unit * front[i, j]
            back[i, j] = 0.0
            front[i, j] = 0.0
            if leaves <= 0.0:
                continue
            for row in range(BLOCK * i, min(BLOCK * i + BLOCK, height)):
                for column in range(BLOCK * j, min(BLOCK * j + BLOCK, width)):
                    z = np.float64(depth[row, column])
                    if z * leaves > 1.0:
                        past[i, j] = True
                    elif z > 0.0 and (enters <= 0.0 or z * enters >= 1.0):
                        depth[row, column] = 0
                        dropped += 1
    return dropped


@njit(cache=True)
def _drop_flying(past: np.ndarray, unit: float, seen: np.ndarray, depth: np.ndarray) -> int:
    """Drop what is seen past the body by hardly a neighbour as well, and return how many pixels that were."""
    height, width = depth.shape
    dropped = 0
    for i in range(past.shape[0]):
        for j in range(past.shape[1]):
            if not past[i, j]:
                continue
            for row in range(BLOCK * i, min(BLOCK * i + BLOCK, height)):
                for column in range(BLOCK * j, min(BLOCK * j + BLOCK, width)):
                    if depth[row, column] > 0 and not _is_supported(seen, row, column, unit):
                        depth[row, column] = 0
                        dropped += 1
    return dropped


@njit(cache=True)
def _is_supported(seen: np.ndarray, row: int, column: int, unit: float) -> bool:
    """Tell whether enough of the pixels next to one see about as far."""
    height, width = seen.shape
    z = np.float64(seen[row, column])
    # The difference of two inverse depths, times both depths.
    within = ALIKE * unit * z
    count = 0
    for i, j in ((row, column - 1), (row, column + 1), (row - 1, column), (row + 1, column)):
        if 0 <= i < height and 0 <= j < width:
            other = np.float64(seen[i, j])
            if abs(other - z) < within * other:
                count += 1
                if count == LEAST_ALIKE:
                    return True
    return False
