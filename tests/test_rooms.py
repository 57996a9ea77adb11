"""Rooms: folders below the top ones. A session never imports the laboratory, and no two rooms import each other."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from test_architecture import ROOT, import_graph, modules

from handhold.app.lab.architecture_rooms import read_rooms

SESSION = (
    "handhold.app.commands.run",
    "handhold.app.commands.station",
    "handhold.app.commands.replay",
    "handhold.app.commands.doctor",
    "handhold.app.host.program",
    "handhold.app.station.program",
    "handhold.app.station.headset_console",
    "handhold.app.station.browser_console",
    "handhold.app.station.replay_console",
    "handhold.app.main",
)
"""Where the code of a session begins: its commands, its processes and its devices, which are imported by name."""

LABORATORY = "handhold.app.lab"


@cache
def read_imports() -> dict[str, set[str]]:
    return import_graph({file: file.read_text() for file in modules()})


def find_all_imported(start: str, imports: dict[str, set[str]]) -> set[str]:
    found, ahead = set(), [start]
    while ahead:
        module = ahead.pop()
        if module not in found:
            found.add(module)
            ahead.extend(imports.get(module, ()))
    return found


@pytest.mark.parametrize("start", SESSION)
def test_a_session_never_imports_the_laboratory(start: str) -> None:
    found = find_all_imported(start, read_imports())
    assert len(found) > 1
    assert sorted(module for module in found if module.startswith(LABORATORY)) == []


def test_only_commands_import_the_laboratory() -> None:
    users = {one for one, others in read_imports().items() if any(other.startswith(LABORATORY) for other in others)}
    outside = {user for user in users if not user.startswith((LABORATORY, "handhold.app.commands."))}
    assert outside == set()


def find_mutual_imports(root: Path) -> list[tuple[str, str]]:
    arrows = read_rooms(root).imports
    return sorted((one, other) for one, other in arrows if (other, one) in arrows and one < other)


def test_no_two_rooms_import_each_other() -> None:
    assert find_mutual_imports(ROOT) == []


def test_two_rooms_that_import_each_other_are_found(tmp_path: Path) -> None:
    for room, imported in (("host", "link"), ("link", "host"), ("page", "host")):
        (tmp_path / "app" / room).mkdir(parents=True)
        (tmp_path / "app" / room / "a.py").write_text("")
        (tmp_path / "app" / room / "b.py").write_text(f"import handhold.app.{imported}.a")
    assert find_mutual_imports(tmp_path) == [("app/host", "app/link")]
