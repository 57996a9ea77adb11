"""The sessions that run on this machine, each in a file that its user alone can read: so that a second station can join."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import msgspec

from handhold.app.errors import AppError
from handhold.app.logs.lock import lock_for_writing
from handhold.app.session.config import SessionConfig, default_log_folder


class NoSession(AppError):
    """No session runs that a station could join."""

    def __init__(self, robot: str | None) -> None:
        self.robot = robot
        of = f" of {robot}" if robot else ""
        super().__init__(f"no session{of} of this user runs on this machine; start one with 'handhold run'")


def default_session_folder() -> Path:
    """Return the folder of this user's running sessions."""
    return default_log_folder().parent / "sessions"


@contextmanager
def published(config: SessionConfig, folder: Path) -> Iterator[Path]:
    """Keep a session's configuration, its key among it, in a file while the block lasts.

    Raises:
        OSError: The file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    file = folder / f"{os.getpid()}.json"
    # one that is left of a process of this number that died is not to be believed, whoever made it
    file.unlink(missing_ok=True)
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
        # held until the process ends, whatever ends it: a file that nobody holds is one of a session that died
        lock_for_writing(stream)
        stream.write(msgspec.json.encode(config))
        stream.flush()
        try:
            yield file
        finally:
            file.unlink(missing_ok=True)


def find_session(folder: Path, robot: str | None = None) -> SessionConfig:
    """Return the session that began last, of any robot or of one by its name; files of sessions that died are removed.

    Raises:
        NoSession: There is none.
    """
    sessions = [session for file in folder.glob("*.json") if (session := _read(file)) is not None]
    fitting = [(begun, config) for begun, config in sessions if robot in (None, config.robot)]
    if not fitting:
        raise NoSession(robot)
    return max(fitting, key=lambda session: session[0])[1]


def _read(file: Path) -> tuple[float, SessionConfig] | None:
    """Return when a session began and what it is; None, and its file removed, where it has ended."""
    try:
        with file.open("rb") as stream:
            if os.fstat(stream.fileno()).st_uid != os.getuid():
                return None
            if not _is_held(stream):
                file.unlink()
                return None
            return os.fstat(stream.fileno()).st_mtime, msgspec.json.decode(stream.read(), type=SessionConfig)
    except (OSError, msgspec.MsgspecError):
        return None


def _is_held(stream: BinaryIO) -> bool:
    try:
        fcntl.flock(stream, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False
