"""What the operator feels of the robot."""

from __future__ import annotations

from handhold.devices.device import HapticPulse
from handhold.render.snapshot import Snapshot

_ENGAGED = {"amplitude": 0.4, "duration": 0.03}
_LOST = {"amplitude": 1.0, "duration": 0.15}


def find_pulses(before: Snapshot | None, after: Snapshot) -> tuple[HapticPulse, ...]:
    """Return what the operator is to feel between two cycles: a tick where a hand is engaged, a knock where it is let go."""
    if before is None:
        return ()
    pulses = []
    for hand in ("left", "right"):
        was, now = getattr(before, hand).engaged, getattr(after, hand).engaged
        if now and not was:
            pulses.append(HapticPulse(hand=hand, **_ENGAGED))
        elif was and not now:
            pulses.append(HapticPulse(hand=hand, **_LOST))
    return tuple(pulses)
