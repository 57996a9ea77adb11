r"""The centre of mass over the feet, as numbers that mean the same for a person and a robot.

Along the line between the feet it is the offset of [Penco2019]_,

.. math:: o = \frac{(p_{com} - p_l) \cdot (p_r - p_l)}{\|p_r - p_l\|^2},

0 over the left foot, 1 over the right one; across that line it is the displacement f, in parts of how far a foot goes forward
(f > 0) or back (f < 0). The robot's is put together from both:
:math:`p_{com} = p_l + o (p_r - p_l) + f\, l_{foot}\, n`, with n across the line, forward.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

_SHORTEST = 0.02
"""Distance of the feet under which there is no line between them [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComOffset:
    """Where a centre of mass is over two feet.

    Attributes:
        along: o, from the left foot (0) to the right one (1) [-].
        across: f, forward of the line between them, in lengths of a foot's half [-].
    """

    along: float
    across: float


def measure_offset(com: np.ndarray, left: np.ndarray, right: np.ndarray, half_length: float) -> ComOffset:
    """Return where a centre of mass is over two feet.

    Args:
        com: Centre of mass, seen from above, shape ``(2,)`` [m].
        left: Middle of the left foot, likewise.
        right: Middle of the right foot.
        half_length: How far a foot goes before and behind its middle [m].
    """
    line, squared, across = _measure_line(left, right)
    return ComOffset(along=float((com - left) @ line) / squared, across=float((com - left) @ across) / half_length)


def apply_offset(offset: ComOffset, left: np.ndarray, right: np.ndarray, half_length: float) -> np.ndarray:
    """Return the centre of mass over two feet, seen from above, shape ``(2,)`` [m]; arguments as in ``measure_offset``."""
    line, _, across = _measure_line(left, right)
    return np.asarray(left + offset.along * line + offset.across * half_length * across)


def _measure_line(left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, float, np.ndarray]:
    """Return the line from the left foot to the right one, its squared length, and the unit vector across it, forward."""
    line = right - left
    length = max(float(np.linalg.norm(line)), _SHORTEST)
    return line, length**2, np.array([-line[1], line[0]]) / length
