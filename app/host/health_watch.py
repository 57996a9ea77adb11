"""Whether a robot is well enough to be driven on, in words for the operator."""

from __future__ import annotations

from handhold.robots.health import HealthLimits, RobotHealth

CHECK_PERIOD = 0.1
"""Time between two looks at it [s]."""

LASTING = 0.5
"""How long something is to last before it counts [s]: a step takes more of the supply for a moment, a reading may be wrong."""


class HealthWatch:
    """Judges how a robot is; a warning stays until it is clearly better, and a reason to rest for good.

    Attributes:
        health: How the robot was when it was looked at last; None before.
        warning: ``"left knee motor at 78 C: it comes to rest at 85 C"``; empty while there is nothing to warn of.
        ending: Why the robot is to come to rest and to be handed back; empty while there is no reason.
        concerns: What there is to say, without its figures, which change all the time.
    """

    def __init__(self, limits: HealthLimits) -> None:
        """Begin with a robot that nothing is known of."""
        self.health: RobotHealth | None = None
        self.warning = self.ending = ""
        self.concerns: frozenset[str] = frozenset()
        self._limits = limits
        self._looked_at = -CHECK_PERIOD
        self._is_warm = _Lasting(limits.warm, limits.warm - limits.cooling)
        self._is_hot = _Lasting(limits.hot, limits.hot)
        # Of what has to be above a limit, the negative is below one.
        self._is_low = _Lasting(-limits.low, -limits.low - limits.charging)
        self._is_empty = _Lasting(-limits.empty, -limits.empty)
        self._is_silent = _Lasting(1.0, 1.0)

    def is_due(self, now: float) -> bool:
        """Whether the next look is due at a time [s]."""
        return now - self._looked_at >= CHECK_PERIOD

    def update(self, health: RobotHealth, now: float) -> None:
        """Look at a robot.

        Args:
            health: How it is.
            now: By a monotonic clock [s].
        """
        self.health, self._looked_at = health, now
        limits = self._limits
        motor = f"{health.hottest} motor at {health.temperature:.0f} C"
        supply = "" if health.voltage is None else f"supply at {health.voltage:.1f} V"
        below = float("-inf") if health.voltage is None else -health.voltage
        self._is_warm.update(health.temperature, now)
        self._is_low.update(below, now)
        warnings = (
            ("warm", self._is_warm, f"{motor}: it comes to rest at {limits.hot:.0f} C"),
            ("low", self._is_low, f"{supply}: it comes to rest at {limits.empty:.1f} V"),
        )
        self.warning = "; ".join(words for _, lasting, words in warnings if lasting.holds)
        reasons = (
            (self._is_hot, health.temperature, f"{motor}: let it cool"),
            (self._is_empty, below, f"{supply}: charge its battery"),
            (self._is_silent, float(bool(health.silent)), f"no state comes from {', '.join(health.silent)}"),
        )
        for lasting, value, words in reasons:
            lasting.update(value, now)
            if lasting.holds and not self.ending:
                self.ending = f"the robot comes to rest and is handed back: {words}"
        held = {name for name, lasting, _ in warnings if lasting.holds}
        self.concerns = frozenset(held | ({"ending"} if self.ending else set()))


class _Lasting:
    """Whether a value has reached a limit for a while; it holds until the value is below another one.

    Attributes:
        holds: Whether it does.
    """

    def __init__(self, limit: float, release: float) -> None:
        self.holds = False
        self._limit, self._release = limit, release
        self._since = float("inf")

    def update(self, value: float, now: float) -> None:
        """Take a value at a time [s]."""
        self._since = min(self._since, now) if value >= self._limit else float("inf")
        self.holds = now - self._since >= LASTING or (self.holds and value >= self._release)
