"""Where the URDF (or MJCF) of a description is."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path
from typing import Annotated

from pydantic import Field

from handhold.robots.errors import DescriptionError
from handhold.robots.files import require_regular
from handhold.robots.model_file import ModelFile, list_folders_above
from handhold.robots.tables import Table, shorten

_SHARE = "cmeel.prefix/share"


class UrdfSource(Table):
    """Where the URDF comes from.

    Attributes:
        package: Python distribution that ships the URDF and its meshes, or empty for a plain path.
        path: Path of the URDF: below the package's share folder, or where it has none below the folder that it is installed
            into; without a package, beside or below the TOML file.
        package_root: Folder that ``package://`` stands for, relative to the TOML file. Left out, it is the share folder of the
            package, or else the first folder above the URDF where the meshes are.
    """

    package: Annotated[str, Field(pattern=r"^([A-Za-z0-9][A-Za-z0-9._-]*)?$")] = ""
    path: str
    package_root: str = ""

    @property
    def is_installed(self) -> bool:
        """Whether the package that ships the URDF is installed, where one does."""
        try:
            return not self.package or bool(metadata.version(self.package))
        except metadata.PackageNotFoundError:
            return False

    def find_model_file(self, source: str) -> ModelFile:
        """Return the URDF and where its meshes are looked for.

        Args:
            source: File of the description.

        Raises:
            DescriptionError: See ``find``.
        """
        path = self.find(source)
        if self.package:
            folders: tuple[Path, ...] = (self._find_package(source), *list_folders_above(path))
        elif self.package_root:
            folders = ((Path(source).parent / self.package_root).resolve(),)
        else:
            folders = list_folders_above(path)
        return ModelFile(source=source, path=path, folders=folders)

    def find(self, source: str) -> Path:
        """Return the URDF's file.

        Args:
            source: File of the description.

        Raises:
            DescriptionError: There is no such file, or the package that ships it is not installed, or it is not below the
                folder that it belongs into: a description may come from anybody, and names no other files of this machine.
        """
        folder = self._find_package(source) if self.package else Path(source).parent.resolve()
        where = f"the files of {self.package}" if self.package else f"the folder of {Path(source).name}"
        path = Path(self.path)
        # a package's own links are its installer's business; those beside a description came with it
        file = folder / path if self.package else (folder / path).resolve()
        if path.is_absolute() or ".." in path.parts or not file.is_relative_to(folder):
            remedy = "give a path beside or below it, without '..', and put the URDF with its meshes there"
            raise DescriptionError(source, "urdf.path", f"{shorten(self.path)} leaves {where}", remedy)
        try:
            require_regular(file)
        except OSError as error:
            missing = isinstance(error, FileNotFoundError)
            problem = f"there is no file {file}" if missing else f"{shorten(str(file))}: {error.strerror}"
            raise DescriptionError(source, "urdf.path", problem, "give the path of the URDF") from None
        return file

    def _find_package(self, source: str) -> Path:
        try:
            return find_package_folder(metadata.distribution(self.package))
        except metadata.PackageNotFoundError:
            problem = f"the package '{self.package}' is not installed"
            remedy = f"install it with: pip install --no-deps {self.package}"
            raise DescriptionError(source, "urdf.package", problem, remedy) from None


def find_package_folder(distribution: metadata.Distribution) -> Path:
    """Return the folder that paths in a package begin at: its share folder, or else where Python's packages are."""
    files = distribution.files or ()
    ships_share = any(str(file).startswith(f"{_SHARE}/") for file in files)
    return Path(str(distribution.locate_file(_SHARE if ships_share else ""))).resolve()
