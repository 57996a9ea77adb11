r"""Force feedback of a hand: a vibration, the stronger the more it differs from what the hand has got used to.

.. math:: a = a_{max} \min(1, |F - F_0| / F_{full}), \qquad \dot F_0 = (F - F_0) / \tau

A load that stays fades, as it does on a hand of one's own; a push, a slip, a grip that grows are felt in the cycle in which
they are measured. Controllers vibrate for as long as they are told, so that a train of short pulses makes it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from handhold.devices.device import HapticPulse

MIN_CHANGE, FULL_CHANGE = 4.0, 80.0
"""Change of the force from which on it is felt, and of the strongest vibration [N]."""

MAX_AMPLITUDE, FREQUENCY = 0.7, 110.0
"""Of the vibration [-], [Hz]: less than that of what happens to a hand, and lower than a touch."""

FADE_TIME = 1.5
"""Time constant with which the operator gets used to a force [s]."""

PERIOD, DURATION = 0.04, 0.06
"""From one pulse to the next, and length of each [s]: they overlap."""

MAX_GAP = 0.1
"""Longest time between two cycles that counts [s]."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class ForceFeedback:
    """What one hand of the operator feels of a force.

    Attributes:
        effector: Name of the effector that it is on.
        baseline: Force that it has got used to, in the effector's contact frame, three components [N].
        time: Robot's clock of the cycle [s].
        next_pulse_time: When the next pulse may come, by the same clock [s].
    """

    effector: str
    baseline: tuple[float, ...]
    time: float
    next_pulse_time: float = -math.inf

    @classmethod
    def begin(cls, effector: str, force: Sequence[float], time: float) -> ForceFeedback:
        """Return what is felt by a hand that is used to a force (see ``update``)."""
        return cls(effector=effector, baseline=tuple(force), time=time)

    def wait_for(self, pulse: HapticPulse) -> ForceFeedback:
        """Return it with another pulse of the hand, which begins now, left to end."""
        return replace(self, next_pulse_time=max(self.next_pulse_time, self.time + pulse.duration))

    def update(self, effector: str, force: Sequence[float], time: float) -> ForceFeedback:
        """Return it a cycle later; on another effector, or where the clock was set back, it is used to what is there.

        Args:
            effector: Name of the effector that the hand commands.
            force: On it, in its contact frame, three components [N].
            time: Robot's clock [s].
        """
        if effector != self.effector or time < self.time:
            return ForceFeedback.begin(effector, force, time)
        ratio = 1.0 - math.exp(-min(max(0.0, time - self.time), MAX_GAP) / FADE_TIME)
        baseline = tuple(before + ratio * (now - before) for before, now in zip(self.baseline, force, strict=True))
        return replace(self, baseline=baseline, time=time)

    def find_pulse(self, hand: str, force: Sequence[float]) -> tuple[ForceFeedback, HapticPulse | None]:
        """Return it after this cycle's pulse, and the pulse, if there is one.

        Args:
            hand: ``"left"`` or ``"right"``.
            force: As in ``update``.
        """
        change = math.dist(force, self.baseline)
        if not change >= MIN_CHANGE or self.time < self.next_pulse_time:
            return self, None
        amplitude = MAX_AMPLITUDE * min(1.0, change / FULL_CHANGE)
        pulse = HapticPulse(hand=hand, amplitude=amplitude, duration=DURATION, frequency=FREQUENCY)
        return replace(self, next_pulse_time=self.time + PERIOD), pulse
