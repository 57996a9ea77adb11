"""The operator's settings, kept between sessions in a small file that people can edit too."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import msgspec

from handhold.app.errors import to_line
from handhold.render.interface.settings import TURN_ANGLES, Settings
from handhold.robots.files import read_file

MAX_FILE_SIZE = 1 << 16
"""Size beyond which a file is no file of settings [bytes]."""

LAST_WRITE = 5.0
"""What the last settings may take to be written at the end [s]: a disk that hangs must not keep a station from ending."""


def default_settings_file() -> Path:
    """Return where this user's settings are."""
    config = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(config) / "handhold" / "settings.json"


def load_settings(file: Path) -> tuple[Settings, str]:
    """Read settings.

    Args:
        file: The file; where there is none, everything is as shipped.

    Returns:
        The settings, and what is wrong with the file in one line, for the operator; empty where nothing is. A file that
        cannot be used gives the settings as shipped.
    """
    try:
        settings = msgspec.json.decode(read_file(file, MAX_FILE_SIZE), type=Settings, strict=True)
        _check(settings)
    except FileNotFoundError:
        return Settings(), ""
    except (OSError, msgspec.MsgspecError, ValueError, RecursionError) as error:
        reason = to_line(error)
        return Settings(), f"settings as shipped: {file} cannot be used ({reason}); mend or remove it"
    return settings, ""


def _check(settings: Settings) -> None:
    if not 0.0 <= settings.haptics <= 1.0:
        raise ValueError(f"haptics is {settings.haptics}, not between 0 and 1")
    if not settings.refresh_rate >= 0.0:
        raise ValueError(f"refresh_rate is {settings.refresh_rate}, not 0 or more")
    if settings.turn_angle not in TURN_ANGLES:
        raise ValueError(f"turn_angle is {settings.turn_angle}, not one of {', '.join(map(str, TURN_ANGLES))}")


def save_settings(file: Path, settings: Settings) -> str:
    """Write settings whole or not at all.

    Returns:
        Why they could not be written, in one line; empty where they were.
    """
    text = json.dumps(json.loads(msgspec.json.encode(settings)), indent=2)
    part: Path | None = None
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=file.parent, suffix=".part", delete=False, encoding="utf-8") as stream:
            part = Path(stream.name)
            stream.write(f"{text}\n")
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(file)
    except OSError as error:
        if part is not None:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)
        return f"settings could not be kept ({error}); mend that, or they are lost with this session"
    return ""


class SettingsKeeper:
    """Writes settings in a thread of its own: a disk takes its time, and no frame of a headset waits for it.

    Attributes:
        problem: Why the last settings could not be written, in one line; empty where they were.
    """

    def __init__(self, file: Path, warn: Callable[[str], None]) -> None:
        """Begin to wait for settings.

        Args:
            file: Where they are kept.
            warn: Called, in the writing thread, with each new ``problem``.
        """
        self.problem = ""
        self._file = file
        self._warn = warn
        self._waiting: queue.SimpleQueue[Settings | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write_all, name="settings", daemon=True)
        self._thread.start()

    def keep(self, settings: Settings) -> None:
        """Have settings written; returns at once."""
        self._waiting.put(settings)

    def close(self) -> None:
        """Wait until all that is to be kept is written; closing twice does nothing."""
        self._waiting.put(None)
        self._thread.join(LAST_WRITE)

    def _write_all(self) -> None:
        while (settings := self._waiting.get()) is not None:
            before, self.problem = self.problem, save_settings(self._file, settings)
            if self.problem and self.problem != before:
                self._warn(self.problem)
