"""What a map takes into account: an image with its planes, and where it was taken."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from handhold.perception.mapping.evidence import Seen
from handhold.perception.planes.boundary import Patch
from handhold.perception.planes.noise import RIPPLE, Noise
from handhold.perception.planes.plane import PlaneImage


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class View:
    """An image with its planes, and where it was taken.

    Attributes:
        time: When it was exposed [s].
        camera: Pose of the camera's optical axes in world then, shape ``(4, 4)``.
        image: Its planes.
        patches: Their boundaries.
        rounding: Standard deviation of depth by its unit [m].
        camera_index: Number of the camera, where several see for one map.
    """

    time: float
    camera: np.ndarray
    image: PlaneImage
    patches: tuple[Patch, ...]
    rounding: float
    camera_index: int = 0

    @property
    def seen(self) -> Seen:
        """The image as compiled code takes it."""
        image, x, y = self.image, self.image.x, self.image.y
        planes = np.full((int(image.labels.max(initial=0)) + 1, 3), np.nan)
        misfits = np.full(len(planes), np.inf)
        for patch in self.patches:
            planes[patch.plane.label] = patch.plane.coefficients
            misfits[patch.plane.label] = math.sqrt(max(0.0, patch.plane.noise_ratio**2 - 1.0))
        pinhole = np.array([x[0], x[1] - x[0], y[0], y[1] - y[0]])
        return Seen(image.inverse, image.labels, planes, misfits, pinhole, Noise(image.sigma, self.rounding, RIPPLE))
