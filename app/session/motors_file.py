"""The file through which a maker's robot is driven: its guard and its host have it in memory."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from handhold.app.session.config import SIMULATED_BODY

MEMORY = Path("/dev/shm")
"""A folder that lies on no disk, where there is one."""


@contextmanager
def motors_file(body: str) -> Iterator[str]:
    """Make the file for a session, and remove it after; its name is empty where a simulation needs none."""
    if body == SIMULATED_BODY:
        yield ""
        return
    from handhold.robots.unitree.shared_motors import make_shared_file

    handle, name = tempfile.mkstemp(prefix="handhold-motors-", dir=MEMORY if MEMORY.is_dir() else None)
    os.close(handle)
    try:
        make_shared_file(Path(name))
        yield name
    finally:
        Path(name).unlink(missing_ok=True)
