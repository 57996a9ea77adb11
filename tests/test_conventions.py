import ast
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from handhold.robots.description import known_robots
from handhold.robots.model import load_model

ROOT = Path(__file__).resolve().parents[1]
MAX_FILE_SIZE = 5_000_000  # [bytes] a clone stays small; meshes and recordings come from packages

# Where text may point to; everything else would tie the project to somebody's network.
KNOWN_HOSTS = {
    "arxiv.org",
    "doi.org",
    "github.com",
    "hal.science",
    "inria.hal.science",
    "keepachangelog.com",
    "localhost",
    "registry.khronos.org",
    "semver.org",
    "www.apache.org",
    "www.w3.org",  # names the format of pictures; nothing is fetched
}
FOLDERS_OF_A_MACHINE = re.compile(r"(?<![\w.}/])/(?:work|root|home|Users)/\w+")
URL_HOST = re.compile(r"\w+://([A-Za-z0-9][A-Za-z0-9.-]*)")
IPV4 = re.compile(r"(?<![\d.\w])\d{1,3}(?:\.\d{1,3}){3}(?![\d.\w])")


def tracked_files() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    files = [ROOT / name for name in listed.split("\0") if name]
    return [file for file in files if file.is_file() and not file.is_symlink()]


def texts() -> list[tuple[Path, str]]:
    readable = []
    for file in tracked_files():
        try:
            readable.append((file.relative_to(ROOT), file.read_text(encoding="utf-8")))
        except UnicodeDecodeError:
            continue
    return readable


def test_no_file_is_larger_than_a_clone_should_carry() -> None:
    assert [str(file) for file in tracked_files() if file.stat().st_size > MAX_FILE_SIZE] == []


def test_every_todo_gives_its_reason() -> None:
    bare = re.compile(r"\b(?:TODO|FIXME|HACK)\b(?!: \w+(?: \S+){3})")  # at least four words
    found = [f"{name}:{line}" for name, text in texts() for line in text.splitlines() if "#" in line and bare.search(line)]
    assert [entry for entry in found if not entry.startswith("tests/test_conventions.py")] == []


def test_no_file_knows_the_folders_of_a_machine() -> None:
    assert [f"{name}: {match[0]}" for name, text in texts() for match in FOLDERS_OF_A_MACHINE.finditer(text)] == []


def test_urls_point_to_known_places_only() -> None:
    for name, text in texts():
        for host in URL_HOST.findall(text):
            assert host in KNOWN_HOSTS or host.startswith("127.") or "." not in host, f"{name}: {host}"


def test_addresses_are_those_of_the_own_machine() -> None:
    for name, text in texts():
        if name.name == "constraints.txt":
            continue  # versions of four numbers look like addresses
        foreign = [address for address in IPV4.findall(text) if not address.startswith("127.") and address != "0.0.0.0"]
        assert foreign == [], f"{name}: {foreign}"


def pins() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    lines = [line for line in lines if line and not line.startswith("#")]
    pinned = re.compile(r"([a-z0-9][a-z0-9._-]*)==([0-9][A-Za-z0-9.]*)(?:; python_version [<>=]+ \"3\.\d+\")?")
    matches = [(line, pinned.fullmatch(line)) for line in lines]
    assert [line for line, match in matches if match is None] == []
    return {match[1]: match[2] for _, match in matches if match}


def test_every_pin_is_a_name_and_a_version() -> None:
    assert len(pins()) > 50


def test_every_dependency_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *(name for extra in project["optional-dependencies"].values() for name in extra)]
    names = {re.split(r"[<>=!;\[ ]", dependency)[0].lower() for dependency in wanted}
    # an extra may have all of others
    names.discard(project["name"])
    assert names - pins().keys() == set()


@pytest.mark.parametrize("robot", known_robots())
def test_shipped_descriptions_load_and_name_their_licence(robot: str) -> None:
    model = load_model(robot)
    assert model.description.name == robot
    # The licence of data that come from a package of their own: nothing of them is in this tree, so iCub's may be what it is.
    assert model.description.license in ("Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC-BY-SA-4.0", "MIT")


def test_every_toml_file_is_valid() -> None:
    for file in tracked_files():
        if file.suffix == ".toml":
            assert tomllib.loads(file.read_text()), file


def test_names_of_tests_are_sentences() -> None:
    for name, text in texts():
        if name.parts[0] != "tests" or not name.name.startswith("test_"):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                assert node.name.count("_") >= 3, f"{name}: {node.name}"


def test_no_test_is_skipped_for_want_of_a_component() -> None:
    skips = re.compile(r"importorskip|pytest\.skip\(|mark\.skip\(|mark\.xfail|mark\.skipif\((?!sys\.version_info)")
    found = [f"{name}: {match[0]}" for name, text in texts() if name.parts[0] == "tests" for match in skips.finditer(text)]
    assert [entry for entry in found if not entry.startswith("tests/test_conventions.py")] == []
