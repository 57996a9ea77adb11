"""Priority of a session's loops over ordinary processes."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

HOST_NICENESS = -10
STATION_NICENESS = -5
"""Before the browser, which on a machine without a GPU takes all it can get; after the robot."""


def ask_for_priority(niceness: int) -> None:
    """Ask that this process and the threads it starts run before others; without the right to it they run as others do.

    Beside busy processes an ordinary loop was up to 70 ms late to hold a robot whose operator was lost. Linux weighs sessions
    before it weighs processes (autogroups): a session that is ours alone is made nicer too.
    """
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, niceness)
    if os.getsid(0) == os.getpid():
        with contextlib.suppress(OSError):
            Path("/proc/self/autogroup").write_text(str(niceness), encoding="ascii")
