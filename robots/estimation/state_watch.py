"""Whether the robot's state can be believed."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from handhold.robots.robot import RobotState

LOST_AFTER = 0.02
"""Time without a believable state after which the state is lost, and the robot holds [s].

A maker's robot whose states are late by 8 ms, two cycles, walks on: held, it would stop in mid-stride for a hiccup of a busy
machine, and its operator would have to begin anew.
"""

DAMP_AFTER = 0.1
"""Time without a believable state after which torques computed from an old one do more harm than none [s].

Not periods: where states stay away, a cycle waits for them, and takes twice as long or more.
"""

MAX_JUMP = 0.2
"""How far a joint's position may be from where its velocity has led it since the last believable state [rad]."""

FROZEN_AFTER = 0.02
"""Time for which an inertial unit may tell the same to the last bit [s]: what measures anew has noise."""

_TIME_TOLERANCE = 1e-9
"""What sums of periods are off by [s]."""


class StateWatch:
    """Passes on states that can be believed, and the last of them in place of others.

    Attributes:
        refused: States refused so far.
        missed: How many of them in a row now.
        silence: How long these took [s].
    """

    def __init__(self, state: RobotState) -> None:
        """Begin with a state that is known to be good."""
        self.refused = 0
        self.missed, self.silence = 0, 0.0
        self._last = state
        self._begun = False
        self._inertial, self._inertial_since = state.inertial, state.time

    @property
    def lost(self) -> bool:
        """Whether no believable state came for so long that the robot has to hold."""
        return self.silence >= LOST_AFTER - _TIME_TOLERANCE

    @property
    def hopeless(self) -> bool:
        """Whether none came for so long that the robot has to be damped."""
        return self.silence >= DAMP_AFTER - _TIME_TOLERANCE

    def take(self, state: RobotState, dt: float) -> RobotState:
        """Return ``state``, or the last good one where this one is not finite or no newer, or its sensors jump or freeze.

        Args:
            state: What the robot tells.
            dt: Time since it was asked last [s].
        """
        if self._is_believable(state):
            self.missed, self.silence = 0, 0.0
            self._begun = True
            self._last = state
        else:
            self.missed += 1
            self.refused += 1
            self.silence += dt
        return self._last

    def _is_believable(self, state: RobotState) -> bool:
        # The first state may be the one we began with.
        last = self._last
        newer = state.time > last.time or (not self._begun and state.time >= last.time)
        if not newer or not are_finite(state.q, state.v, state.contact_wrenches.ravel(), state.joint_torques):
            return False
        if self._is_frozen(state):
            return False
        # After longer nobody knows how it has moved.
        gap = state.time - last.time
        return gap > DAMP_AFTER or find_jump((last.q, last.v), (state.q, state.v), gap) <= MAX_JUMP

    def _is_frozen(self, state: RobotState) -> bool:
        """Whether the inertial unit, if it has one, has told the same for too long."""
        if state.inertial.size == 0:
            return False
        if not np.array_equal(state.inertial, self._inertial):
            self._inertial, self._inertial_since = state.inertial, state.time
        return state.time - self._inertial_since > FROZEN_AFTER


@njit(cache=True)
def are_finite(q: np.ndarray, v: np.ndarray, wrenches: np.ndarray, torques: np.ndarray) -> bool:
    """Whether all numbers of a state are finite, shape ``(k,)`` each."""
    return _count_spoilt(q) + _count_spoilt(v) + _count_spoilt(wrenches) + _count_spoilt(torques) == 0


@njit(cache=True)
def find_jump(before: tuple[np.ndarray, np.ndarray], after: tuple[np.ndarray, np.ndarray], dt: float) -> float:
    r"""Find the largest :math:`|\theta_k - \theta_{k-1} - (\dot\theta_{k-1} + \dot\theta_k) dt / 2|` of all joints [rad].

    Args:
        before: Configuration, shape ``(nq,)``, and velocity, shape ``(nv,)``, of a state.
        after: Those of a later one.
        dt: Time between them [s].
    """
    largest = 0.0
    for joint in range(before[1].size - 6):
        led = 0.5 * dt * (before[1][6 + joint] + after[1][6 + joint])
        largest = max(largest, abs(after[0][7 + joint] - before[0][7 + joint] - led))
    return largest


@njit(cache=True)
def _count_spoilt(values: np.ndarray) -> int:
    count = 0
    for value in values:
        count += not math.isfinite(value)
    return count
