"""What of a measured force the balance reckons with."""

from __future__ import annotations

import math

import numpy as np

TIME_CONSTANT, FADED = 0.03, 0.1
"""Time constant of the forces that the balance reckons with [s] (0.1 is too late for a robot that is not ideal and pulled by
8 % of its weight), and force under which one that has ended is gone [N]."""

NOISE_LEFT = 0.5
"""Part of a touch's noise that smoothing leaves [-]: of what a filter of 10 ms left, one of 30 ms more."""


def fade_in(force: np.ndarray, dead_zone: float) -> np.ndarray:
    r"""Return :math:`\min(1, \max(0, 2 |f| / f_0 - 2)) f`: nothing of what may be noise, all of what is half as much again.

    Args:
        force: f, of any shape [N].
        dead_zone: :math:`f_0`, infinite where nothing is known yet [N].
    """
    ratio = math.sqrt(float((force**2).sum())) / dead_zone
    faded: np.ndarray = min(1.0, max(0.0, 2.0 * ratio - 2.0)) * force
    return faded


def follow(before: np.ndarray, measured: np.ndarray, noise: float) -> np.ndarray:
    r"""Return :math:`f = \hat f - \min(1, \sigma / |d|) d` with :math:`d = \hat f - f_{before}`.

    What is within the noise changes nothing: an arm whose torques are at their limits changes its posture with every newton.

    Args:
        before: What was reckoned with, of any shape [N].
        measured: :math:`\hat f`, of the same shape [N]; once it has ended so has what is returned.
        noise: :math:`\sigma` [N].
    """
    difference = measured - before
    size = math.sqrt(float((difference**2).sum()))
    if not measured.any() or size == 0.0:
        return measured
    followed: np.ndarray = measured - min(1.0, noise / size) * difference
    return followed


def smooth(before: np.ndarray, measured: np.ndarray, dt: float, time_constant: float = TIME_CONSTANT) -> np.ndarray:
    """Return the smoothed force, a period of ``dt`` [s] after it was ``before``; exactly zero once it has ended."""
    force: np.ndarray = before + (1.0 - math.exp(-dt / time_constant)) * (measured - before)
    return force if measured.any() or float((force**2).sum()) > FADED**2 else np.zeros_like(force)
