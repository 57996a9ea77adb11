"""Where a robot's URDF or MJCF is, and where the meshes are looked for that it names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

# The root element comes after what is said of the document, and comments.
_ROOT, _HEAD = re.compile(rb"<(mujoco|robot)\b"), 65536

MAX_FOLDERS = 6
"""Folders above a URDF in which ``package://`` is looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFile:
    """A URDF or an MJCF, and its meshes.

    Attributes:
        source: In whose name a mistake in it is reported: a description, or the file itself.
        path: The file.
        folders: What ``package://`` may stand for, the likeliest first.
    """

    source: str
    path: Path
    folders: tuple[Path, ...]

    @property
    def is_mjcf(self) -> bool:
        """Whether it is an MJCF: by its root element, whatever it is called."""
        if not self.path.is_file():
            return self.path.suffix == ".xml"
        with self.path.open("rb") as opened:
            root = _ROOT.search(opened.read(_HEAD))
        return self.path.suffix == ".xml" if root is None else root[1] == b"mujoco"

    def find_mesh(self, name: str) -> Path:
        """Return the file that a mesh's name stands for, whether it is there or not."""
        relative = name.removeprefix("package://")
        candidates = [folder / relative for folder in self.folders]
        if relative == name:
            candidates = [self.path.parent / name.removeprefix("file://"), *candidates]
        return next((candidate for candidate in candidates if candidate.is_file()), candidates[0])


def list_folders_above(file: Path) -> tuple[Path, ...]:
    """Return the folders that a file is in, the nearest first: one of them is what its ``package://`` stands for."""
    return tuple(file.resolve().parents)[:MAX_FOLDERS]
