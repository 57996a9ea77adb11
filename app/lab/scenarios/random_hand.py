"""One random hand of an operator, and which of its samples must be refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin

from handhold.app.lab.scenarios.scenario import OPERATOR_RATE
from handhold.devices.operator_input import Buttons, HandInput

REACH = np.array([0.5, 0.4, 0.4])
"""How far the hand strays from where it began, along each axis [m]."""

MAX_SPEED, MAX_TURN_SPEED = 1.2, 1.5
"""Largest speed [m/s] and turning rate [rad/s] of the hand."""

FAULTS = ("jump", "turn", "not a number", "no rotation", "trigger", "stick", "lost")
"""What can be wrong with samples; all but ``lost`` are refused."""

MAX_FAULT_LENGTH, PAUSE = 6, 30
"""Maximum number of faulty samples in a row (under the 100 ms after which a hand is lost), and sound ones after them [-]."""

# Rates [1/s].
WAYPOINTS, SQUEEZES, PULLS, TILTS, PRESSES, FAULTY = 0.7, 0.5, 0.5, 0.3, 0.4, 0.3


class RandomHand:
    """A hand that strays from waypoint to waypoint and fumbles with its controls.

    Attributes:
        refused: Samples made so far that must be refused.
    """

    def __init__(self, random: np.random.Generator, y: float) -> None:
        self._random = random
        self._home = np.array([0.3, y, 1.0])
        self._position, self._goal, self._speed = self._home.copy(), self._home.copy(), 0.0
        self._rotation, self._rate = np.eye(3), np.zeros(3)
        self._hand = HandInput()
        self._buttons, self._pressed = Buttons(), 0
        self._fault, self._faulty = "", 0
        self.refused = 0

    def sample(self, extra: Buttons, *, released: bool) -> HandInput:
        """Return the next sample, with a stick clicked besides or the squeeze released."""
        self._stray()
        self._fumble()
        pose = pin.SE3(self._rotation, self._position)
        squeeze = 0.0 if released else self._hand.squeeze
        buttons = replace(self._buttons, stick=extra.stick)
        return self._spoil(replace(self._hand, pose=pose, aim=pose, squeeze=squeeze, buttons=buttons))

    def recover(self) -> None:
        """End a fault: the next samples are sound."""
        self._faulty = 0

    def _stray(self) -> None:
        if self._happens(WAYPOINTS):
            self._goal = self._home + REACH * self._random.uniform(-1.0, 1.0, 3)
            self._speed = self._random.uniform(0.05, MAX_SPEED)
            self._rate = self._random.uniform(-1.0, 1.0, 3) * MAX_TURN_SPEED / np.sqrt(3.0)
        displacement = self._goal - self._position
        distance = float(np.linalg.norm(displacement))
        self._position = self._position + displacement * min(1.0, self._speed / OPERATOR_RATE / max(distance, 1e-9))
        turned = pin.Quaternion(pin.exp3(self._rate / OPERATOR_RATE) @ self._rotation)
        self._rotation = turned.normalized().toRotationMatrix()

    def _fumble(self) -> None:
        if self._happens(SQUEEZES):
            self._hand = replace(self._hand, squeeze=1.0 - self._hand.squeeze)
        if self._happens(PULLS):
            self._hand = replace(self._hand, trigger=float(self._random.choice([0.0, 1.0, self._random.random()])))
        if self._happens(TILTS):
            tilt = self._random.uniform(-1.0, 1.0, 2) * self._random.integers(2)
            self._hand = replace(self._hand, stick=tilt)
        self._pressed -= 1
        if self._pressed <= 0:
            self._buttons = Buttons()
            if self._happens(PRESSES):
                button = str(self._random.choice(["primary", "secondary", "menu"]))
                self._buttons = Buttons(**{button: True})
                self._pressed = int(self._random.integers(1, 80))

    def _spoil(self, hand: HandInput) -> HandInput:
        self._faulty -= 1
        if self._faulty < -PAUSE and self._happens(FAULTY):
            self._fault = str(self._random.choice(FAULTS))
            longest = 60 if self._fault == "lost" else MAX_FAULT_LENGTH
            self._faulty = int(self._random.integers(1, longest + 1))
        if self._faulty <= 0:
            return hand
        self.refused += self._fault != "lost"
        return _break(hand, self._fault, self._random)

    def _happens(self, rate: float) -> bool:
        return bool(self._random.random() < rate / OPERATOR_RATE)


def _break(hand: HandInput, fault: str, random: np.random.Generator) -> HandInput:
    """Return a sample with something wrong with it."""
    pose = hand.pose
    if pose is None or fault == "lost":
        return replace(hand, pose=None, aim=None)
    if fault == "trigger":
        return replace(hand, trigger=float(random.choice([np.nan, np.inf, -0.5, 1.5])))
    if fault == "stick":
        return replace(hand, stick=np.array([0.0, float(random.choice([np.nan, 7.0]))]))
    wrong = {
        "jump": lambda: pin.SE3(pose.rotation, pose.translation + random.uniform(0.8, 3.0) * np.array([0.0, 0.6, 0.8])),
        "turn": lambda: pin.SE3(pin.exp3(np.array([0.0, 0.0, random.uniform(1.4, 3.0)])) @ pose.rotation, pose.translation),
        "not a number": lambda: pin.SE3(pose.rotation, np.array([np.nan, 0.0, 0.0])),
        "no rotation": lambda: pin.SE3(random.uniform(1.5, 2.0) * pose.rotation, pose.translation),
    }[fault]()
    return replace(hand, pose=wrong, aim=wrong)
