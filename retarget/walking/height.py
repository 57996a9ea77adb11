"""Height of the centre of mass over feet that stand higher and lower."""

from __future__ import annotations


class ComHeightFilter:
    """Low-pass filter of the height of the ground under the feet; sinks a little while the robot walks.

    Attributes:
        ground: Height of the ground as followed [m].
        height_rate: Rate at which the centre of mass rises [m/s].
    """

    def __init__(self, height: float, ground: float, drop: float, filter_time: float) -> None:
        """Begin standing.

        Args:
            height: Of the centre of mass over the ground [m].
            ground: Height of the ground [m].
            drop: How much lower the centre of mass is while the robot walks [m].
            filter_time: Time constant with which it follows [s].
        """
        self._standing, self._max_drop, self._filter_time = height, drop, filter_time
        self._drop = 0.0
        self.ground, self.height_rate = ground, 0.0

    @property
    def height(self) -> float:
        """Height of the centre of mass in world [m]."""
        return self._standing + self.ground - self._drop

    def follow(self, ground: float, dt: float, *, at_rest: bool) -> None:
        """Go on by ``dt`` [s] towards a height of the ground [m]; ``at_rest`` is whether the robot stands for good."""
        part, before = dt / (self._filter_time + dt), self.height
        self.ground += part * (ground - self.ground)
        self._drop += part * ((0.0 if at_rest else self._max_drop) - self._drop)
        self.height_rate = (self.height - before) / dt
