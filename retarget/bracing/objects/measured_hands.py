"""What is measured of the hands that hold an object."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np


@dataclass(frozen=True, eq=False, slots=True)
class MeasuredHands:
    """Poses, velocities and wrenches of all effectors, of which those of the hands count.

    Attributes:
        poses: In world, shape ``(effectors, 4, 4)``.
        velocities: Of the contact frames in world, linear before angular, shape ``(effectors, 6)`` [m/s, rad/s].
        wrenches: Exerted on them, measured or estimated, in their contact frames, shape ``(effectors, 6)`` [N, Nm].
        unobserved: What to add to an estimate where an arm's joints hardly show what acts on its hand, if the object is
            pressed as the reference has it, likewise.
    """

    poses: np.ndarray
    velocities: np.ndarray
    wrenches: np.ndarray
    unobserved: np.ndarray

    @classmethod
    def of_sensors(cls, poses: np.ndarray, wrenches: np.ndarray) -> MeasuredHands:
        """Return what hands at rest with sensors measure: nothing is unobserved."""
        return cls(poses, np.zeros_like(wrenches), wrenches, np.zeros_like(wrenches))

    def subtract(self, bias: np.ndarray | None) -> MeasuredHands:
        """Return the same without what is measured of empty hands, shape ``(effectors, 6)`` [N, Nm]; None for nothing."""
        return self if bias is None else replace(self, wrenches=self.wrenches - bias)
