r"""The path of least jerk from rest to rest [FlashHogan1985]_, by s = t / T from 0 to 1.

.. math::

    x(s) = 10 s^3 - 15 s^4 + 6 s^5, \qquad x' = 30 s^2 (1 - s)^2, \qquad x'' = 60 s (1 - s) (1 - 2 s)

Velocity and acceleration are nothing at both ends.

.. [FlashHogan1985] T. Flash and N. Hogan, The coordination of arm movements: an experimentally confirmed mathematical model,
   Journal of Neuroscience 5(7), 1985.
"""

from __future__ import annotations


def compute_remainder(part: float) -> tuple[float, float, float]:
    """Return what is left of a difference at a part of the time in which it goes, from 1 to 0, and its two derivatives [-].

    The path backwards, 1 - x; before it begins and after it has ended it rests.
    """
    s = min(max(part, 0.0), 1.0)
    rate, change = differentiate_least_jerk(s)
    return 1.0 - compute_least_jerk(s), -rate, -change


def compute_least_jerk(s: float) -> float:
    """Return how much of the path is behind one, x, 0 to 1, at a part s of its time, 0 to 1 [-]."""
    return s**3 * (10.0 + s * (6.0 * s - 15.0))


def differentiate_least_jerk(s: float) -> tuple[float, float]:
    """Return x' and x'' at a part s of the path's time, 0 to 1 [-]: over T and T squared, velocity and acceleration."""
    return 30.0 * s**2 * (1.0 - s) ** 2, 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s)
