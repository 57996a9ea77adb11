"""Where numba keeps what it compiled: a folder of its own for every state of the sources.

Numba's own cache looks at the file of a compiled function only, not at the files of the functions it calls: after a change
there it would go on running what was compiled before.

A folder that some process uses is never taken away: what two processes then compile anew, each a part of it, does not always
fit together (a call ends in "CPUDispatcher ... returned a result with an exception set", and so does every later one).
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
from collections.abc import Iterable
from pathlib import Path

KEPT = 4
"""Folders of earlier states of the sources that are kept."""

IN_USE = "in-use"
"""File of a folder on which every process that uses it has a lock."""


def choose_cache_folder(package: Path, environment: dict[str, str]) -> Path:
    """Return the folder for the sources below ``package`` as they are now, and forget those of all but a few others."""
    base = Path(environment.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "handhold" / "numba"
    chosen = base / _digest(_sources(package))
    if not chosen.is_dir():
        _forget(base)
    return chosen


def hold(folder: Path) -> None:
    """Keep a folder from being forgotten until this process ends; one that cannot be made is nobody's to forget."""
    with contextlib.suppress(OSError):
        while not _lock(folder):
            pass


def _lock(folder: Path) -> bool:
    """Make a folder and lock it; says whether that is the one there is now: it may have been forgotten just then."""
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder / IN_USE, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        if (folder / IN_USE).stat().st_ino == os.fstat(descriptor).st_ino:
            # It stays open, and the lock with it, until the system closes it.
            return True
    except FileNotFoundError:
        pass
    except OSError:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return False


def _sources(package: Path) -> list[Path]:
    """Return the sources that numba compiles something of: an edit elsewhere must not cost a compilation."""
    # followlinks: in a checkout the packages are links to the folders at the top of the repository
    files = (Path(folder) / name for folder, _, names in os.walk(package, followlinks=True) for name in names)
    return sorted(file for file in files if file.suffix == ".py" and b"from numba import" in file.read_bytes())


def _digest(files: Iterable[Path]) -> str:
    seen = hashlib.sha256()
    for file in files:
        status = file.stat()
        seen.update(f"{file}:{status.st_mtime_ns}:{status.st_size}\n".encode())
    return seen.hexdigest()[:16]


def _forget(base: Path) -> None:
    folders = sorted(base.glob("*"), key=_last_change, reverse=True) if base.is_dir() else []
    for folder in folders[KEPT:]:
        _remove_unused(folder)


def _remove_unused(folder: Path) -> None:
    """Remove a folder that no process has a lock on; nobody gets one before it is gone."""
    try:
        file = (folder / IN_USE).open("r+b")
    except OSError:
        # What was made before there were locks, or by another user.
        shutil.rmtree(folder, ignore_errors=True)
        return
    # Where files cannot be locked nobody can tell who uses it: it is let be.
    with file, contextlib.suppress(OSError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)


def _last_change(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except OSError:  # Another process that starts now has just forgotten it.
        return 0.0
