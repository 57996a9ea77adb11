"""How long a control cycle is: as long as what has passed of the robot's time since the one before."""

from __future__ import annotations

import math

from handhold.robots.robot import MAX_PERIOD


class CyclePeriod:
    r"""Measures the length of each cycle, so that the reference keeps to the robot's time, states missed or not.

    .. math:: \Delta_k = \min(\Delta_{max}, T \max(1, \lfloor (t_k - s_{k-1}) / T \rceil)), \quad
        s_k = \min(s_{k-1} + \Delta_k, t_k + \Delta_{max})

    with the robot's period T, the time :math:`t_k` of its state, and the time :math:`s_k` until which the reference has gone.
    Whole periods, because a state's time jitters by the part of one. What walks by less time than its robot falls behind one
    that falls. States that come in a bunch, after a delay, are each a period all the same: the reference is ahead then, and
    waits when the next one is late. Where more than :math:`\Delta_{max}` has passed the rest is left behind, so that the
    robot never hurries.
    """

    def __init__(self, period: float) -> None:
        """Begin before the first cycle of a robot with a control period [s]."""
        self._period = period
        self._cycle_time = self._state_time = self._reference_time = math.nan

    def measure(self, state_time: float, now: float) -> float:
        """Return the length of a cycle [s].

        Args:
            state_time: Time of the robot's state by its own clock [s].
            now: When the cycle begins, by the host's clock [s]; it counts where the robot has told nothing since the last one.
        """
        elapsed, is_new = now - self._cycle_time, state_time != self._state_time
        self._cycle_time, self._state_time = now, state_time
        if not is_new:
            length = min(max(elapsed, self._period), MAX_PERIOD)
            self._reference_time += length
            return length
        passed = state_time - self._reference_time
        periods = 1 if math.isnan(passed) else max(1, round(passed / self._period))
        length = min(periods * self._period, MAX_PERIOD)
        is_left_behind = math.isnan(passed) or passed > MAX_PERIOD
        self._reference_time = state_time if is_left_behind else min(self._reference_time + length, state_time + MAX_PERIOD)
        return length
