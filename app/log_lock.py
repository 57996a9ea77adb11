"""Locks that tell other processes of this machine that a log is being written or read; they end with the process.

Advisory locks of whole files (``flock``): nobody is kept from reading, only the removal of old logs asks for them.
"""

from __future__ import annotations

import contextlib
import fcntl
from pathlib import Path
from typing import BinaryIO


def lock_for_writing(stream: BinaryIO) -> None:
    """Mark a file as written until it is closed; nothing where the file system has no locks."""
    _try_lock(stream, fcntl.LOCK_EX)


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


def _try_lock(stream: BinaryIO, kind: int) -> None:
    with contextlib.suppress(OSError):
        fcntl.flock(stream, kind | fcntl.LOCK_NB)
