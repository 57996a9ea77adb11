import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from handhold.app.main import COMMANDS, Command

ROOT = Path(__file__).resolve().parents[1]
OVERHEAD = 0.1  # [s] what the wrapper may add to a start where nothing is missing


def run(*words: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words, cwd=cwd, env=os.environ | environment, capture_output=True, text=True, timeout=600.0, check=False
    )


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A fresh clone, where nothing is installed and nothing can be."""
    (tmp_path / "docs").mkdir()
    for name in ("handhold", "pyproject.toml", "constraints.txt", "docs/commands.md"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


@pytest.fixture
def checkout(clone: Path) -> Path:
    """A checkout that is set up, whose command only says how it was called."""
    command = clone / ".venv" / "bin" / "handhold"
    command.parent.mkdir(parents=True)
    command.write_text('#!/bin/sh\nprintf "<%s>" "$@"\nexit 7\n')
    command.chmod(0o755)
    fingerprint = run("sh", "-c", "cat pyproject.toml constraints.txt handhold | cksum", cwd=clone).stdout
    (clone / ".venv" / ".handhold-lab").write_text(fingerprint)
    return clone


@pytest.mark.parametrize("script", ["handhold", "tests/runtime/monado.sh"])
def test_scripts_of_the_shell_are_well_formed(script: str) -> None:
    assert run("sh", "-n", script, cwd=ROOT).returncode == 0


def test_the_wrapper_passes_words_and_exit_code_through(checkout: Path) -> None:
    done = run("./handhold", "scenario", "far reach", "", "--json", cwd=checkout)
    assert done.stdout == "<scenario><far reach><><--json>"
    assert done.returncode == 7
    assert done.stderr == ""


def test_the_wrapper_works_from_any_folder(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    assert run(str(checkout / "handhold"), "doctor", cwd=elsewhere).stdout == "<doctor>"


def test_a_second_start_costs_next_to_nothing(checkout: Path) -> None:
    times = []
    for _ in range(5):
        start = time.perf_counter()
        run("./handhold", "doctor", cwd=checkout)
        times.append(time.perf_counter() - start)
    assert min(times) < OVERHEAD  # the least: other processes share the cores


@pytest.mark.parametrize("words", [(), ("--help",), ("-h",), ("help",)])
def test_a_fresh_clone_lists_all_commands_and_installs_nothing(clone: Path, words: tuple[str, ...]) -> None:
    done = run("./handhold", *words, cwd=clone)
    assert done.returncode == 0, done.stderr
    for command in [*COMMANDS, "setup", "test", "check", "acceptance"]:
        assert f"\n  {command.name if isinstance(command, Command) else command} " in done.stdout
    assert "Nothing is installed yet" in done.stdout
    assert not (clone / ".venv").exists()


def test_a_checkout_that_is_set_up_does_not_speak_of_installing(checkout: Path) -> None:
    assert "installed" not in run("./handhold", "--help", cwd=checkout).stdout


@pytest.mark.parametrize(
    ("words", "usage"),
    [
        (("run", "--help"), "Usage: handhold run [OPTIONS]"),
        (("run", "--robot", "g1", "-h"), "Usage: handhold run [OPTIONS]"),
        (("motion", "play", "wave", "--help"), "Usage: handhold motion play [OPTIONS]"),
        (("robot", "--help"), "Usage: handhold robot [OPTIONS] COMMAND"),
        (("--version",), "handhold 0"),
    ],
)
def test_a_fresh_clone_answers_what_needs_no_installation(clone: Path, words: tuple[str, ...], usage: str) -> None:
    done = run("./handhold", *words, cwd=clone)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(usage)
    assert not (clone / ".venv").exists()


def test_a_fresh_clone_installs_nothing_for_a_command_that_is_none(clone: Path) -> None:
    done = run("./handhold", "rnu", cwd=clone)
    assert done.returncode == 2
    assert done.stderr == "handhold: no command 'rnu'; './handhold --help' lists them\n"
    assert not (clone / ".venv").exists()


def test_a_setup_that_fails_shows_the_end_of_its_log_and_where_that_is(clone: Path) -> None:
    """With nothing that can install and nowhere to fetch from, the setup ends in words and with the whole log kept."""
    python = clone / "python"
    python.write_text('#!/bin/sh\n[ "$1" != -m ] || { echo "no venv for you" >&2; exit 1; }\n')
    python.chmod(0o755)
    for tool in ("dpkg-query", "apt-get"):
        fake = clone / "bin" / tool
        fake.parent.mkdir(exist_ok=True)
        fake.write_text("#!/bin/sh\nexit 1\n")
        fake.chmod(0o755)
    path = f"{clone / 'bin'}:{os.environ['PATH']}"
    done = run("./handhold", "setup", cwd=clone, HANDHOLD_PYTHON=str(python), PATH=path)
    assert done.returncode == 1
    log = clone / ".venv" / "handhold-setup.log"
    assert "no venv for you" in done.stderr
    assert str(log) in done.stderr.splitlines()[-1]
    assert "no venv for you" in log.read_text()
    assert not (clone / ".venv" / ".handhold-run").exists()


def make_script(file: Path, *lines: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    file.chmod(0o755)


@pytest.fixture
def installing(clone: Path) -> Callable[[str], list[str]]:
    """A fresh clone in which a command is run; returns what was asked to be installed, extras and all."""
    venv, asked = clone / ".venv" / "bin", clone / "asked"
    make_script(clone / "bin" / "dpkg-query", "printf installed")
    make_script(clone / "tools" / "uv", f'for word; do last=$word; done; printf "%s\\n" "$last" >>"{asked}"')
    make_script(clone / "tools" / "handhold", "true")
    make_script(
        clone / "python",
        f'[ "$1 $2" != "-m venv" ] || {{ mkdir -p "{venv}" && cp "$0" "{venv}/python" && cp "{clone}"/tools/* "{venv}"; }}',
    )

    def install_for(command: str) -> list[str]:
        path = f"{clone / 'bin'}:{os.environ['PATH']}"
        done = run("./handhold", command, cwd=clone, HANDHOLD_PYTHON=str(clone / "python"), PATH=path)
        assert done.returncode == 0, done.stderr
        return [line.removeprefix(str(clone)) for line in asked.read_text().splitlines()]

    return install_for


def test_a_command_installs_what_it_needs_and_no_more(installing: Callable[[str], list[str]]) -> None:
    session, laboratory = "[sim,vr,browser]", "[lab]"
    assert installing("run") == [session]
    assert installing("doctor") == [session]
    assert installing("scenario") == [session, laboratory]
    assert installing("bench") == [session, laboratory]
    assert installing("run") == [session, laboratory]


def test_unknown_options_of_setup_are_refused(checkout: Path) -> None:
    done = run("./handhold", "setup", "--nonsense", cwd=checkout)
    assert done.returncode == 2
    assert "Usage" in done.stderr


def test_a_runtime_that_is_named_but_not_there_is_told_in_one_line(tmp_path: Path) -> None:
    done = run(str(ROOT / "tests/runtime/monado.sh"), cwd=tmp_path, HANDHOLD_MONADO=str(tmp_path / "gone.json"))
    assert done.returncode != 0
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert "HANDHOLD_MONADO" in done.stderr
