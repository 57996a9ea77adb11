"""The checkout that this code runs from, and its commit."""

from __future__ import annotations

import subprocess
from pathlib import Path


def find_checkout() -> Path:
    """Return the folder of the checkout that this code is in; that of the package's parent where it is installed."""
    file = Path(__file__).resolve()
    return next((folder for folder in file.parents if (folder / "pyproject.toml").is_file()), file.parents[2])


def current_commit() -> str:
    """Return the commit of the checkout that this code runs from, with ``+`` where files differ, or ``"unknown"``."""
    folder = find_checkout()
    if not (folder / ".git").exists():
        return "unknown"
    try:
        commit = _git(folder, "rev-parse", "--short=12", "HEAD").strip()
        # Results are made from the sources and are no part of them.
        changed = _git(folder, "status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs/results").strip()
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return f"{commit}+" if changed else commit


def _git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=10.0).stdout
