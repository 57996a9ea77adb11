"""Where the feet of a motion really are: they stand a little off, and take that along until the next swing.

A foot that bears has a *contact pose*, where it was measured as it touched down: the controller is told that, and nothing
else, until it is lifted. The posture of the reference had it a little beside; it comes there within ``BLENDING_TIME``, so that
joints do not jump. How far that is from the motion's own pose is the foot's *displacement*: legs reach for it, the body goes
along.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from handhold.retarget.least_jerk import compute_remainder

TOUCH_FORCE = 10.0
"""Normal force from which on a foot counts as having touched [N]: more than sensors and a swinging foot show."""

OFFSET_DECAY_TIME = 0.3
"""Time after it was lifted in which what a foot was measured beside its posture goes [s]."""

BLENDING_TIME = 0.8
"""Time in which a posture comes to where a foot has touched down, and back to the motion's own path after it was lifted [s]:
slow, so that the centre of mass is hardly accelerated. What is left of the latter when the foot lands stays."""

MIN_SETTLING_SPEED = 1e-4
"""Speed under which nothing is left to come [m/s, rad/s]."""

SEARCH_SPEED, MAX_SEARCH_DEPTH = 0.1, 0.03
"""Speed [m/s] with which a foot that should support and finds no ground is put down further, and how far [m]."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Shift:
    """A displacement and a turn in world axes and their two derivatives, shape ``(6,)`` each [m, rad], per s and s^2."""

    value: np.ndarray
    rate: np.ndarray
    acceleration: np.ndarray


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class FootPoses:
    """Where a foot is in world, shape ``(4, 4)`` each.

    Attributes:
        measured: As measured.
        reference: In the posture of the reference.
        planned: In the motion itself.
    """

    measured: np.ndarray
    reference: np.ndarray
    planned: np.ndarray


class ContactTracker:
    """Tracks the contact of one effector.

    Attributes:
        in_contact: Whether it supports: it should, and the contact was measured.
        late: For how long it should have supported without measured contact [s].
        missed: Whether it was put down as far as it may, and found nothing.
        contact_pose: Where it was measured when it touched down last, shape ``(4, 4)``.
    """

    def __init__(self) -> None:
        self.in_contact = self.missed = False
        self.late = 0.0
        self.contact_pose = np.eye(4)
        # The posture's pose at touch-down, and how far the measured one was from it.
        self._touched, self._offset = np.eye(4), np.zeros(6)
        # Of the posture from the motion, as the foot was lifted.
        self._displacement = np.zeros(6)
        # Time since it touched down, or was lifted.
        self._since = np.inf
        self._search_depth = 0.0

    def touch_down(self, measured: np.ndarray, reference: np.ndarray) -> None:
        """Support at the pose ``measured``, where the posture has it at ``reference``, shape ``(4, 4)`` each, in world."""
        self.in_contact, self.missed, self.late = True, False, 0.0
        self.contact_pose, self._touched = measured.copy(), reference.copy()
        self._offset = measure_offset(measured, reference)
        self._search_depth = self._since = 0.0

    def step(self, should_support: bool, force: float, poses: FootPoses, dt: float) -> None:
        """Go on by ``dt``.

        Args:
            should_support: Whether it should support.
            force: Measured normal force [N].
            poses: Where it is.
            dt: Time since the last call [s].
        """
        self._since += dt
        if not should_support:
            if self.in_contact:
                self._lift_off(poses)
            self._search_depth = max(self._search_depth - SEARCH_SPEED * dt, 0.0)
            self.missed, self.late = False, 0.0
        elif not self.in_contact:
            if force > TOUCH_FORCE:
                self.touch_down(poses.measured, poses.reference)
            else:
                self.late += dt
                self._search_depth = min(self._search_depth + SEARCH_SPEED * dt, MAX_SEARCH_DEPTH)
                self.missed = self._search_depth >= MAX_SEARCH_DEPTH

    def _lift_off(self, poses: FootPoses) -> None:
        self.in_contact, self._since = False, 0.0
        self._displacement = measure_offset(poses.reference, poses.planned)
        self._offset = measure_offset(self.contact_pose, poses.reference)

    @property
    def settling(self) -> bool:
        """Whether the posture still comes to where the foot stands, or back to the motion's path."""
        shift = self._offset if self.in_contact else self._displacement
        return bool(np.abs(_decay(shift, self._since, BLENDING_TIME).rate).max() > MIN_SETTLING_SPEED)

    def find_displacement(self, planned: np.ndarray, velocity: np.ndarray, acceleration: np.ndarray) -> Shift:
        """Find how far the posture has it from the motion's own pose.

        Args:
            planned: The motion's pose, shape ``(4, 4)``, in world.
            velocity: How that moves, in world axes, shape ``(6,)``.
            acceleration: Likewise.
        """
        if not self.in_contact:
            return _decay(self._displacement, self._since, BLENDING_TIME)
        left = _decay(self._offset, self._since, BLENDING_TIME)
        posed = shift_pose(self._touched, self._offset - left.value)
        return Shift(
            value=measure_offset(posed, planned),
            rate=-left.rate - velocity,
            acceleration=-left.acceleration - acceleration,
        )

    def find_offset(self) -> Shift:
        """Find how far from where the posture has it a foot in the air is told to be: as it was, or further down."""
        offset = _decay(self._offset, self._since, OFFSET_DECAY_TIME)
        search = self._search_depth * np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
        return Shift(value=offset.value - search, rate=offset.rate, acceleration=offset.acceleration)


def _decay(shift: np.ndarray, since: float, time: float) -> Shift:
    """Return what is left of a shift that goes in a time, a while after it began to [s]."""
    left, rate, acceleration = compute_remainder(since / time)
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
