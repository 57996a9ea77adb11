"""To which side an elbow goes that nothing sees: down, outwards and back, and away from where the hand points."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

_REST = np.array([0.56, 0.35, -0.75])
_REST /= np.linalg.norm(_REST)
_REST_POLE = np.array([-0.45, 0.4, -0.8])
_REST_POLE -= (_REST_POLE @ _REST) * _REST
_REST_POLE /= np.linalg.norm(_REST_POLE)

HAND_SHARE = 0.6
"""How much the hand's own direction counts [-]: less than 1, so that both never cancel each other."""

SEEN_SHARE = 20.0
"""How much an elbow that is seen counts, in parts of its distance from the line between shoulder and wrist [1/m]."""


def find_natural_pole(side: float, along: np.ndarray) -> np.ndarray:
    """Return where an elbow goes of its own, in axes of the chest, unit, shape ``(3,)``.

    A left arm that points forward, outward and down has its elbow below, outside and behind; another direction takes that
    along by the shortest turn. No field of directions is smooth for all of them: this one turns over where an arm points
    backward, upward and across the back, where no hand gets.

    Args:
        side: 1 for the left arm, -1 for the right one.
        along: From shoulder to wrist in axes of the chest, unit, shape ``(3,)``.
    """
    mirror = np.array([1.0, side, 1.0])
    return np.asarray(mirror * (pin.Quaternion.FromTwoVectors(_REST, mirror * along) * _REST_POLE))


def find_pole(
    side: float, chest: np.ndarray, way: np.ndarray, pointing: np.ndarray, seen: np.ndarray | None = None
) -> np.ndarray:
    """Return where an elbow goes, in the room, shape ``(3,)``; not of unit length.

    Args:
        side: 1 for the left arm, -1 for the right one.
        chest: Axes of the chest, shape ``(3, 3)``.
        way: From shoulder to wrist, shape ``(3,)`` [m].
        pointing: Where the hand points, from the wrist to the fingers, unit, shape ``(3,)``.
        seen: From the shoulder to where the elbow is seen, shape ``(3,)`` [m]; None where it is not.
    """
    along = way / max(float(np.linalg.norm(way)), 1e-6)
    natural = chest @ find_natural_pole(side, chest.T @ along)
    if seen is not None:
        return np.asarray(natural + SEEN_SHARE * (seen - (seen @ along) * along))
    return np.asarray(natural - HAND_SHARE * (pointing - (pointing @ along) * along))
