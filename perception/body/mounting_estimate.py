"""How far a camera is from where its mounting is described to be, how well that is known, and both in words."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

MAX_TURN = math.radians(1.0)
"""Rotation from which on a mounting is wrong [rad]: a wall an arm's length away is 12 mm off by it."""

MAX_SHIFT = 0.005
"""Displacement from which on it is wrong [m]."""

CERTAINTY = 3.0
"""Standard deviations by which it must be beyond that [-]."""

KNOWN_TURN = math.radians(0.5)
"""Standard deviation of a rotation about an axis from which on it is not known [rad]."""

KNOWN_SHIFT = 0.004
"""Standard deviation of a displacement along an axis from which on it is not known [m]."""

_KNOWN = np.array([KNOWN_TURN] * 3 + [KNOWN_SHIFT] * 3)
_TURNS = (("up", "down"), ("right", "left"), ("clockwise", "anticlockwise"))
_SHIFTS = (("to the right", "to the left"), ("down", "up"), ("forward", "back"))
_UNKNOWN = (
    "turned up or down",
    "turned to the side",
    "turned about its line of sight",
    "displaced to the side",
    "displaced up or down",
    "displaced forward or back",
)


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class MountingEstimate:
    r"""The pose of a camera in the optical frame in which its mounting is described.

    .. math:: p_{described} = \exp(\phi) \, p_{camera} + t, \qquad x = (\phi, t)

    Attributes:
        rotation: Rotation vector phi, along the optical axes (right, down, forward), shape ``(3,)`` [rad].
        translation: Displacement t along them, shape ``(3,)`` [m].
        covariance: Of both, shape ``(6, 6)`` [rad^2, rad m, m^2].
    """

    rotation: np.ndarray
    translation: np.ndarray
    covariance: np.ndarray

    @property
    def correction(self) -> np.ndarray:
        """Pose of the camera in its described optical frame, shape ``(4, 4)``: multiply the described pose by it."""
        return make_pose(np.concatenate([self.rotation, self.translation]))

    @property
    def is_wrong(self) -> bool:
        """Whether the camera is surely turned or displaced by more than can be accepted."""
        x = np.concatenate([self.rotation, self.translation])
        return is_surely_beyond(x, self.covariance, MAX_TURN, MAX_SHIFT)

    @property
    def is_known(self) -> bool:
        """Whether all of rotation and displacement is known well enough to be judged and used."""
        turn, shift = (np.linalg.eigvalsh(block)[-1] for block in (self.covariance[:3, :3], self.covariance[3:, 3:]))
        return bool(turn <= KNOWN_TURN**2 and shift <= KNOWN_SHIFT**2)

    def describe(self) -> str:
        """Say in words where the camera is, and what somebody should do."""
        deviations = np.sqrt(np.diag(self.covariance))
        known = deviations <= _KNOWN
        turn = _say_parts(np.degrees(self.rotation), known[:3], _TURNS, "deg", 0.2)
        shift = _say_parts(1e3 * self.translation, known[3:], _SHIFTS, "mm", 1.0)
        found = "; ".join(part for part in (turn and f"turned {turn}", shift and f"displaced {shift}") if part)
        if self.is_wrong:
            said = f"the camera is not where its description says: {found or 'by several parts together'}"
            remedy = "fasten it, or correct its offset in the robot's description"
            return f"{said}; {remedy}" if self.is_known else f"{said}; {remedy}; {self._ask()}"
        if self.is_known:
            return "the camera is where its description says"
        return f"it is not known whether the camera is where its description says: {self._ask()}"

    def _ask(self) -> str:
        """Say what cannot be told from what has been in sight, and what to do about it."""
        deviations = np.sqrt(np.diag(self.covariance))
        parts = [said for said, is_known in zip(_UNKNOWN, deviations <= _KNOWN, strict=True) if not is_known]
        which = " or ".join(parts) or "turned and displaced at once"
        return f"bring a hand before the camera and move it about, to tell whether it is {which}"


def exponentiate(vector: np.ndarray) -> np.ndarray:
    """Return the rotation matrix of a rotation vector, shape ``(3,)`` [rad] (Rodrigues' formula)."""
    angle = float(np.linalg.norm(vector))
    x, y, z = vector
    skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    # The factors' limits, whose errors are of the order of the angle's square.
    if angle < 1e-6:
        return np.eye(3) + skew + 0.5 * skew @ skew
    return np.eye(3) + math.sin(angle) / angle * skew + (1.0 - math.cos(angle)) / angle**2 * skew @ skew


def make_pose(x: np.ndarray) -> np.ndarray:
    """Return the pose of a rotation vector [rad] and a displacement [m], shape ``(6,)``, as a matrix, shape ``(4, 4)``."""
    pose = np.eye(4)
    pose[:3, :3] = exponentiate(x[:3])
    pose[:3, 3] = x[3:]
    return pose


def is_surely_beyond(x: np.ndarray, covariance: np.ndarray, max_turn: float, max_shift: float) -> bool:
    """Tell whether a rotation vector or a displacement is longer than it may be, with ``CERTAINTY``.

    Each is judged by the directions in which it is known best: one, two, and all three.

    Args:
        x: Both, shape ``(6,)`` [rad, m].
        covariance: Of both, shape ``(6, 6)``.
        max_turn: Greatest rotation [rad].
        max_shift: Greatest displacement [m].
    """
    for first, limit in ((0, max_turn), (3, max_shift)):
        part = slice(first, first + 3)
        variances, axes = np.linalg.eigh(covariance[part, part])
        lengths = np.sqrt(np.cumsum((axes.T @ x[part]) ** 2))
        if (lengths - CERTAINTY * np.sqrt(np.maximum(variances, 0.0)) > limit).any():
            return True
    return False


def _say_parts(values: np.ndarray, known: np.ndarray, words: tuple[tuple[str, str], ...], unit: str, least: float) -> str:
    """Say what is known of a vector and large enough to be told, component by component; empty where nothing is."""
    parts = [
        f"{abs(value):.1f} {unit} {positive if value > 0.0 else negative}"
        for value, is_known, (positive, negative) in zip(values, known, words, strict=True)
        if is_known and abs(value) >= least
    ]
    return ", ".join(parts)
