"""The logs of a folder: what they take together, and which of them go first when that is too much.

A log is every file of a session: ``ROBOT-DATE-TIME.mcap``, or ``-2.mcap`` and so on where that was taken, and its further
parts ``.2.mcap``. Nothing else is ever removed, neither a log that is being written or read (see ``lock``) nor one that
somebody has renamed or has put into the subfolder ``kept``.
"""

from __future__ import annotations

import contextlib
import math
import re
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from mcap.opcode import Opcode
from mcap.writer import MCAP0_MAGIC

from handhold.app.errors import AppError
from handhold.app.logs.lock import is_in_use
from handhold.app.logs.output import PROFILE

KEPT = "kept"
"""Subfolder whose logs are never removed and do not count."""

STAMP = "%Y%m%d-%H%M%S"
"""Date and time [UTC] of a start, as in the name of a log."""

DEFAULT_CAP = 20.0
"""Size of all logs in the folder above which the oldest are removed [GB]."""

STEP_BYTES = 1 << 26
"""How far a log grows between two checks of the folder: 35 s of Talos."""

_NAME = re.compile(r"(?P<robot>.+)-(?P<started>\d{8}-\d{6})(?:-(?P<number>\d+))?(?:\.(?P<part>\d+))?\.mcap")
_HEAD = MCAP0_MAGIC + struct.pack("<B", Opcode.HEADER)
_HEAD_LENGTH = len(_HEAD) + struct.calcsize("<Q")


class CapUnusable(AppError):
    """A cap of all logs is no size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredLog:
    """A log in a folder.

    Attributes:
        started: Date and time of its start, as in its name; then its number among those of the same second.
        robot: Robot, as in its name.
        files: Its files.
        size: Size of all of them [bytes].
    """

    started: tuple[str, int]
    robot: str
    files: tuple[Path, ...]
    size: int


def list_logs(folder: Path) -> tuple[StoredLog, ...]:
    """Return the logs of a folder, the oldest first; empty where there is no such folder."""
    groups: dict[tuple[tuple[str, int], str], list[tuple[Path, int]]] = {}
    for file, size in _list_files(folder):
        match = _NAME.fullmatch(file.name)
        if match is not None:
            started = (match["started"], int(match["number"] or 1))
            groups.setdefault((started, match["robot"]), []).append((file, size))
    return tuple(
        StoredLog(started=started, robot=robot, files=tuple(f for f, _ in files), size=sum(size for _, size in files))
        for (started, robot), files in sorted(groups.items())
    )


def find_left_log(folder: Path, robot: str, since: str) -> Path | None:
    """Return the first file of the newest log of a robot that nobody writes any more, or None.

    Args:
        folder: Folder of logs.
        robot: Robot, as in the name of its logs.
        since: Date and time [UTC], as in the name of a log, before which it was not started.
    """
    for log in reversed(list_logs(folder)):
        first = min(log.files, key=lambda file: len(file.name))
        if log.robot == robot and log.started[0] >= since and not any(map(is_in_use, log.files)):
            return first
    return None


def to_bytes(cap: float) -> int:
    """Return a cap [GB] in bytes.

    Raises:
        CapUnusable: It is no size.
    """
    if not (math.isfinite(cap) and cap >= 0.0):
        raise CapUnusable(f"the logs cannot be kept below {cap} GB; give --log-cap a size such as {DEFAULT_CAP:.0f}")
    return round(cap * 1e9)


class LogCap:
    """Keeps all logs of a folder below a size."""

    def __init__(self, folder: Path, cap_bytes: int) -> None:
        """Take the folder and the size of all its logs [bytes]."""
        self._folder = folder
        self._cap = cap_bytes
        self._step = min(STEP_BYTES, cap_bytes // 4)
        self._next = 0

    def make_room(self, written: int) -> None:
        """Remove the oldest logs so that the present one may grow by a step; does nothing until it has.

        What cannot be removed stays: a cap is not worth a session.

        Args:
            written: What has been written of the present log [bytes].
        """
        if written < self._next:
            return
        self._next = written + self._step
        logs = list_logs(self._folder)
        excess = sum(log.size for log in logs) + self._step - self._cap
        for log in logs:
            if excess <= 0:
                return
            if _is_removable(log):
                _remove(log.files)
                excess -= log.size


def _list_files(folder: Path) -> Iterator[tuple[Path, int]]:
    with contextlib.suppress(OSError):
        for file in folder.iterdir():
            with contextlib.suppress(OSError):
                if not file.is_symlink() and file.is_file():
                    yield file, file.stat().st_size


def _is_removable(log: StoredLog) -> bool:
    return all(_is_ours(file) and not is_in_use(file) for file in log.files)


def _is_ours(file: Path) -> bool:
    """Return whether a file begins as every file of a log does: the magic of MCAP, and a header with our profile."""
    try:
        with file.open("rb") as stream:
            head, length, profile = stream.read(_HEAD_LENGTH), stream.read(4), stream.read(len(PROFILE))
    except OSError:
        return False
    return head.startswith(_HEAD) and length == struct.pack("<I", len(PROFILE)) and profile == PROFILE.encode()


def _remove(files: Iterable[Path]) -> None:
    # the last part first: what is left of a log whose removal was interrupted still begins at its beginning
    for file in sorted(files, key=lambda file: (len(file.name), file.name), reverse=True):
        with contextlib.suppress(OSError):
            file.unlink()
