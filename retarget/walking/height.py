"""How high the centre of mass goes over feet that stand higher and lower."""

from __future__ import annotations


class HeightFollower:
    """Follows the ground under the feet, and sinks a little while the robot walks.

    Attributes:
        ground: Height of the ground as followed [m].
        climb: Rate at which the centre of mass rises [m/s].
    """

    def __init__(self, height: float, ground: float, drop: float, filter_time: float) -> None:
        """Begin standing.

        Args:
            height: Of the centre of mass over the ground [m].
            ground: Height of the ground [m].
            drop: How much lower the centre of mass is while the robot walks [m].
            filter_time: Time constant with which it follows [s].
        """
        self._standing, self._most_drop, self._filter_time = height, drop, filter_time
        self._drop = 0.0
        self.ground, self.climb = ground, 0.0

    @property
    def height(self) -> float:
        """Height of the centre of mass in world [m]."""
        return self._standing + self.ground - self._drop

    def follow(self, ground: float, dt: float, *, still: bool) -> None:
        """Go on by ``dt`` [s] towards a height of the ground [m]; ``still`` is whether the robot stands for good."""
        part, before = dt / (self._filter_time + dt), self.height
        self.ground += part * (ground - self.ground)
        self._drop += part * ((0.0 if still else self._most_drop) - self._drop)
        self.climb = (self.height - before) / dt
