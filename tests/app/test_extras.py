"""What is not installed is said in one line, with the extra that has it."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from handhold.app.extras import EXTRAS, ExtraMissing, find_missing_extra, require_extra

PROJECT = tomllib.loads((Path(__file__).resolve().parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def list_distributions(requirements: list[str]) -> set[str]:
    return {re.split(r"[\[<>=;! ]", requirement)[0].lower() for requirement in requirements}


@pytest.mark.parametrize(("module", "extra"), EXTRAS.items())
def test_a_module_of_an_extra_comes_with_it_and_not_without(module: str, extra: str) -> None:
    if module == "websockets":  # viser brings it along
        assert extra == EXTRAS["viser"]
        return
    distributions = {name.lower().replace("_", "-") for name in packages_distributions()[module]}
    assert distributions & list_distributions(PROJECT["optional-dependencies"][extra])
    assert not distributions & list_distributions(PROJECT["dependencies"])


def test_all_that_is_installed_here_is_there() -> None:
    for extra in ("vr", "browser", "lab"):
        require_extra(extra)


def test_only_modules_of_extras_are_explained() -> None:
    found = find_missing_extra(ModuleNotFoundError(name="OpenGL.GL"))
    assert isinstance(found, ExtraMissing)
    assert (found.module, found.extra) == ("OpenGL", "vr")
    assert find_missing_extra(ModuleNotFoundError(name="handhold.no_such_module")) is None
    assert find_missing_extra(ModuleNotFoundError()) is None


@pytest.mark.parametrize(
    ("module", "words"),
    [("viser", ["run"]), ("tomlkit", ["robot", "new", "a.urdf"]), ("matplotlib", ["gallery", "nowhere"])],
)
def test_a_command_without_its_extra_ends_with_one_line(module: str, words: list[str], tmp_path: Path) -> None:
    program = f"import sys; sys.modules[{module!r}] = None; from handhold.app.main import run; sys.exit(run({words!r}))"
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    (line,) = done.stderr.splitlines()
    assert done.returncode == 8
    assert f"pip install 'handhold[{EXTRAS[module]}]'" in line
    assert list(tmp_path.iterdir()) == []


def test_without_what_a_headset_needs_the_page_drives(monkeypatch: pytest.MonkeyPatch) -> None:
    from handhold.app.session.config import SessionConfig
    from handhold.app.station.console import open_console

    said: list[str] = []
    opened: list[str] = []

    def fail(name: str) -> object:
        if name.endswith("headset_console"):
            raise ModuleNotFoundError("No module named 'xr'", name="xr")
        opened.append(name)
        return type("Module", (), {"BrowserConsole": lambda _page, _config: "a page"})

    monkeypatch.setattr("handhold.app.station.console.import_module", fail)
    config = SessionConfig(link_port=1, log_folder="")
    assert open_console(None, config, said.append) == "a page"  # type: ignore[arg-type,comparison-overlap]
    assert said == ["station: no headset found: drive from the page"]
    assert opened == ["handhold.app.station.browser_console"]
