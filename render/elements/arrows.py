"""Where shapes go that lie between points: arrows and rods."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def lay_arrows(tails: np.ndarray, heads: np.ndarray, diameter: float, head_length: float) -> np.ndarray:
    """Return the transforms of arrows' shafts (unit cylinders) and then of their heads (unit cones).

    Args:
        tails: Shape ``(arrows, 3)`` [m].
        heads: Likewise.
        diameter: Of the shafts [m]; the heads are 2.6 times as wide.
        head_length: Length of a head, half the arrow at most [m].

    Returns:
        Shape ``(2 arrows, 4, 4)``, float32.
    """
    count = len(tails)
    transforms = np.zeros((2 * count, 4, 4), dtype=np.float32)
    for k in range(count):
        displacement = heads[k] - tails[k]
        length = max(np.sqrt((displacement * displacement).sum()), 1e-6)
        neck = heads[k] - displacement * (min(head_length, 0.5 * length) / length)
        _stretch(tails[k], neck, diameter, transforms[k])
        _stretch(neck, heads[k], 2.6 * diameter, transforms[count + k])
    return transforms


@njit(cache=True)
def stretch(starts: np.ndarray, ends: np.ndarray, diameters: np.ndarray) -> np.ndarray:
    """Return the transforms that lay a unit shape's z axis from points to points.

    Args:
        starts: The points, shape ``(k, 3)`` [m].
        ends: The other points.
        diameters: Shape ``(k,)`` [m].

    Returns:
        Shape ``(k, 4, 4)``, float32.
    """
    transforms = np.zeros((len(starts), 4, 4), dtype=np.float32)
    for k in range(len(starts)):
        _stretch(starts[k], ends[k], diameters[k], transforms[k])
    return transforms


@njit(cache=True)
def _stretch(start: np.ndarray, end: np.ndarray, diameter: float, out: np.ndarray) -> None:
    axis = end - start
    z = axis / max(np.sqrt((axis * axis).sum()), 1e-9)
    # Any axis that is not along z will do to begin with: the shapes are round.
    helper = np.array([0.0, 0.0, 1.0]) if abs(z[2]) < 0.9 else np.array([1.0, 0.0, 0.0])
    x = np.cross(helper, z)
    x /= max(np.sqrt((x * x).sum()), 1e-9)
    out[:3, 0], out[:3, 1] = diameter * x, diameter * np.cross(z, x)
    out[:3, 2], out[:3, 3] = axis, 0.5 * (start + end)
    out[3, 3] = 1.0
