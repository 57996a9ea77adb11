"""Where the feet of a motion really are: they land a little off, and take that along until the next swing."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from handhold.retarget.motions.path import compute_blend

TOUCH = 10.0
"""Normal force from which on a foot counts as having touched [N]: more than sensors and a swinging foot show."""

FORGETTING = 0.3
"""Time after it was lifted in which a foot comes back to the way that the motion has for it [s]."""

REACHING_SPEED, LONGEST_REACH = 0.1, 0.03
"""Speed [m/s] with which a foot that should bear and feels no ground is put down further, and how far [m]."""


class Footing:
    """Follows one effector that bears now and then.

    Attributes:
        bears: Whether it bears: it should, and was felt.
        late: For how long it should have borne and was not felt [s].
        missed: Whether it was put down as far as it may, and found nothing.
    """

    def __init__(self) -> None:
        self.bears = self.missed = False
        self.late = 0.0
        self._off = np.zeros(6)
        self._lifted = np.inf
        self._reach = 0.0

    def stand(self, off: np.ndarray) -> None:
        """Bear, so far from where the motion has it: way and turn in world axes, shape ``(6,)`` [m, rad]."""
        self.bears, self.missed, self.late = True, False, 0.0
        self._off, self._reach, self._lifted = off, 0.0, np.inf

    def step(self, should_bear: bool, force: float, off: np.ndarray, dt: float) -> None:
        """Take what the motion wants of it, the normal force felt [N], and how far it is from where the motion has it."""
        if not should_bear:
            if self.bears:
                self.bears, self._lifted = False, 0.0
            self._lifted += dt
            self._reach = max(self._reach - REACHING_SPEED * dt, 0.0)
            self.missed, self.late = False, 0.0
        elif not self.bears:
            if force > TOUCH:
                self.stand(off)
            else:
                self._lifted += dt
                self.late += dt
                self._reach = min(self._reach + REACHING_SPEED * dt, LONGEST_REACH)
                self.missed = self._reach >= LONGEST_REACH

    def find_shift(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return by how much the motion's pose is shifted, and its two derivatives, in world axes, shape ``(6,)`` each."""
        if self.bears:
            return self._off, np.zeros(6), np.zeros(6)
        left, rate, acceleration = compute_blend(self._lifted / FORGETTING)
        shift, speed = left * self._off, rate / FORGETTING * self._off
        shift = shift - self._reach * np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
        return shift, speed, acceleration / FORGETTING**2 * self._off


def measure_off(pose: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Measure how far a pose is from a wanted one: way and turn in world axes, shape ``(6,)`` [m, rad]."""
    return np.concatenate([pose[:3, 3] - wanted[:3, 3], pin.log3(pose[:3, :3] @ wanted[:3, :3].T)])


def shift_pose(pose: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """Return a pose shifted by a way and a turn in world axes."""
    shifted = pose.copy()
    shifted[:3, 3] += shift[:3]
    shifted[:3, :3] = pin.exp3(shift[3:]) @ pose[:3, :3]
    return shifted
