"""Whether the operator is there: link, focus, device and its origin."""

from __future__ import annotations

from handhold.devices.operator_input import OperatorInput

SLOWING_AFTER = 0.05
"""Age of the operator's samples [s] from which on the robot slows down."""

LINK_LOST_AFTER = 0.08
"""Age of the operator's samples [s] from which on the link is lost and everything disengages.

The robot must hold within 100 ms; the rest is for a host that is woken late on a busy machine (15 ms were seen).
"""

# A sum of control periods misses their total by rounding.
_TIME_TOLERANCE = 1e-9


def compute_speed(age: float) -> float:
    """Compute how fast the robot may be for samples of this age [s]: 1 until 50 ms, 0 from 80 ms, a line in between."""
    if not age < LINK_LOST_AFTER - _TIME_TOLERANCE:
        return 0.0
    return min(1.0, (LINK_LOST_AFTER - age) / (LINK_LOST_AFTER - SLOWING_AFTER))


class Presence:
    """Watches whether samples of one operator keep coming.

    Attributes:
        fresh: The last sample is new.
        changed: It comes from another run of a device or counts from another origin: what was latched holds no more.
        speed: How fast the robot may be, 0 to 1.
        linked: Samples arrive in time.
        focused: The operator is there.
        lost_link: How often samples stopped arriving in time.
    """

    def __init__(self) -> None:
        self.fresh = self.changed = self.linked = self.focused = False
        self.speed = 0.0
        self.lost_link = 0
        self._source: tuple[str, int] | None = None
        self._sequence = 0
        self._silence = 0.0

    def update(self, operator_input: OperatorInput, dt: float) -> None:
        """Take the newest sample there is, which may be the one of the last step [s] ago."""
        source = (operator_input.device, operator_input.origin)
        self.changed = source != self._source
        self.fresh = self.changed or operator_input.sequence > self._sequence
        self._source, self._sequence = source, max(operator_input.sequence, 0 if self.changed else self._sequence)
        self._silence = 0.0 if self.fresh else self._silence + dt
        self._watch_link(max(operator_input.age, self._silence))
        self.focused = operator_input.focused

    def _watch_link(self, age: float) -> None:
        self.speed = compute_speed(age)
        self.lost_link += self.linked and self.speed == 0.0
        self.linked = self.speed > 0.0
