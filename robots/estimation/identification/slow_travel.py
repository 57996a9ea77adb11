r"""A joint travels the same way there and back, at two speeds: what it takes to turn it differs by twice its friction."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, pairwise

from handhold.robots.joint_target import JointTarget

SPEEDS = (0.15, 0.45)
"""Speeds at which a way is travelled [rad/s]: slow enough to be gentle, and far enough apart to tell viscous friction."""

ACCELERATION = 4.0
"""Of a joint that gets moving or comes to rest [rad/s^2]."""


@dataclass(frozen=True, slots=True)
class _Leg:
    """From rest to rest with a trapezoidal velocity.

    Attributes:
        begin: Where it begins [rad].
        end: Where it ends [rad].
        speed: Its largest speed [rad/s].
    """

    begin: float
    end: float
    speed: float

    @property
    def rise(self) -> float:
        """Time in which it gets moving [s]."""
        return min(self.speed / ACCELERATION, (abs(self.end - self.begin) / ACCELERATION) ** 0.5)

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        top = ACCELERATION * self.rise
        return self.rise + abs(self.end - self.begin) / top if top > 0.0 else 0.0

    def at(self, time: float) -> JointTarget:
        """Return where the joint is to be at a time since its beginning [s]."""
        rise, left = self.rise, self.duration - time
        top = ACCELERATION * rise
        sign = 1.0 if self.end >= self.begin else -1.0
        if time < rise:
            return JointTarget(
                displacement=self.begin + 0.5 * sign * ACCELERATION * time**2, velocity=sign * ACCELERATION * time
            )
        if left < rise:
            return JointTarget(
                displacement=self.end - 0.5 * sign * ACCELERATION * left**2, velocity=sign * ACCELERATION * left
            )
        return JointTarget(displacement=self.begin + sign * top * (time - 0.5 * rise), velocity=sign * top)


class SlowTravel:
    """From where a joint is held to one end of a way, there and back at each speed, and home (see ``Excitation``).

    Attributes:
        lower: Lower end of the way, from where the joint is held [rad].
        upper: Its upper end, likewise.
        duration: How long it takes [s].
    """

    def __init__(self, lower: float, upper: float, speeds: tuple[float, ...] = SPEEDS) -> None:
        """Plan it; both ends may be to the same side of where the joint is held."""
        self.lower, self.upper = lower, upper
        ways = [leg for speed in speeds for leg in ((upper, speed), (lower, speed))]
        stops = [(0.0, speeds[0]), (lower, speeds[0]), *ways, (0.0, speeds[0])]
        self._legs = [_Leg(begin, end, speed) for (begin, _), (end, speed) in pairwise(stops)]
        self._ends = list(accumulate(leg.duration for leg in self._legs))
        self.duration = self._ends[-1]

    def at(self, time: float) -> JointTarget:
        """Return where the joint is to be at a time [s]."""
        for leg, end in zip(self._legs, self._ends, strict=True):
            if 0.0 <= time < end:
                return leg.at(time - (end - leg.duration))
        return JointTarget()
