r"""What a stereo camera makes of what is there.

A matcher finds disparity, :math:`d = f B / Z`, with an error that does not depend on distance and in fixed steps, so that

.. math:: \hat d = q \, \mathrm{round}((d + s \, n) / q), \quad n \sim N(0, 1), \qquad \sigma_Z = Z^2 s / (f B) .

It finds none where only one of the two imagers sees the surface, which is a strip beside whatever is nearer, and none nearer
than its greatest disparity; at the edge of what is nearer some pixels get a depth between both surfaces.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from handhold.perception.cameras.depth_frame import Intrinsics
from handhold.perception.errors import PerceptionError

UNIT = 1e-3
"""Depth unit of the images [m], as the cameras have it unless told otherwise."""

MAX_DEPTH = 65535 * UNIT


@dataclass(frozen=True, slots=True, kw_only=True)
class StereoNoise:
    """How good a stereo camera is; the defaults are a good D455.

    Attributes:
        sigma: Standard deviation of the disparity [pixels]: 0.05 to 0.08 good, 0.25 bad.
        step: Of the disparity [pixels].
        max_disparity: Greatest disparity that is looked for [pixels].
        holes: Part of all pixels that have no match besides [-].
        flying: Part of the pixels at the edge of something nearer that get a depth between both [-].
    """

    sigma: float = 0.08
    step: float = 1.0 / 32.0
    max_disparity: float = 126.0
    holes: float = 0.01
    flying: float = 0.5

    def apply(self, inverse_depth: np.ndarray, intrinsics: Intrinsics, random: np.random.Generator) -> np.ndarray:
        """Return the depth image of an ideal image.

        Args:
            inverse_depth: As ``Rasteriser`` draws it, shape ``(height, width)`` [1/m].
            intrinsics: Of the camera; its baseline counts.
            random: What the noise is drawn from.

        Returns:
            Depth in ``UNIT``, shape ``(height, width)``, uint16; 0 where nothing is measured.

        Raises:
            PerceptionError: The camera has no baseline.
        """
        if intrinsics.baseline <= 0.0:
            raise PerceptionError("a stereo camera needs a baseline: give its intrinsics one")
        normal = random.standard_normal(inverse_depth.shape, dtype=np.float32)
        chance = random.random(inverse_depth.shape, dtype=np.float32)
        depth = np.empty(inverse_depth.shape, dtype=np.uint16)
        scale = intrinsics.fx * intrinsics.baseline
        _match(inverse_depth, normal, chance, scale, *self._numbers, depth)
        return depth

    @property
    def _numbers(self) -> tuple[float, float, float, float, float]:
        return self.sigma, self.step, self.max_disparity, self.holes, self.flying


@njit(cache=True)
def _match(
    inverse_depth: np.ndarray,
    normal: np.ndarray,
    chance: np.ndarray,
    scale: float,
    sigma: float,
    step: float,
    max_disparity: float,
    holes: float,
    flying: float,
    depth: np.ndarray,
) -> None:
    height, width = inverse_depth.shape
    for row in range(height):
        # Columns of the other image that something nearer covers, from the right.
        covered = np.inf
        nearer = np.float32(0.0)
        for column in range(width - 1, -1, -1):
            w = inverse_depth[row, column]
            disparity = scale * w
            is_hidden = column - disparity > covered + 0.5
            covered = min(covered, column - disparity)
            if w <= 0.0 or is_hidden or disparity > max_disparity or chance[row, column] < holes:
                depth[row, column] = 0
                nearer = max(w, np.float32(0.0))
                continue
            at_edge = nearer > 0.0 and abs(nearer - w) * scale > 1.0
            nearer = w
            if at_edge and normal[row, column] > 0.0 and chance[row, column] < holes + flying * (1.0 - holes):
                s = (chance[row, column] - holes) / (flying * (1.0 - holes))
                disparity += s * (scale * inverse_depth[row, column + 1] - disparity)
            disparity = step * np.rint((disparity + sigma * normal[row, column]) / step)
            z = scale / disparity / UNIT if disparity > 0.0 else 0.0
            depth[row, column] = np.uint16(np.rint(z)) if z < 65535.0 else 0
