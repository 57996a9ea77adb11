"""When the operator is read: at every new sample in its cycle, at a known one as often as a command is followed."""

from __future__ import annotations

from handhold.devices.operator_input import OperatorInput
from handhold.retarget.engagement.presence import SLOWING_AFTER

PERIOD = 2e-3
"""Period at which a sample that is known is read again [s]: that at which the modes follow a command."""

# A sum of control periods misses their total by rounding.
_TIME_TOLERANCE = 1e-9


class Attention:
    """Decides cycle by cycle whether the command of before may go on.

    It may not where a sample is new, has become late or was changed by the host, nor where something else asks for it.
    What a device samples (poses, squeezes, sticks, buttons) never changes under one number, and is not compared.
    """

    def __init__(self) -> None:
        """Begin without a sample."""
        self._last_sample: OperatorInput | None = None
        self._pending = 0.0

    def check(self, sample: OperatorInput, dt: float, *, at_once: bool) -> float:
        """Return the time since the last reading [s] where the sample is to be read now; 0 where it need not be.

        Args:
            sample: The newest one, with its age.
            dt: Length of the cycle [s].
            at_once: Whether something else asks for a reading.
        """
        self._pending += dt
        known = self._last_sample is not None and repeats(sample, self._last_sample) and sample.age < SLOWING_AFTER
        if known and not at_once and self._pending < PERIOD - _TIME_TOLERANCE:
            return 0.0
        elapsed, self._pending, self._last_sample = self._pending, 0.0, sample
        return elapsed


def repeats(sample: OperatorInput, before: OperatorInput) -> bool:
    """Whether a sample is another one once more, whatever its age.

    One of another number is new; a host that takes away its focus, or puts in a stop, does so under the same number.
    """
    same = sample.sequence == before.sequence and sample.device == before.device and sample.origin == before.origin
    return same and sample.focused == before.focused and sample.stop == before.stop and sample.request == before.request
