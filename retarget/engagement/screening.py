"""What is taken from the samples of one hand of the operator, and what is refused."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numba import njit

from handhold.devices.operator_input import Buttons, HandInput

MAXIMUM_JUMP = 0.5
"""Displacement from one accepted pose to the next [m] beyond which the next is refused; exactly this far is accepted."""

MAXIMUM_TURN = math.radians(60.0)
"""Turn from one accepted pose to the next [rad] beyond which the next is refused; exactly this far is accepted."""

LOST_AFTER = 0.1
"""Time without an accepted sample [s] from which on a hand is lost, and its last pose no longer a measure of jumps."""

ROTATION_TOLERANCE = 1e-3
"""Largest entry of ``R^T R - 1`` [-]: far above single precision, far below anything that deforms a motion."""

RANGE_TOLERANCE = 1e-3
"""How far beyond their ends triggers and sticks may read [-]: calibrations overshoot in the last digit."""

# A sum of control periods misses their total by rounding.
_TIME_TOLERANCE = 1e-9
_COSINE_OF_MAXIMUM_TURN = math.cos(MAXIMUM_TURN)
_SOUND, _NO_NUMBER, _NO_ROTATION, _JUMP, _TURN = range(5)
_POSE_FAULTS = ("", "pose is not a number", "pose is not a rotation", "pose jumps", "pose turns too far")


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class ScreenedHand:
    """An accepted sample of one hand.

    Attributes:
        pose: Pose of the hand in world, homogeneous, shape ``(4, 4)``; None where it is not tracked.
        trigger: 0 released, 1 pulled.
        squeeze: 0 released, 1 squeezed.
        stick: Deflection to the right and forward, each -1 to 1.
        buttons: Buttons of the hand.
    """

    pose: np.ndarray | None
    trigger: float
    squeeze: float
    stick: tuple[float, float]
    buttons: Buttons


def find_fault(hand: HandInput, last_pose: np.ndarray | None) -> str:
    """Say why a sample of a hand must be refused.

    Args:
        hand: The sample.
        last_pose: Pose accepted last, homogeneous, shape ``(4, 4)``; None where there is none to compare with.

    Returns:
        What is wrong, in a few words; empty where the sample is sound.
    """
    if not (_is_ratio(hand.trigger) and _is_ratio(hand.squeeze)):
        return "trigger or squeeze out of range"
    if hand.stick.shape != (2,) or not all(abs(x) <= 1.0 + RANGE_TOLERANCE for x in hand.stick.tolist()):
        return "stick out of range"
    if hand.pose is None:
        return ""
    return find_pose_fault(hand.pose.homogeneous, last_pose)


def find_pose_fault(pose: np.ndarray, last_pose: np.ndarray | None) -> str:
    """Say why a pose must be refused.

    Args:
        pose: Homogeneous, shape ``(4, 4)``.
        last_pose: Pose accepted last, likewise; None where there is none to compare with.

    Returns:
        What is wrong, in a few words; empty where the pose is sound.
    """
    pose = np.array(pose, order="C")
    last = pose if last_pose is None else last_pose
    return _POSE_FAULTS[_classify_pose(pose, last)]


class HandScreen:
    """Screens the samples of one hand as they come.

    Attributes:
        accepted: The sample accepted last; None while the hand is unheard.
        refused: Samples refused so far.
        fault: Why the newest sample was refused; empty where it was accepted.
    """

    def __init__(self) -> None:
        self.accepted: ScreenedHand | None = None
        self.refused = 0
        self.fault = ""
        self._silence = 0.0

    @property
    def pose(self) -> np.ndarray | None:
        """Pose of the hand in world, homogeneous, shape ``(4, 4)``; None while it is lost."""
        return None if self.accepted is None else self.accepted.pose

    def take(self, hand: HandInput) -> bool:
        """Accept a new sample (true) or refuse it (false): a refused sample is as good as none."""
        self.fault = find_fault(hand, self.pose)
        if self.fault:
            self.refused += 1
            return False
        self._silence = 0.0
        self.accepted = ScreenedHand(
            pose=None if hand.pose is None else np.array(hand.pose.homogeneous, order="C"),
            trigger=min(max(hand.trigger, 0.0), 1.0),
            squeeze=min(max(hand.squeeze, 0.0), 1.0),
            stick=(_clip(float(hand.stick[0])), _clip(float(hand.stick[1]))),
            buttons=hand.buttons,
        )
        return True

    def wait(self, dt: float) -> None:
        """Let time [s] pass without an accepted sample; from ``LOST_AFTER`` on the hand is lost."""
        self._silence += dt
        if self._silence >= LOST_AFTER - _TIME_TOLERANCE:
            self.accepted = None

    def forget(self) -> None:
        """Forget what was accepted: whatever sound pose comes next is accepted."""
        self.accepted = None
        self.fault = ""


def _is_ratio(value: float) -> bool:
    return -RANGE_TOLERANCE <= value <= 1.0 + RANGE_TOLERANCE


def _clip(value: float) -> float:
    return min(max(value, -1.0), 1.0)


@njit(cache=True)
def _classify_pose(pose: np.ndarray, last: np.ndarray) -> int:
    if not np.isfinite(pose).all():
        return _NO_NUMBER
    if not _is_rotation(pose):
        return _NO_ROTATION
    squared_distance = 0.0
    cosine = -0.5
    for i in range(3):
        squared_distance += (pose[i, 3] - last[i, 3]) ** 2
        for j in range(3):
            cosine += 0.5 * pose[i, j] * last[i, j]
    if math.sqrt(squared_distance) > MAXIMUM_JUMP:
        return _JUMP
    return _TURN if cosine < _COSINE_OF_MAXIMUM_TURN else _SOUND


@njit(cache=True)
def _is_rotation(pose: np.ndarray) -> bool:
    for i in range(3):
        for j in range(3):
            product = pose[0, i] * pose[0, j] + pose[1, i] * pose[1, j] + pose[2, i] * pose[2, j]
            if abs(product - (1.0 if i == j else 0.0)) > ROTATION_TOLERANCE:
                return False
    determinant = (
        pose[0, 0] * (pose[1, 1] * pose[2, 2] - pose[1, 2] * pose[2, 1])
        - pose[0, 1] * (pose[1, 0] * pose[2, 2] - pose[1, 2] * pose[2, 0])
        + pose[0, 2] * (pose[1, 0] * pose[2, 1] - pose[1, 1] * pose[2, 0])
    )
    return determinant > 0.0
