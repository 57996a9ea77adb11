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

    @property
    def lost(self) -> bool:
        """Whether no believable state came for so long that the robot has to hold."""
        return self.silence >= LOST_AFTER - _TIME_TOLERANCE

    @property
    def hopeless(self) -> bool:
        """Whether none came for so long that the robot has to be damped."""
        return self.silence >= DAMP_AFTER - _TIME_TOLERANCE

    def take(self, state: RobotState, dt: float) -> RobotState:
        """Return ``state``, or the last good one where this one is not finite or no newer.

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
        newer = state.time > self._last.time or (not self._begun and state.time >= self._last.time)
        return newer and are_finite(state.q, state.v, state.contact_wrenches.ravel(), state.joint_torques)


@njit(cache=True)
def are_finite(q: np.ndarray, v: np.ndarray, wrenches: np.ndarray, torques: np.ndarray) -> bool:
    """Whether all numbers of a state are finite, shape ``(k,)`` each."""
    return _count_spoilt(q) + _count_spoilt(v) + _count_spoilt(wrenches) + _count_spoilt(torques) == 0


@njit(cache=True)
def _count_spoilt(values: np.ndarray) -> int:
    count = 0
    for value in values:
        count += not math.isfinite(value)
    return count
