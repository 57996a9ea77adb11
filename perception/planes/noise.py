r"""What depth is wrong by.

The noise of a pixel's inverse depth is the camera's and that of rounded depth,

.. math:: \sigma^2(w) = \sigma_0^2 + (\epsilon w^2)^2 .

Besides, a real camera's surfaces are bent a little and slowly over the image, by a part of the depth, :math:`\rho w`: no
average over pixels takes that away.
"""

from __future__ import annotations

from typing import NamedTuple

from numba import njit

RIPPLE = 0.005
"""How far a flat surface is bent, as a part of its distance [-]: a camera's maker promises 2 % in all at 4 m.

Without it a wall and a floor that a structured-light camera saw fell into 31 planes; with it they are five.
"""


class Noise(NamedTuple):
    """How wrong the depth of an image is.

    Attributes:
        sigma: Standard deviation of a pixel's inverse depth [1/m].
        rounding: Standard deviation of depth by its unit [m].
        ripple: Error that neighbouring pixels share, as a part of the depth [-].
    """

    sigma: float
    rounding: float
    ripple: float


@njit(cache=True)
def square_noise(w: float, noise: Noise) -> float:
    """Return the variance of a pixel where inverse depth is ``w`` [1/m^2]."""
    rounded = noise.rounding * w * w
    return noise.sigma * noise.sigma + rounded * rounded
