r"""How somebody's trunk is turned, by the head and the hands over the feet that stand.

A head that is displaced by u over the feet and lower than it was is carried by a trunk that leans, one that stays as high by
a whole body that moves. Who leans moves the pelvis the other way, by a part :math:`\beta` of how far the trunk takes the
head, so that the weight stays over the feet:

.. math::

    \theta_{full} = \arcsin \frac{|u|}{(1 - \beta)\, l}, \qquad
    s = \min\left(1, \frac{\Delta z}{l (1 - \cos \theta_{full}) + \epsilon}\right), \qquad \theta = s\, \theta_{full}

with the length l of the trunk and the height :math:`\Delta z` that the head has come down; what the lean does not explain
bends the legs, whose knees go ahead then and take over some of the counterweight, so that :math:`\beta` becomes smaller. A
lean to a side shows in the roll of the head as well. The trunk turns about the vertical as far as head and hands agree: a
look aside and a hand that reaches ahead turn no trunk.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

COUNTERWEIGHT = 0.25
"""How far the pelvis goes the other way, in parts of how far the trunk takes the head [-]: who bends by half a right angle
puts the hips back by some 10 cm."""

SQUAT, KNEES_SHARE = 0.6, 0.6
"""How far the head has come down by bent legs, in lengths of the trunk, where knees that are ahead of the feet have taken over
the second number's part of that counterweight [-]."""

MAX_SINE = 0.85
"""Largest sine of a lean [-]: beyond it, a centimetre of the head would turn the trunk by several degrees."""

SOFTENING = 0.05
"""Epsilon [m]: with less a millimetre of the head's height would move the pelvis by a centimetre."""

ROLL_SHARE = 0.5
"""How much the head's roll counts in a lean to a side, against the head's place [-]."""

MIN_WIDTH = 0.3
"""Distance of the hands to the sides under which they tell less of the trunk's turn [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrunkPosture:
    """How far a trunk is turned from upright, in axes of the feet.

    Attributes:
        forward: Lean of the line from pelvis to head forward [rad].
        left: The same to the left [rad].
        twist: Turn of the chest to the left [rad].
    """

    forward: float
    left: float
    twist: float


def find_lean(moved: np.ndarray, roll: float, length: float) -> tuple[float, float]:
    """Return how far a trunk leans forward and to the left [rad].

    Args:
        moved: How far the top of the neck is from where it was in an upright stance, in axes of the
            feet, shape ``(3,)`` [m].
        roll: How far the head is rolled to the left [rad].
        length: Of the trunk, from the pelvis to the top of the neck [m].
    """
    distance, drop = math.hypot(moved[0], moved[1]), max(0.0, -float(moved[2]))
    _, expected = _find_full_lean(distance, length, COUNTERWEIGHT)
    bent = min(1.0, max(0.0, drop - expected) / (SQUAT * length))
    full, expected = _find_full_lean(distance, length, COUNTERWEIGHT * (1.0 - KNEES_SHARE * bent))
    share = min(1.0, drop / (expected + SOFTENING))
    rate = full / distance if distance > 1e-9 else 0.0
    forward, aside = rate * float(moved[0]), rate * float(moved[1])
    told = (1.0 - ROLL_SHARE) * share * aside + ROLL_SHARE * roll
    return share * forward, min(max(told, min(0.0, aside)), max(0.0, aside))


def _find_full_lean(distance: float, length: float, counterweight: float) -> tuple[float, float]:
    """Return the lean that takes a head so far [rad], and by how much it comes down [m]."""
    full = math.asin(min(distance / ((1.0 - counterweight) * length), MAX_SINE))
    return full, length * (1.0 - math.cos(full))


def find_lean_of_line(pelvis: np.ndarray, top: np.ndarray) -> tuple[float, float]:
    """Return how far the line from a pelvis that is known to the top of the neck leans forward and to the left [rad].

    Args:
        pelvis: Place of the pelvis in axes of the feet, shape ``(3,)`` [m].
        top: Place of the top of the neck, likewise.
    """
    way = top - pelvis
    height = max(float(way[2]), 1e-3)
    return math.atan2(float(way[0]), height), math.atan2(float(way[1]), height)


def find_twist(head: float, across: np.ndarray | None) -> float:
    """Return how far a chest is turned to the left against the feet [rad]: as far as head and hands agree.

    Args:
        head: Where the head faces against the feet, to the left [rad].
        across: From the right hand to the left one in axes of the feet, shape ``(2,)`` or longer [m]; None without both.
    """
    if across is None:
        return 0.0
    hands = math.atan2(-float(across[0]), max(float(across[1]), MIN_WIDTH))
    return max(0.0, min(head, hands)) + min(0.0, max(head, hands))
