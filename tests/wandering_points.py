"""Head and hands that wander smoothly, each by sums of slow sines, after a while of standing with hanging arms."""

import numpy as np
import pinocchio as pin

from handhold.devices.operator_sample import HandSample, OperatorSample

STANDING = 2.0
"""Time in which nothing moves [s]."""

COMING = 3.0
"""Time in which it begins to [s]."""

EYES = 1.62
"""Height of the eyes who stands [m]."""


class _Wander:
    """Six numbers between -1 and 1 that change slowly."""

    def __init__(self, random: np.random.Generator) -> None:
        self._frequencies = random.uniform(0.05, 0.35, (3, 6))
        self._phases = random.uniform(0.0, 2.0 * np.pi, (3, 6))
        shares = random.uniform(0.3, 1.0, (3, 6))
        self._shares = shares / shares.sum(axis=0)

    def find(self, time: float) -> np.ndarray:
        return np.asarray((self._shares * np.sin(2.0 * np.pi * self._frequencies * time + self._phases)).sum(axis=0))


class WanderingPoints:
    """Head and hands of somebody who moves at random, hands where hands get."""

    def __init__(self, random: np.random.Generator, reach: float = 0.2) -> None:
        """Stand.

        Args:
            random: Draws the motions.
            reach: How far the head moves to every side [m].
        """
        self._head, self._left, self._right = (_Wander(random) for _ in range(3))
        self._reach = reach

    def sample(self, time: float, sequence: int) -> OperatorSample:
        s = min(1.0, max(0.0, (time - STANDING) / COMING))
        blend = s * s * (3.0 - 2.0 * s)
        head = blend * self._head.find(time)
        turned = pin.rpy.rpyToMatrix(0.4 * head[0], 0.6 * head[1], head[2])
        place = np.array([self._reach * head[3], self._reach * head[4], EYES - 0.25 * (blend + head[5])])
        return OperatorSample(
            time=time,
            sequence=sequence,
            device="wandering",
            head=pin.SE3(turned, place),
            left=self._hold(self._left.find(time), place, 1.0, blend),
            right=self._hold(self._right.find(time), place, -1.0, blend),
        )

    def _hold(self, moved: np.ndarray, eyes: np.ndarray, side: float, blend: float) -> HandSample:
        hanging = np.array([0.0, side * 0.28, 0.75 - EYES])
        ahead = np.array([0.45, side * 0.3, -0.45]) + [0.2, 0.2, 0.35] * moved[3:]
        place = eyes + (1.0 - blend) * hanging + blend * ahead
        return HandSample(pose=pin.SE3(pin.rpy.rpyToMatrix(*(blend * moved[:3])), place))
