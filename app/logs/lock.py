"""Locks that tell other processes of this machine that a log is being written or read; they end with the process.

Advisory locks of whole files (``flock``): nobody is kept from reading, only the removal of old logs asks for them.
"""

from __future__ import annotations

import fcntl
import time
from pathlib import Path
from typing import BinaryIO

TRIES = 10
TRY_AGAIN = 1e-3
"""How often, and after which time [s], a writer asks again for a lock that somebody holds."""


def lock_for_writing(stream: BinaryIO) -> None:
    """Mark a file as written until it is closed; nothing where the file system has no locks.

    Who asks whether a file is in use holds its lock for some microseconds: the writer waits for that.
    """
    for _ in range(TRIES):
        if _try_lock(stream, fcntl.LOCK_EX):
            return
        time.sleep(TRY_AGAIN)


def lock_for_reading(stream: BinaryIO) -> None:
    """Mark a file as read until it is closed; nothing where it is still written, or where the file system has no locks."""
    _try_lock(stream, fcntl.LOCK_SH)


def is_in_use(file: Path) -> bool:
    """Return whether somebody writes or reads a file, or whether that cannot be told."""
    try:
        with file.open("rb") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    return False


def _try_lock(stream: BinaryIO, kind: int) -> bool:
    """Return False where somebody else has the lock; a file system without locks counts as one that gave it."""
    try:
        fcntl.flock(stream, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True
