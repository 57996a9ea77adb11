r"""The arms of a person who brings the robot's hands somewhere, looking at where they are.

Each arm has four angles a (flexion, abduction, elbow, rotation), and moves the hand towards where it should be by damped least
squares; what they leave goes to a posture that is at ease,

.. math:: \dot a = J^+ k \, e + (I - J^+ J) \, k_0 (a_0 - a), \qquad J^+ = J^T (J J^T + \lambda^2 I)^{-1},

with the Jacobian J of the wrist against the trunk and the error e of the person's hand, shown at the robot's size and place.
The robot is taken to look along x.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from handhold.app.lab.scenarios.kinematic_human import HumanPose, place_wrists

GAIN = 4.0
"""How fast a hand goes to where it should be [1/s]."""

MAX_ERROR = 0.15
"""Error beyond which a hand does not go any faster [m]."""

MAX_RATE = 2.0
"""Largest rate of an angle [rad/s]."""

EASE_RATE = 1.0
"""How fast an arm comes to the posture that is at ease [1/s]."""

AT_EASE = np.array([0.4, 0.15, 1.2, 0.0])
"""Angles of a posture with forearms that point ahead [rad]."""

_DAMPING, _STEP = 0.1, 1e-4
_SIDES = ("left", "right")
_ANGLES = ("flexion", "abduction", "elbow", "rotation")
_LOWER, _UPPER = np.array([-0.6, -0.5, 0.12, -0.3]), np.array([2.6, 1.4, 2.3, 1.4])

HANGING = np.array([[getattr(HumanPose(), f"{side}_{name}") for name in _ANGLES] for side in _SIDES])
"""Angles of the left and the right arm of a person who lets them hang, shape ``(2, 4)`` [rad]."""


class GuidedArms:
    """Both arms of the person.

    Attributes:
        angles: Flexion, abduction, elbow and rotation of the left and the right arm, shape ``(2, 4)`` [rad].
    """

    def __init__(self) -> None:
        """Let them hang."""
        self.angles = HANGING.copy()

    def apply(self, trunk: HumanPose) -> HumanPose:
        """Return a posture with the arms as they are."""
        return _with_arms(trunk, self.angles)

    def advance(self, trunk: HumanPose, errors: np.ndarray, dt: float) -> None:
        """Move both hands for a time [s].

        Args:
            trunk: The person's posture but for the arms.
            errors: From the person's hands, as the robot shows them, to where they should be, in world, shape ``(2, 3)`` [m].
            dt: The time [s].
        """
        jacobians = self._find_jacobians(trunk)
        for side, (error, jacobian) in enumerate(zip(errors, jacobians, strict=True)):
            asked = GAIN * error * min(1.0, MAX_ERROR / max(float(np.linalg.norm(error)), 1e-9))
            inverse = jacobian.T @ np.linalg.inv(jacobian @ jacobian.T + _DAMPING**2 * np.eye(3))
            eased = EASE_RATE * (AT_EASE - self.angles[side])
            rates = np.clip(inverse @ asked + eased - inverse @ (jacobian @ eased), -MAX_RATE, MAX_RATE)
            self.angles[side] = np.clip(self.angles[side] + dt * rates, _LOWER, _UPPER)

    def _find_jacobians(self, trunk: HumanPose) -> np.ndarray:
        """Return how the wrists move with their arm's angles, shape ``(2, 3, angles)`` [m/rad]."""
        here = place_wrists(_with_arms(trunk, self.angles))
        steps = _STEP * np.eye(len(_ANGLES))
        moved = [place_wrists(_with_arms(trunk, self.angles + step)) for step in steps]
        return np.stack([(each - here) / _STEP for each in moved], axis=2)


def _with_arms(trunk: HumanPose, angles: np.ndarray) -> HumanPose:
    names = [f"{side}_{name}" for side in _SIDES for name in _ANGLES]
    return replace(trunk, **dict(zip(names, angles.ravel().tolist(), strict=True)))
