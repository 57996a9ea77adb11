"""An object that two effectors hold between them: how they are placed to each other, what it weighs, and who pushes it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numba import njit

from handhold.robots.model import GRAVITY


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Grasp:
    """Two effectors with plane contacts that hold one rigid object, and move as one with it.

    Attributes:
        effectors: Indices of the first one, which the object's pose is told by, and of the second one.
        placement: Contact frame of the second in that of the first, shape ``(4, 4)``.
        min_force: Minimum normal force of each [N].
    """

    effectors: tuple[int, int]
    placement: np.ndarray
    min_force: float


NO_PUSH = np.zeros(6)
"""Of an object that nobody pushes."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Load:
    """What a held object weighs, and with what others push it.

    Attributes:
        mass: Of what of it the effectors hold up [kg].
        com: Its centre of mass in the contact frame of the first effector, shape ``(3,)`` [m].
        push: Wrench of others on it in world axes, about that frame's origin, shape ``(6,)`` [N, Nm]; ``NO_PUSH`` itself where
            there is none, which costs nothing then.
    """

    mass: float
    com: np.ndarray
    push: np.ndarray = field(default_factory=lambda: NO_PUSH)

    def measure_change(self, other: Load) -> float:
        """Return how far another load is from this one, by its weight and the force that others push with [N]."""
        change = GRAVITY * abs(other.mass - self.mass)
        if self.push is other.push:
            return change
        x, y, z = (other.push[:3] - self.push[:3]).tolist()
        return change + math.sqrt(x * x + y * y + z * z)

    def approach(self, other: Load, max_change: float, ratio: float = 1.0) -> Load:
        """Return a load nearer to another one: its weight, its first moment and the push go there evenly.

        Args:
            other: It.
            max_change: Largest change of weight and push on the way to it [N].
            ratio: Part of that change that is made [-].
        """
        change = self.measure_change(other)
        ratio *= min(1.0, max_change / change) if change > max_change else 1.0
        mass = self.mass + ratio * (other.mass - self.mass)
        # What is the same stays the same: without a push nothing is reckoned with.
        push = other.push if self.push is other.push or ratio == 1.0 else self.push + ratio * (other.push - self.push)
        com = _average(self.mass, self.com, other.mass, other.com, ratio) if mass > 0.0 else other.com
        return Load(mass=mass, com=com, push=push)

    def compute_wrench(self, rotation: np.ndarray) -> np.ndarray:
        """Return the wrench of gravity and of others on the object at the first effector's contact frame.

        Args:
            rotation: Of that frame in world, shape ``(3, 3)``.

        Returns:
            Force before moment, in the axes of that frame, shape ``(6,)`` [N, Nm].
        """
        wrench, push = np.empty(6), np.empty(6)
        fill_load_wrenches(self.mass, self.com, self.push, rotation, wrench, push)
        return wrench


@njit(cache=True)
def _average(mass: float, com: np.ndarray, other_mass: float, other_com: np.ndarray, ratio: float) -> np.ndarray:
    """Return the common centre of parts of two masses, shape ``(3,)`` [m]; they are not nothing both."""
    first, second = (1.0 - ratio) * mass, ratio * other_mass
    centre = np.empty(3)
    for i in range(3):
        centre[i] = (first * com[i] + second * other_com[i]) / (first + second)
    return centre


@njit(cache=True)
def fill_load_wrenches(
    mass: float, com: np.ndarray, push: np.ndarray, rotation: np.ndarray, wrench: np.ndarray, turned_push: np.ndarray
) -> None:
    """Fill the wrench of gravity and of others at the first effector's contact frame, and what of it is the others'.

    Args:
        mass: Of the load [kg].
        com: As in ``Load``.
        push: Likewise.
        rotation: Of the contact frame in world, shape ``(3, 3)``.
        wrench: Filled, in the axes of that frame, shape ``(6,)`` [N, Nm].
        turned_push: Filled, likewise.
    """
    x, y, z = -GRAVITY * mass * rotation[2, 0], -GRAVITY * mass * rotation[2, 1], -GRAVITY * mass * rotation[2, 2]
    wrench[0], wrench[1], wrench[2] = x, y, z
    wrench[3], wrench[4], wrench[5] = com[1] * z - com[2] * y, com[2] * x - com[0] * z, com[0] * y - com[1] * x
    for half in range(0, 6, 3):
        for i in range(3):
            turned = 0.0
            for j in range(3):
                turned += rotation[j, i] * push[half + j]
            turned_push[half + i] = turned
            wrench[half + i] += turned


NO_LOAD = Load(mass=0.0, com=np.zeros(3))
"""Of an object that lies on something else."""
