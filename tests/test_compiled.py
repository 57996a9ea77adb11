"""Where compiled code is kept."""

import os
from pathlib import Path

from handhold.compiled import KEPT, choose_cache_folder


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
