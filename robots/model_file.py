"""Where a robot's URDF or MJCF is, and where the meshes are looked for that it names."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

MOST_FOLDERS = 6
"""Folders above a URDF in which ``package://`` is looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFile:
    """A URDF (or an MJCF, by its suffix ``.xml``) and its meshes.

    Attributes:
        source: Whom a mistake in it is told by: a description, or the file itself.
        path: The file.
        folders: What ``package://`` may stand for, the likeliest first.
    """

    source: str
    path: Path
    folders: tuple[Path, ...]

    @property
    def is_mjcf(self) -> bool:
        """Whether it is an MJCF."""
        return self.path.suffix == ".xml"

    def find_mesh(self, name: str) -> Path:
        """Return the file that a mesh's name stands for, whether it is there or not."""
        relative = name.removeprefix("package://")
        candidates = [folder / relative for folder in self.folders]
        if relative == name:
            candidates = [self.path.parent / name.removeprefix("file://"), *candidates]
        return next((candidate for candidate in candidates if candidate.is_file()), candidates[0])


def list_folders_above(file: Path) -> tuple[Path, ...]:
    """Return the folders that a file is in, the nearest first: one of them is what its ``package://`` stands for."""
    return tuple(file.resolve().parents)[:MOST_FOLDERS]
