"""Where the feet of a motion really are: they stand a little off, and take that along until the next swing.

Of a foot that bears two things are kept. Its *foothold* is where the posture of the reference had it when it touched down, and
keeps it: the motion's own pose of it may be elsewhere, as where the feet stood closer together when the motion began. Its
*offset* is how far from there the foot was measured, which the whole-body controller is told and joints are not, so that they
do not jump.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from handhold.retarget.least_jerk import compute_remainder

TOUCH_FORCE = 10.0
"""Normal force from which on a foot counts as having touched [N]: more than sensors and a swinging foot show."""

OFFSET_DECAY_TIME = 0.3
"""Time after it was lifted in which what a foot was measured to be off goes [s]."""

DISPLACEMENT_DECAY_TIME = 0.8
"""Time in which a foot comes back to the path that the motion has for it, and the body with it [s]: slow, so that the centre
of mass is hardly accelerated. What is left when it lands stays."""

SEARCH_SPEED, MAX_SEARCH_DEPTH = 0.1, 0.03
"""Speed [m/s] with which a foot that should support and finds no ground is put down further, and how far [m]."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Shift:
    """A displacement and a turn in world axes, and their derivatives, shape ``(6,)`` each [m, rad]."""

    value: np.ndarray
    rate: np.ndarray
    acceleration: np.ndarray


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
        self._foothold = np.eye(4)
        # Of the foothold from the motion's pose, when it last bore.
        self._displacement = np.zeros(6)
        self._offset = np.zeros(6)
        self._since_lift_off = np.inf
        self._search_depth = 0.0

    def touch_down(self, measured: np.ndarray, foothold: np.ndarray) -> None:
        """Support at the pose ``measured``, where the posture has it at ``foothold``, shape ``(4, 4)`` each, in world."""
        self.in_contact, self.missed, self.late = True, False, 0.0
        self._foothold, self._offset = foothold.copy(), measure_offset(measured, foothold)
        self._search_depth, self._since_lift_off = 0.0, np.inf

    def step(self, should_support: bool, force: float, measured: np.ndarray, reference: np.ndarray, dt: float) -> None:
        """Go on by ``dt``.

        Args:
            should_support: Whether it should support.
            force: Measured normal force [N].
            measured: Measured pose, shape ``(4, 4)``, in world.
            reference: Its pose in the posture of the reference, likewise.
            dt: Time since the last call [s].
        """
        if not should_support:
            if self.in_contact:
                self.in_contact, self._since_lift_off = False, 0.0
            self._since_lift_off += dt
            self._search_depth = max(self._search_depth - SEARCH_SPEED * dt, 0.0)
            self.missed, self.late = False, 0.0
        elif not self.in_contact:
            if force > TOUCH_FORCE:
                self.touch_down(measured, reference)
            else:
                self._since_lift_off += dt
                self.late += dt
                self._search_depth = min(self._search_depth + SEARCH_SPEED * dt, MAX_SEARCH_DEPTH)
                self.missed = self._search_depth >= MAX_SEARCH_DEPTH

    def find_displacement(self, planned: np.ndarray, velocity: np.ndarray, acceleration: np.ndarray) -> Shift:
        """Find how far the posture has it from the motion's own pose, so that it stands still where it is in contact.

        Args:
            planned: The motion's pose, shape ``(4, 4)``, in world.
            velocity: How that moves, in world axes, shape ``(6,)``.
            acceleration: Likewise.
        """
        if self.in_contact:
            self._displacement = measure_offset(self._foothold, planned)
            return Shift(value=self._displacement, rate=-velocity, acceleration=-acceleration)
        return self._decay(self._displacement, DISPLACEMENT_DECAY_TIME)

    def find_offset(self) -> Shift:
        """Find how far it really is from where the posture has it, or is put down further to find ground."""
        offset = self._decay(self._offset, OFFSET_DECAY_TIME)
        search = self._search_depth * np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
        return Shift(value=offset.value - search, rate=offset.rate, acceleration=offset.acceleration)

    def _decay(self, shift: np.ndarray, time: float) -> Shift:
        """Return what is left of a shift that goes in a time after the foot was lifted [s]."""
        if self.in_contact:
            return Shift(value=shift, rate=np.zeros(6), acceleration=np.zeros(6))
        left, rate, acceleration = compute_remainder(self._since_lift_off / time)
        return Shift(value=left * shift, rate=rate / time * shift, acceleration=acceleration / time**2 * shift)


def measure_offset(pose: np.ndarray, desired: np.ndarray) -> np.ndarray:
    """Measure how far a pose is from a desired one: displacement and turn in world axes, shape ``(6,)`` [m, rad]."""
    return np.concatenate([pose[:3, 3] - desired[:3, 3], pin.log3(pose[:3, :3] @ desired[:3, :3].T)])


def shift_pose(pose: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """Return a pose shifted by a displacement and a turn in world axes."""
    shifted = pose.copy()
    shifted[:3, 3] += shift[:3]
    shifted[:3, :3] = pin.exp3(shift[3:]) @ pose[:3, :3]
    return shifted
