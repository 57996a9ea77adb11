r"""A tracked person in the person's own axes, and how the person's mass lies.

The person's axes are horizontal and upright, x where the person faced at calibration; the origin is between the ankles, at the
height of the lower one. Where the suit's room stands, and how it drifts, does not show in them but by the turn about the
vertical.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from handhold.devices.tracked_human import Segment, TrackedHuman
from handhold.robots.rotation import turn_about_vertical

FEET = (Segment.LEFT_FOOT, Segment.RIGHT_FOOT)
"""Segments of the left and the right foot."""

MASSES: tuple[tuple[Segment, Segment, float, float], ...] = (
    (Segment.HEAD, Segment.HEAD, 0.0, 0.081),
    (Segment.PELVIS, Segment.NECK, 0.44, 0.497),
    (Segment.LEFT_UPPER_ARM, Segment.LEFT_FOREARM, 0.436, 0.028),
    (Segment.RIGHT_UPPER_ARM, Segment.RIGHT_FOREARM, 0.436, 0.028),
    (Segment.LEFT_FOREARM, Segment.LEFT_HAND, 0.682, 0.022),
    (Segment.RIGHT_FOREARM, Segment.RIGHT_HAND, 0.682, 0.022),
    (Segment.LEFT_UPPER_LEG, Segment.LEFT_LOWER_LEG, 0.433, 0.100),
    (Segment.RIGHT_UPPER_LEG, Segment.RIGHT_LOWER_LEG, 0.433, 0.100),
    (Segment.LEFT_LOWER_LEG, Segment.LEFT_FOOT, 0.606, 0.061),
    (Segment.RIGHT_LOWER_LEG, Segment.RIGHT_FOOT, 0.606, 0.061),
)
"""Parts of a body: from which segment's origin to which, how far along its centre of mass is [-], and its part of the mass
[-], forearms with hands and lower legs with feet [Winter2009]_.

.. [Winter2009] D. A. Winter, Biomechanics and Motor Control of Human Movement, 4th edition, 2009, table 4.1.
"""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class HumanBody:
    """A person's segments in the person's axes.

    Attributes:
        positions: Origins of the segments, in the order of ``Segment``, shape ``(23, 3)`` [m].
        rotations: Their axes, shape ``(23, 3, 3)``.
        position_com: Centre of mass, shape ``(3,)`` [m].
    """

    positions: np.ndarray
    rotations: np.ndarray
    position_com: np.ndarray

    def direction(self, start: Segment, end: Segment) -> np.ndarray:
        """Return the unit vector from one segment's origin to another's, shape ``(3,)``."""
        along = self.positions[end] - self.positions[start]
        return np.asarray(along / max(float(np.linalg.norm(along)), 1e-9))

    def length(self, *segments: Segment) -> float:
        """Return the length of the way from one segment's origin to the next [m]."""
        return float(np.linalg.norm(np.diff(self.positions[list(segments)], axis=0), axis=1).sum())


def read_heading(human: TrackedHuman) -> float:
    """Return where a person's pelvis faces, about the vertical from x of the suit's room [rad]."""
    x, y, z, w = human.orientations[Segment.PELVIS]
    return float(np.arctan2(2.0 * (x * y + w * z), 1.0 - 2.0 * (y * y + z * z)))


def read_body(human: TrackedHuman, heading: float) -> HumanBody:
    r"""Return a person who stands on both feet in the person's axes.

    Args:
        human: The person in the suit's room.
        heading: :math:`\psi`, where the person faces (see ``read_heading``) [rad].
    """
    ankles = human.positions[list(FEET)]
    return place_body(human, np.array([*ankles[:, :2].mean(axis=0), ankles[:, 2].min()]), heading)


def place_body(human: TrackedHuman, origin: np.ndarray, heading: float) -> HumanBody:
    r"""Return a person in axes of a place and a heading.

    .. math:: p = R_z(\psi)^T (p_{room} - o), \qquad R = R_z(\psi)^T R_{room}

    Args:
        human: The person in the suit's room.
        origin: o, shape ``(3,)`` [m].
        heading: :math:`\psi`, about the vertical from x of the suit's room [rad].
    """
    to_person = turn_about_vertical(heading).T
    positions = (human.positions - origin) @ to_person.T
    reckoned = human.position_com
    com = compute_com(positions) if reckoned is None else to_person @ (reckoned - origin)
    return HumanBody(positions=positions, rotations=to_person @ to_matrices(human.orientations), position_com=com)


def compute_com(positions: np.ndarray) -> np.ndarray:
    r"""Return the centre of mass :math:`\sum_i m_i (p_i + c_i (p_i^{end} - p_i))`, shape ``(3,)`` [m].

    Args:
        positions: Origins of the segments, shape ``(23, 3)`` [m].
    """
    starts, ends, along, masses = (np.array(column) for column in zip(*MASSES, strict=True))
    begin = positions[starts]
    centres = begin + along[:, None] * (positions[ends] - begin)
    return np.asarray(masses @ centres / masses.sum())


@njit(cache=True)
def to_matrices(quaternions: np.ndarray) -> np.ndarray:
    """Return rotations of unit quaternions (x, y, z, w), shape ``(k, 4)``, as matrices, shape ``(k, 3, 3)``."""
    matrices = np.empty((quaternions.shape[0], 3, 3))
    for k in range(quaternions.shape[0]):
        x, y, z, w = quaternions[k]
        matrices[k, 0, 0] = 1.0 - 2.0 * (y * y + z * z)
        matrices[k, 0, 1] = 2.0 * (x * y - w * z)
        matrices[k, 0, 2] = 2.0 * (x * z + w * y)
        matrices[k, 1, 0] = 2.0 * (x * y + w * z)
        matrices[k, 1, 1] = 1.0 - 2.0 * (x * x + z * z)
        matrices[k, 1, 2] = 2.0 * (y * z - w * x)
        matrices[k, 2, 0] = 2.0 * (x * z - w * y)
        matrices[k, 2, 1] = 2.0 * (y * z + w * x)
        matrices[k, 2, 2] = 1.0 - 2.0 * (x * x + y * y)
    return matrices
