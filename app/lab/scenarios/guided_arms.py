r"""The arms of a person who brings the robot's hands somewhere, looking at where they are.

Each arm has four angles a (flexion, abduction, elbow, rotation), and moves the hand towards where it should be by damped least
squares; what they leave goes to a posture that is at ease,

.. math:: \dot a = J^+ k \, e + (I - J^+ J) \, k_0 (a_0 - a), \qquad J^+ = J^T (J J^T + \lambda^2 I)^{-1},

with the Jacobian J of the wrist against the trunk and the error e of the person's hand, shown at the robot's size and place.
The wrist hooks the hand: the fingers point up by about the same angle, whatever the forearm does. The robot looks along x.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from handhold.app.lab.scenarios.kinematic_human import HumanPose, place_forearms

GAIN = 4.0
"""How fast a hand goes to where it should be [1/s]."""

MAX_ERROR = 0.15
"""Error beyond which a hand does not go any faster [m]."""

MAX_RATE = 2.0
"""Largest rate of an angle [rad/s]."""

EASE_RATE = 1.0
"""How fast an arm comes to the posture that is at ease [1/s]."""

AT_EASE = np.array([0.3, 0.4, 1.3, 0.4])
"""Angles of a posture with elbows away from the trunk, where a robot's arms find room, and forearms that point ahead [rad]."""

HOOK = 0.35
"""How far up the fingers of a hooked hand point [rad]: they carry, and not the thicker rest of a robot's hand."""

HANGING_RATE = 0.8
"""Largest rate of a wrist, and of all angles of an arm that comes to hang [rad/s]."""

_DAMPING, _STEP = 0.1, 1e-4
_SIDES = ("left", "right")
_ANGLES = ("flexion", "abduction", "elbow", "rotation")
_MAX_WRIST = 1.0  # [rad] either way
_LOWER, _UPPER = np.array([-0.6, -0.5, 0.12, -0.3]), np.array([2.6, 1.4, 2.3, 1.4])

HANGING = np.array([[getattr(HumanPose(), f"{side}_{name}") for name in _ANGLES] for side in _SIDES])
"""Angles of the left and the right arm of a person who lets them hang, shape ``(2, 4)`` [rad]."""


class GuidedArms:
    """Both arms of the person.

    Attributes:
        angles: Flexion, abduction, elbow and rotation of the left and the right arm, shape ``(2, 4)`` [rad].
        wrists: How far both wrists are bent, shape ``(2,)`` [rad].
    """

    def __init__(self) -> None:
        """Let them hang."""
        self.angles, self.wrists = HANGING.copy(), np.zeros(2)

    @property
    def are_hanging(self) -> bool:
        """Whether both hang."""
        return bool(max(np.abs(self.angles - HANGING).max(), np.abs(self.wrists).max()) < 1e-3)

    def apply(self, trunk: HumanPose) -> HumanPose:
        """Return a posture with the arms as they are."""
        return replace(_with_arms(trunk, self.angles), left_wrist=float(self.wrists[0]), right_wrist=float(self.wrists[1]))

    def lower(self, dt: float) -> None:
        """Let both come to hang for a time [s]."""
        step = HANGING_RATE * dt
        self.angles += np.clip(HANGING - self.angles, -step, step)
        self.wrists += np.clip(-self.wrists, -step, step)

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
        self._hook(trunk, HANGING_RATE * dt)

    def _hook(self, trunk: HumanPose, step: float) -> None:
        """Turn the wrists by a step [rad] at most to where the fingers point up."""
        forearms = np.diff(place_forearms(_with_arms(trunk, self.angles)), axis=1)[:, 0]
        rise = np.arctan2(forearms[:, 2], np.linalg.norm(forearms[:, :2], axis=1))
        self.wrists += np.clip(np.clip(HOOK - rise, -_MAX_WRIST, _MAX_WRIST) - self.wrists, -step, step)

    def _find_jacobians(self, trunk: HumanPose) -> np.ndarray:
        """Return how the wrists move with their arm's angles, shape ``(2, 3, angles)`` [m/rad]."""
        here = place_forearms(_with_arms(trunk, self.angles))[:, 1]
        steps = _STEP * np.eye(len(_ANGLES))
        moved = [place_forearms(_with_arms(trunk, self.angles + step))[:, 1] for step in steps]
        return np.stack([(each - here) / _STEP for each in moved], axis=2)


def _with_arms(trunk: HumanPose, angles: np.ndarray) -> HumanPose:
    names = [f"{side}_{name}" for side in _SIDES for name in _ANGLES]
    return replace(trunk, **dict(zip(names, angles.ravel().tolist(), strict=True)))
