"""How a description names its URDF: below the files of an installed package, or beside or below the description."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

from handhold.robots.proposal.errors import NotProposed, NoUrdf
from handhold.robots.urdf_source import UrdfSource, find_package_folder


def name_urdf(name: str, description: Path | None, working_folder: Path) -> tuple[UrdfSource, Path]:
    """Return how a description names a URDF, and the folder that the description belongs into.

    Args:
        name: The URDF: a file, or PACKAGE:PATH for one that an installed package ships.
        description: Folder that the description shall be in; None for where it can be, the working folder if possible.
        working_folder: Where the command was given.

    Raises:
        NotProposed: There is no such file, or the description could not name it from there.
    """
    folder = (description or working_folder).resolve()
    package_name, colon, path = name.partition(":")
    if colon and not Path(name).exists():
        return UrdfSource(package=package_name, path=path), folder
    file = Path(name)
    if not file.is_file():
        raise NoUrdf(name)
    resolved = file.resolve()
    package = _find_package(resolved)
    if package is not None:
        return package, folder
    if resolved.is_relative_to(folder):
        return UrdfSource(path=str(resolved.relative_to(folder))), folder
    if description is None:
        return UrdfSource(path=resolved.name), resolved.parent
    raise NotProposed(
        str(file),
        f"a description in {folder} cannot name it: put it beside or above the URDF, or the URDF with its meshes there",
    )


def _find_package(file: Path) -> UrdfSource | None:
    """Return the installed package that ships a file, if one does."""
    for distribution in metadata.distributions():
        installed = Path(str(distribution.locate_file(""))).resolve()
        if not file.is_relative_to(installed):
            continue
        relative = file.relative_to(installed)
        if any(Path(str(shipped)) == relative for shipped in distribution.files or ()):
            path = file.relative_to(find_package_folder(distribution))
            return UrdfSource(package=distribution.metadata["Name"], path=str(path))
    return None
