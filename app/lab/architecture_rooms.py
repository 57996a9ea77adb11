"""The rooms of this program, read from its sources: which modules there are, and what they import of each other."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

FLOORS = (("app",), ("retarget", "render"), ("devices", "perception", "robots"))
"""Folders at the top level by floors, the highest first: no floor imports a higher one."""

_DEPTH = 2  # folders of a module's path that name its room


@dataclass(frozen=True, slots=True)
class Rooms:
    """Rooms, each a folder of modules: those of a folder at the top level, such as ``app``, or of one in it, ``app/link``.

    Attributes:
        lines: Lines of code of each room's modules, comments included.
        imports: How many imports of one room's modules are of another room's, by the importing and the imported room.
    """

    lines: Mapping[str, int]
    imports: Mapping[tuple[str, str], int]

    def within(self, folder: str) -> tuple[str, ...]:
        """Return the rooms of a folder at the top level, sorted."""
        return tuple(sorted(room for room in self.lines if find_folder(room) == folder))

    def between_rooms(self, folder: str) -> dict[tuple[str, str], int]:
        """Return the imports between rooms of one folder at the top level."""
        return {pair: n for pair, n in self.imports.items() if {find_folder(room) for room in pair} == {folder}}

    def between_folders(self) -> dict[tuple[str, str], int]:
        """Return the imports between folders at the top level."""
        found: Counter[tuple[str, str]] = Counter()
        for (importer, imported), number in sorted(self.imports.items()):
            pair = find_folder(importer), find_folder(imported)
            if pair[0] != pair[1]:
                found[pair] += number
        return dict(found)


def find_folder(room: str) -> str:
    """Return the folder at the top level that a room is in."""
    return room.partition("/")[0]


def read_rooms(root: Path) -> Rooms:
    """Read the rooms below a folder that holds those of the top level; imports within functions and for types count too."""
    folders = [folder for floor in FLOORS for folder in floor]
    files = [file.relative_to(root) for folder in folders for file in sorted((root / folder).rglob("*.py"))]
    modules = {_name_module(file): file for file in files}
    lines: Counter[str] = Counter()
    imports: Counter[tuple[str, str]] = Counter()
    for name, file in modules.items():
        source = (root / file).read_text(encoding="utf-8")
        lines[_find_room(file)] += len(source.splitlines())
        package = name if file.stem == "__init__" else name.rpartition(".")[0]
        for imported in {found for found in _list_imports(source, package, modules) if found != name}:
            imports[_find_room(file), _find_room(modules[imported])] += 1
    return Rooms(lines, {pair: number for pair, number in imports.items() if pair[0] != pair[1]})


def _name_module(file: Path) -> str:
    parts = file.with_suffix("").parts
    return ".".join(("handhold", *(parts[:-1] if parts[-1] == "__init__" else parts)))


def _find_room(file: Path) -> str:
    return "/".join(file.parts[:-1][:_DEPTH])


def _list_imports(source: str, package: str, modules: Mapping[str, Path]) -> Iterator[str]:
    """Yield the modules of ours that a source in a package imports."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: package.count(".") + 2 - node.level] if node.level else []
            start = ".".join([*above, node.module] if node.module else above)
            names = (name if (name := f"{start}.{alias.name}") in modules else start for alias in node.names)
            yield from (name for name in names if name in modules)
