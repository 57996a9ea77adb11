"""The operator's settings, kept between sessions in a small file that people can edit too."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

import msgspec

from handhold.render.settings import TURN_ANGLES, Settings


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
        settings = msgspec.json.decode(file.read_bytes(), type=Settings, strict=True)
        _check(settings)
    except FileNotFoundError:
        return Settings(), ""
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, ValueError) as error:
        reason = " ".join(str(error).split())
        return Settings(), f"settings as shipped: {file} cannot be used ({reason}); mend or remove it"
    return settings, ""


def _check(settings: Settings) -> None:
    if not 0.0 <= settings.haptics <= 1.0:
        raise ValueError(f"haptics is {settings.haptics}, not between 0 and 1")
    if settings.turn_angle not in TURN_ANGLES:
        raise ValueError(f"turn_angle is {settings.turn_angle}, not one of {', '.join(map(str, TURN_ANGLES))}")


def save_settings(file: Path, settings: Settings) -> str:
    """Write settings whole or not at all.

    Returns:
        Why they could not be written, in one line; empty where they were.
    """
    text = json.dumps(json.loads(msgspec.json.encode(settings)), indent=2)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=file.parent, suffix=".part", delete=False, encoding="utf-8") as part:
            part.write(f"{text}\n")
            part.flush()
            os.fsync(part.fileno())
        Path(part.name).replace(file)
    except OSError as error:
        return f"settings could not be kept: {error}"
    return ""
