import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
OVERHEAD = 0.1  # [s] what the wrapper may add to a start where nothing is missing


def run(*words: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words, cwd=cwd, env=os.environ | environment, capture_output=True, text=True, timeout=60.0, check=False
    )


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout that is set up, whose command only says how it was called."""
    for name in ("handhold", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path / name)
    command = tmp_path / ".venv" / "bin" / "handhold"
    command.parent.mkdir(parents=True)
    command.write_text('#!/bin/sh\nprintf "<%s>" "$@"\nexit 7\n')
    command.chmod(0o755)
    fingerprint = run("sh", "-c", "cat pyproject.toml constraints.txt handhold | cksum", cwd=tmp_path).stdout
    (tmp_path / ".venv" / ".handhold-run").write_text(fingerprint)
    return tmp_path


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
