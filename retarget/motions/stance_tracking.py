"""Where the feet of a motion really are: they land a little off, and take that along until the next swing."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from handhold.retarget.least_jerk import compute_remainder

TOUCH_FORCE = 10.0
"""Normal force from which on a foot counts as having touched [N]: more than sensors and a swinging foot show."""

OFFSET_DECAY_TIME = 0.3
"""Time after it was lifted in which a foot comes back to the path that the motion has for it [s]."""

SEARCH_SPEED, MAX_SEARCH_DEPTH = 0.1, 0.03
"""Speed [m/s] with which a foot that should support and finds no ground is put down further, and how far [m]."""


class ContactTracker:
    """Tracks the contact of one effector.

    Attributes:
        in_contact: Whether it supports: it should, and the contact was measured.
        late: For how long it should have supported without measured contact [s].
        missed: Whether it was put down as far as it may, and found nothing.
    """

    def __init__(self) -> None:
        self.in_contact = self.missed = False
        self.late = 0.0
        self._offset = np.zeros(6)
        self._since_lift_off = np.inf
        self._search_depth = 0.0

    def touch_down(self, offset: np.ndarray) -> None:
        """Support at an offset from the pose of the motion: displacement and turn in world axes, shape ``(6,)`` [m, rad]."""
        self.in_contact, self.missed, self.late = True, False, 0.0
        self._offset, self._search_depth, self._since_lift_off = offset, 0.0, np.inf

    def step(self, should_support: bool, force: float, offset: np.ndarray, dt: float) -> None:
        """Take whether it should support, the measured normal force [N], and the offset from the pose of the motion."""
        if not should_support:
            if self.in_contact:
                self.in_contact, self._since_lift_off = False, 0.0
            self._since_lift_off += dt
            self._search_depth = max(self._search_depth - SEARCH_SPEED * dt, 0.0)
            self.missed, self.late = False, 0.0
        elif not self.in_contact:
            if force > TOUCH_FORCE:
                self.touch_down(offset)
            else:
                self._since_lift_off += dt
                self.late += dt
                self._search_depth = min(self._search_depth + SEARCH_SPEED * dt, MAX_SEARCH_DEPTH)
                self.missed = self._search_depth >= MAX_SEARCH_DEPTH

    def find_shift(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return by how much the motion's pose is shifted, and its two derivatives, in world axes, shape ``(6,)`` each."""
        if self.in_contact:
            return self._offset, np.zeros(6), np.zeros(6)
        left, rate, acceleration = compute_remainder(self._since_lift_off / OFFSET_DECAY_TIME)
        shift, speed = left * self._offset, rate / OFFSET_DECAY_TIME * self._offset
        shift = shift - self._search_depth * np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
        return shift, speed, acceleration / OFFSET_DECAY_TIME**2 * self._offset


def measure_offset(pose: np.ndarray, desired: np.ndarray) -> np.ndarray:
    """Measure how far a pose is from a desired one: displacement and turn in world axes, shape ``(6,)`` [m, rad]."""
    return np.concatenate([pose[:3, 3] - desired[:3, 3], pin.log3(pose[:3, :3] @ desired[:3, :3].T)])


def shift_pose(pose: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """Return a pose shifted by a displacement and a turn in world axes."""
    shifted = pose.copy()
    shifted[:3, 3] += shift[:3]
    shifted[:3, :3] = pin.exp3(shift[3:]) @ pose[:3, :3]
    return shifted
