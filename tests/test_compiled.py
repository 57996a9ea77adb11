"""Where compiled code is kept."""

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

from handhold.compiled import IN_USE, KEPT, choose_cache_folder, hold


def make_package(folder: Path) -> Path:
    package = folder / "package"
    package.mkdir()
    (package / "fast.py").write_text("from numba import njit\n")
    (package / "slow.py").write_text("x = 1\n")
    return package


def test_the_same_sources_keep_their_folder_and_changed_ones_get_another(tmp_path):
    package, environment = make_package(tmp_path), {"XDG_CACHE_HOME": str(tmp_path)}
    before = choose_cache_folder(package, environment)
    assert choose_cache_folder(package, environment) == before
    (package / "fast.py").write_text("from numba import njit, prange\n")
    assert choose_cache_folder(package, environment) != before


def test_an_edit_of_what_is_not_compiled_costs_no_compilation(tmp_path):
    package, environment = make_package(tmp_path), {"XDG_CACHE_HOME": str(tmp_path)}
    before = choose_cache_folder(package, environment)
    (package / "slow.py").write_text("x = 23\n")
    assert choose_cache_folder(package, environment) == before


def test_folders_of_old_sources_are_forgotten(tmp_path):
    package, environment = make_package(tmp_path), {"XDG_CACHE_HOME": str(tmp_path)}
    base = choose_cache_folder(package, environment).parent
    for age in range(KEPT + 3):
        old = base / f"old{age}"
        old.mkdir(parents=True)
        os.utime(old, (1000 - age, 1000 - age))
    choose_cache_folder(package, environment)
    assert sorted(folder.name for folder in base.iterdir()) == [f"old{age}" for age in range(KEPT)]


def test_a_folder_that_a_process_uses_is_not_forgotten(tmp_path):
    package, environment = make_package(tmp_path), {"XDG_CACHE_HOME": str(tmp_path)}
    base = choose_cache_folder(package, environment).parent
    for number in range(KEPT + 3):
        (base / f"old-{number}").mkdir(parents=True)
        os.utime(base / f"old-{number}", (number, number))
    held, left = base / "old-0", base / "old-1"
    words = [*hold_by(held)[:-1], hold_by(held)[-1] + "; print(flush=True); input()"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as user:
        assert user.stdout.readline()
        os.utime(held, (0, 0))
        subprocess.run(hold_by(left), check=True)
        os.utime(left, (1, 1))
        choose_cache_folder(package, environment)
        assert held.is_dir()
        assert not left.is_dir()
        user.communicate(b"\n")
    choose_cache_folder(package, environment)
    assert not held.is_dir()


def hold_by(folder):
    code = f"from pathlib import Path; from handhold.compiled import hold; hold(Path({str(folder)!r}))"
    return [sys.executable, "-c", code]


def test_a_folder_that_cannot_be_made_is_no_error(tmp_path):
    (tmp_path / "file").write_text("")
    hold(tmp_path / "file" / "folder")


def test_a_folder_that_is_forgotten_while_it_is_being_held_is_made_anew(tmp_path, monkeypatch):
    folder, lock = tmp_path / "folder", fcntl.flock
    forgotten = []

    def forget_and_lock(file, kind):
        if not forgotten:
            forgotten.append(shutil.rmtree(folder))
        lock(file, kind)

    monkeypatch.setattr("handhold.compiled.fcntl.flock", forget_and_lock)
    hold(folder)
    assert (folder / IN_USE).is_file()
    assert len(forgotten) == 1
