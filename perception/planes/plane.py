r"""A plane as a depth camera sees it.

In the camera's optical axes the points of a plane satisfy :math:`A X + B Y + C Z = 1`, so that

.. math:: n = -(A, B, C) / \|(A, B, C)\|, \qquad n^T p = -d, \qquad d = 1 / \|(A, B, C)\|,

with the normal towards the camera and d its distance from the plane.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Plane:
    """A plane patch in one image.

    Attributes:
        coefficients: A, B, C of its inverse depth, shape ``(3,)`` [1/m].
        covariance: Of the coefficients by the noise alone, shape ``(3, 3)`` [1/m^2].
        label: Its number in the labels of the image.
        samples: How many samples of the image it has.
        noise_ratio: Standard deviation of its residuals, in that of the image's noise [-]: about 1 where it is flat.
    """

    coefficients: np.ndarray
    covariance: np.ndarray
    label: int
    samples: int
    noise_ratio: float

    @property
    def normal(self) -> np.ndarray:
        """Normal towards the camera, in its optical axes, unit, shape ``(3,)``."""
        return -self.coefficients * self.distance

    @property
    def distance(self) -> float:
        """Distance of the camera from the plane [m]."""
        return 1.0 / float(np.linalg.norm(self.coefficients))


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class PlaneImage:
    """All planes of one image.

    Attributes:
        planes: The largest first.
        inverse: Inverse depth of the samples, shape ``(rows, columns)``, float32 [1/m]; 0 where nothing was measured.
        labels: Number of the plane that each sample belongs to, 0 for none, shape ``(rows, columns)``, int32.
        x: Of the rays through the columns of samples, at unit depth, shape ``(columns,)``.
        y: Of the rays through the rows, shape ``(rows,)``.
        sigma: Standard deviation of the image's inverse depth [1/m].
    """

    planes: tuple[Plane, ...]
    inverse: np.ndarray
    labels: np.ndarray
    x: np.ndarray
    y: np.ndarray
    sigma: float
