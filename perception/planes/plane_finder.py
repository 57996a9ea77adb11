"""Finds the planes of a depth image."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handhold.perception.cameras.depth_frame import DepthFrame, Intrinsics
from handhold.perception.planes.cells import allocate_cells, estimate_noise, invert_depth, sum_cells
from handhold.perception.planes.growth import MAX_REGIONS, grow_regions, join_regions
from handhold.perception.planes.labels import label_samples, split_patches, sum_patches
from handhold.perception.planes.moments import SUMS, fit_plane
from handhold.perception.planes.noise import RIPPLE, Noise, square_noise
from handhold.perception.planes.plane import Plane, PlaneImage

MAX_SIGMA = 0.03
"""Noise of inverse depth that is believed at most [1/m]: above it is no surface at all; a D455 has 0.02 at half a pixel."""

MIN_MEASURED = 50
"""Samples away from any crease that a plane is fitted to at least."""

_ROUNDING = 1.0 / np.sqrt(12.0)
"""Standard deviation of a rounded number, in its unit [-]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaneFinderParameters:
    """How planes are looked for; what each does is on the tuning page.

    Attributes:
        stride: Pixels from one sample to the next.
        max_depth: Depth beyond which nothing is looked at [m].
        min_pixels: Pixels of a patch at least.
        ripple: How far a flat surface is bent by the camera, as a part of its distance [-].
        max_noise_ratio: Residuals of a patch at most, in standard deviations of the noise [-]: what has more is not flat.
    """

    stride: int = 2
    max_depth: float = 6.0
    min_pixels: int = 1200
    ripple: float = RIPPLE
    max_noise_ratio: float = 1.6


class PlaneFinder:
    """Finds planes in the images of one camera; keeps the arrays that it works in."""

    def __init__(self, intrinsics: Intrinsics, parameters: PlaneFinderParameters | None = None) -> None:
        self.intrinsics, self._parameters = intrinsics, parameters or PlaneFinderParameters()
        stride = self._parameters.stride
        self._x = (np.arange(0, intrinsics.width, stride) - intrinsics.cx) / intrinsics.fx
        self._y = (np.arange(0, intrinsics.height, stride) - intrinsics.cy) / intrinsics.fy
        size = len(self._y), len(self._x)
        self._inverse = np.zeros(size, dtype=np.float32)
        self._sums, self._residuals, self._full = allocate_cells(*size)
        self._regions = np.empty(self._full.shape, dtype=np.int32)
        self._region_sums = np.empty((MAX_REGIONS, SUMS))

    def find(self, frame: DepthFrame) -> PlaneImage:
        """Find the planes of an image of this camera."""
        invert_depth(frame.depth, frame.unit, self._parameters.max_depth, self._parameters.stride, self._inverse)
        sum_cells(self._inverse, self._x, self._y, self._sums, self._residuals)
        rounding = _ROUNDING * frame.unit
        sigma = min(MAX_SIGMA, estimate_noise(self._sums, self._residuals, self._full, rounding))
        noise = Noise(sigma, rounding, self._parameters.ripple)
        planes = self._find_regions(noise)
        inverse, labels = self._inverse.copy(), np.empty(self._inverse.shape, dtype=np.int32)
        label_samples(self._inverse, self._x, self._y, self._sums, self._full, self._regions, planes, noise, labels)
        count = split_patches(labels, self._parameters.min_pixels // self._parameters.stride**2)
        found = self._fit_patches(labels, count, noise)
        return PlaneImage(planes=found, inverse=inverse, labels=labels, x=self._x, y=self._y, sigma=sigma)

    def _find_regions(self, noise: Noise) -> np.ndarray:
        """Grow and join regions; returns the planes of all, shape ``(regions, 3)``."""
        count = grow_regions(self._sums, self._full, noise, self._regions, self._region_sums)
        join_regions(self._regions, self._region_sums, count, noise)
        planes = np.zeros((count, 3))
        for k in range(count):
            fit_plane(self._region_sums[k], planes[k])
        return planes

    def _fit_patches(self, labels: np.ndarray, count: int, noise: Noise) -> tuple[Plane, ...]:
        sums = np.empty((count, SUMS))
        sum_patches(self._inverse, self._x, self._y, labels, sums)
        # what lies wholly along a crease was measured nowhere else
        enough = np.flatnonzero(sums[:, 0] >= MIN_MEASURED).tolist()
        planes = [_describe(sums[k], k + 1, noise) for k in enough if self._is_flat(sums[k], noise)]
        return tuple(sorted(planes, key=lambda plane: -plane.samples))

    def _is_flat(self, sums: np.ndarray, noise: Noise) -> bool:
        """Whether what is left of a patch beside its plane is noise and ripple."""
        square, w = fit_plane(sums, np.zeros(3)), sums[3] / sums[0]
        return bool(square <= self._parameters.max_noise_ratio**2 * square_noise(w, noise) + (noise.ripple * w) ** 2)


def _describe(sums: np.ndarray, label: int, noise: Noise) -> Plane:
    coefficients = np.zeros(3)
    square = fit_plane(sums, coefficients)
    n, sx, sy, sw, sxx, sxy, syy = sums[:7]
    variance = square_noise(sw / n, noise)
    information = np.array([[sxx, sxy, sx], [sxy, syy, sy], [sx, sy, n]])
    return Plane(
        coefficients=coefficients,
        covariance=variance * np.linalg.pinv(information),
        label=label,
        samples=int(n),
        noise_ratio=float(np.sqrt(square / variance)),
    )
