r"""A depth image and the pinhole it was taken through.

Optical axes: z forward, x right, y down. A pixel (column u, row v) sees along

.. math:: (x, y, 1), \qquad x = (u - c_x) / f_x, \; y = (v - c_y) / f_y,

and depth is the distance along z.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handhold.perception.errors import BadFrame

MAX_SIDE = 4096
"""Largest number of columns or rows of an image that is taken [pixels]."""

MAX_FOCAL_LENGTH = 20.0
"""Largest focal length that is taken, in widths of the image [-]: 3 deg from edge to edge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Intrinsics:
    """A rectified depth camera: a pinhole without distortion, and what its noise comes from.

    Attributes:
        width: Columns [pixels].
        height: Rows [pixels].
        fx: Focal length along a row [pixels].
        fy: Focal length along a column [pixels].
        cx: Column of the optical axis [pixels]; the middle of the first column is 0.
        cy: Row of the optical axis [pixels].
        baseline: Distance of the two imagers [m]; 0 where depth does not come from stereo, or it is not known.
    """

    width: int
    height: int
    fx: float
    fy: float
    cx: float
    cy: float
    baseline: float = 0.0

    def __post_init__(self) -> None:
        if not (0 < self.width <= MAX_SIDE and 0 < self.height <= MAX_SIDE):
            raise BadFrame(f"an image of {self.width} x {self.height} pixels", f"give 1 to {MAX_SIDE} columns and rows")
        lengths = (self.fx, self.fy, self.cx, self.cy, self.baseline)
        if not np.isfinite(lengths).all() or min(self.fx, self.fy) < 1.0 or self.baseline < 0.0:
            raise BadFrame(f"intrinsics with {lengths}", "give finite focal lengths of at least 1 pixel")
        if max(self.fx, self.fy) > MAX_FOCAL_LENGTH * self.width or not 0.5 < self.fx / self.fy < 2.0:
            raise BadFrame(
                f"focal lengths of {self.fx:g} and {self.fy:g} pixels for {self.width} x {self.height}",
                "give the intrinsics of this camera",
            )
        if not (-self.width < self.cx < 2 * self.width and -self.height < self.cy < 2 * self.height):
            raise BadFrame(
                f"an optical axis at ({self.cx:g}, {self.cy:g}) of {self.width} x {self.height} pixels",
                "give the intrinsics of this size of image",
            )


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class DepthFrame:
    """One image of a depth camera.

    Attributes:
        time: When it was exposed, by the clock of whoever takes frames [s].
        number: Counted by the camera; a gap is a lost frame.
        depth: Depth in units, shape ``(height, width)``, uint16; 0 where nothing was measured.
        unit: Of the depth [m].
        intrinsics: Of the depth image.
        color: Colour picture aligned with the depth image, shape ``(height, width, 3)``, uint8; None without one.
    """

    time: float
    number: int
    depth: np.ndarray
    unit: float
    intrinsics: Intrinsics
    color: np.ndarray | None = None

    def __post_init__(self) -> None:
        size = (self.intrinsics.height, self.intrinsics.width)
        if self.depth.dtype != np.uint16 or self.depth.shape != size:
            shape = " x ".join(str(length) for length in reversed(self.depth.shape))
            raise BadFrame(
                f"a depth image of {shape} pixels of {self.depth.dtype}, where the intrinsics are of {size[1]} x {size[0]}",
                "give 16 bits a pixel, and the intrinsics of this size of image",
            )
        if not 1e-6 <= self.unit <= 0.1:
            raise BadFrame(f"a depth unit of {self.unit} m", "give 1e-6 to 0.1 m; most cameras have 0.001")
        if not np.isfinite(self.time):
            raise BadFrame("a frame without a time", "give the time of its exposure")
        if self.color is not None and (self.color.dtype != np.uint8 or self.color.shape != (*size, 3)):
            raise BadFrame("a colour picture of another size than the depth image", "align it with the depth image")
