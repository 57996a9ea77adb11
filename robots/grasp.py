"""An object that two effectors hold between them: how they are placed to each other, and what it weighs."""

from __future__ import annotations

from dataclasses import dataclass

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


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Load:
    """What a held object weighs.

    Attributes:
        mass: Of what of it the effectors hold up [kg].
        com: Its centre of mass in the contact frame of the first effector, shape ``(3,)`` [m].
    """

    mass: float
    com: np.ndarray

    def approach(self, other: Load, max_change: float, ratio: float = 1.0) -> Load:
        """Return a load nearer to another one: its weight and its first moment go there evenly.

        Args:
            other: It.
            max_change: Largest change of the weight on the way to it [N].
            ratio: Part of that change that is made [-].
        """
        change = GRAVITY * abs(other.mass - self.mass)
        ratio *= min(1.0, max_change / change) if change > max_change else 1.0
        mass = self.mass + ratio * (other.mass - self.mass)
        moment = (1.0 - ratio) * self.mass * self.com + ratio * other.mass * other.com
        return Load(mass=mass, com=moment / mass if mass > 0.0 else other.com)

    def compute_weight(self, rotation: np.ndarray) -> np.ndarray:
        """Return gravity's wrench on the object at the contact frame of the first effector, shape ``(6,)`` [N, Nm].

        Args:
            rotation: Of that frame in world, shape ``(3, 3)``.
        """
        wrench = np.empty(6)
        _fill_weight(self.mass, self.com, rotation, wrench)
        return wrench


@njit(cache=True)
def _fill_weight(mass: float, com: np.ndarray, rotation: np.ndarray, wrench: np.ndarray) -> None:
    """Fill gravity's wrench (see ``Load.compute_weight``), shape ``(6,)`` [N, Nm]."""
    x, y, z = -GRAVITY * mass * rotation[2, 0], -GRAVITY * mass * rotation[2, 1], -GRAVITY * mass * rotation[2, 2]
    wrench[0], wrench[1], wrench[2] = x, y, z
    wrench[3], wrench[4], wrench[5] = com[1] * z - com[2] * y, com[2] * x - com[0] * z, com[0] * y - com[1] * x


NO_LOAD = Load(mass=0.0, com=np.zeros(3))
"""Of an object that lies on something else."""
