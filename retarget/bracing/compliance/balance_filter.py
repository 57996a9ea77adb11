"""What of a measured force the balance reckons with."""

from __future__ import annotations

import math

import numpy as np

TIME_CONSTANT, FADED = 0.03, 0.1
"""Time constant of the forces that the balance reckons with [s] (0.1 is too late for a robot that is not ideal and pulled by
8 % of its weight), and force under which one that has ended is gone [N]."""


def fade_in(force: np.ndarray, dead_zone: float) -> np.ndarray:
    r"""Return :math:`\min(1, \max(0, 2 |f| / f_0 - 2)) f`: nothing of what may be noise, all of what is half as much again.

    Args:
        force: f, of any shape [N].
        dead_zone: :math:`f_0`, infinite where nothing is known yet [N].
    """
    ratio = math.sqrt(float((force**2).sum())) / dead_zone
    faded: np.ndarray = min(1.0, max(0.0, 2.0 * ratio - 2.0)) * force
    return faded


def smooth(before: np.ndarray, measured: np.ndarray, dt: float, time_constant: float = TIME_CONSTANT) -> np.ndarray:
    """Return the smoothed force, a period of ``dt`` [s] after it was ``before``; exactly zero once it has ended."""
    force: np.ndarray = before + (1.0 - math.exp(-dt / time_constant)) * (measured - before)
    return force if measured.any() or float((force**2).sum()) > FADED**2 else np.zeros_like(force)
