"""The time that the control loop lives by."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


def read_boot_clock() -> float:
    """Return a clock that goes on while the machine sleeps [s], as Linux' monotonic one does not."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopClocks:
    """Clocks of the host, and how it waits by them.

    Attributes:
        monotonic: Monotonic clock [s].
        boot: A clock that goes on while the machine sleeps [s].
        sleep: Waits for a time by the monotonic clock [s].
    """

    monotonic: Callable[[], float] = time.monotonic
    boot: Callable[[], float] = read_boot_clock
    sleep: Callable[[float], None] = time.sleep


MACHINE_CLOCKS = LoopClocks()
