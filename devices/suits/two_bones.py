r"""Two bones between a root and an end that are known: which way they bend, without ever being quite straight.

The middle joint lies where circles about both ends meet, on the side of a pole p:

.. math:: m = r + x\, d + \sqrt{a^2 - x^2}\; p, \qquad x = \frac{a^2 + l^2 - b^2}{2 l}

with the bones' lengths a and b, the distance l of root and end and the unit vector d between them. Close to
:math:`l = a + b` the middle moves infinitely fast against the ends. So the distance is softened: within a margin of both
ends of its range it goes on as an exponential that never gets there, and the root gives way by what is left over.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

SOFTNESS = 0.03
"""Margin within which a distance is softened, in parts of the length of both bones [-]: the middle then moves no more than
some 2.5 times as fast as the ends."""

NEAREST = 0.3
"""Smallest distance of root and end, in parts of the same [-]: a bent elbow leaves a hand's breadth."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class TwoBones:
    """Where two bones are.

    Attributes:
        root: Where the first one begins, shape ``(3,)`` [m]: as was asked for, but for what the distance was softened by.
        middle: Where it ends and the second one begins, shape ``(3,)`` [m].
        end: Where that ends, exactly as was asked for, shape ``(3,)`` [m].
        hinge: Axis about which the middle bends: of first bone towards second one, unit, shape ``(3,)``.
    """

    root: np.ndarray
    middle: np.ndarray
    end: np.ndarray
    hinge: np.ndarray


def bend_bones(
    root: np.ndarray, end: np.ndarray, lengths: tuple[float, float], pole: np.ndarray, softness: float = SOFTNESS
) -> TwoBones:
    """Return where two bones are.

    Args:
        root: Where the first one is to begin, shape ``(3,)`` [m].
        end: Where the second one ends, shape ``(3,)`` [m].
        lengths: Of the first and the second one [m].
        pole: Direction to which the middle goes, not along the line between the ends, shape ``(3,)``.
        softness: Margin within which the distance is softened, in parts of both lengths [-].
    """
    first, second = lengths
    way = end - root
    distance = max(math.sqrt(float(way @ way)), 1e-6)
    along = way / distance
    reached = soften(distance, first + second, softness)
    aside = pole - (pole @ along) * along
    aside /= max(math.sqrt(float(aside @ aside)), 1e-9)
    before = (first**2 + reached**2 - second**2) / (2.0 * reached)
    shifted = end - reached * along
    middle = shifted + before * along + math.sqrt(max(0.0, first**2 - before**2)) * aside
    return TwoBones(root=shifted, middle=middle, end=end, hinge=cross(aside, along))


def soften(distance: float, length: float, softness: float) -> float:
    """Return a distance that stays between ``NEAREST`` and a whole length, both of which it never reaches [m].

    Args:
        distance: What is asked for [m].
        length: Of both bones [m].
        softness: Margin at both ends, in parts of the length [-].
    """
    margin = softness * length
    far, near = length - margin, NEAREST * length + margin
    if distance > far:
        return length - margin * math.exp((far - distance) / margin)
    if distance < near:
        return near - margin + margin * math.exp((distance - near) / margin)
    return distance


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the vector product of two vectors, shape ``(3,)``: ``numpy.cross`` takes ten times as long for one."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])
