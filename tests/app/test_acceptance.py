import json
from pathlib import Path
from typing import Any

import pytest

from handhold.app.lab.acceptance import Result, execute, run_all, write_results
from handhold.app.lab.acceptance_parts import PARTS, Run, UnknownPart, find_part
from handhold.app.lab.acceptance_picture import list_rows
from handhold.app.session.config import UnknownSensors

PROGRAM = """
from pathlib import Path
from handhold.app.lab.figures import Figure, Outcome

def test_that_measures_something(report_outcome):
    Path({count!r}).open("a").write("x")
    report_outcome(Outcome("made-up", None, None, 0, "abc", 0.1, None, (Figure("error", {value}, "m", must=1.0),)))
    assert {value} <= 1.0
"""


def measuring_run(folder: Path, value: float) -> Run:
    """A run of pytest on a test that measures ``value`` where at most 1 is asked for, and counts how often it ran."""
    file = folder / "test_measuring.py"
    file.write_text(PROGRAM.format(count=str(folder / "count"), value=value))
    conftest = Path(__file__).resolve().parents[1] / "conftest.py"
    (folder / "conftest.py").write_text(conftest.read_text())
    return Run(f"measuring-{value}", (str(file), "--rootdir", str(folder), "-p", "no:cacheprovider"), is_test=True)


def test_a_finished_run_is_not_run_again_on_the_same_commit(tmp_path: Path) -> None:
    run = measuring_run(tmp_path, 0.5)
    first = run_all("made-up", [run], "abc", tmp_path / "kept")
    second = run_all("made-up", [run], "abc", tmp_path / "kept")
    assert first == second
    assert first[0].holds
    assert (tmp_path / "count").read_text() == "x"
    run_all("made-up", [run], "def", tmp_path / "kept")
    assert (tmp_path / "count").read_text() == "xx"


def test_nothing_is_kept_where_files_differ_from_the_commit(tmp_path: Path) -> None:
    run = measuring_run(tmp_path, 0.5)
    run_all("made-up", [run], "abc+", tmp_path / "kept")
    run_all("made-up", [run], "abc+", tmp_path / "kept")
    assert (tmp_path / "count").read_text() == "xx"


def test_a_must_that_fails_fails_the_run(tmp_path: Path) -> None:
    result = execute(measuring_run(tmp_path, 1.5))
    assert not result.holds
    assert result.outcome is not None
    assert result.outcome["figures"][0]["value"] == 1.5


def test_a_command_that_measures_nothing_fails(tmp_path: Path) -> None:
    assert not execute(Run("no-figures", ("robot", "list", "--json"))).holds
    result = execute(Run("unknown-robot", ("robot", "check", "nobody", "--json")))
    assert not result.holds
    assert "nobody" in result.said


def test_results_are_written_down_with_commit_and_picture(tmp_path: Path) -> None:
    results = [execute(measuring_run(tmp_path, 0.5)), execute(Run("broken", ("nonsense",)))]
    written, picture = write_results("made-up", "abc", results, tmp_path / "results")
    content = json.loads(written.read_text())
    assert content["commit"] == "abc"
    assert content["holds"] is False
    assert [run["holds"] for run in content["runs"]] == [True, False]
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_runs_that_differ_by_their_seed_are_shown_as_one() -> None:
    def run(seed: int, **values: float | None) -> dict[str, Any]:
        figures = [{"name": name, "value": value, "must": 1.0, "aim": None, "unit": "m"} for name, value in values.items()]
        return {"run": f"walk-mujoco-seed-{seed}", "holds": seed != 1, "outcome": {"figures": figures}}

    broken = {"run": "walk-mujoco-seed-3", "holds": False, "outcome": None}
    rows = list(list_rows([run(0, speed=0.3), run(1, speed=None, level=0.5), run(2, speed=0.4, level=0.5), broken]))
    assert rows == [
        ("walk-mujoco: 2 of 4 seeds", "speed", "0.3 to 0.4, none", "1", "", "m"),
        ("", "level", "0.5", "1", "", "m"),
    ]


def test_an_unknown_part_is_told_with_the_known_ones() -> None:
    with pytest.raises(UnknownPart, match="spine"):
        find_part("nonsense")


def test_runs_of_a_part_have_names_of_their_own() -> None:
    for part, runs in PARTS.items():
        assert len({run.name for run in runs}) == len(runs), part


def test_a_part_of_many_seeds_can_be_run_with_the_first_few_only() -> None:
    all_of_them, few = find_part("walking-steered-mujoco"), find_part("walking-steered-mujoco", 4)
    assert {run.seed for run in few} == set(range(4))
    assert {run.name.rpartition("-seed-")[0] for run in few} == {run.name.rpartition("-seed-")[0] for run in all_of_them}
    assert find_part("motions", 4) == find_part("motions")


def test_what_can_estimate_where_it_is_does_so_unless_told_otherwise() -> None:
    runs = {run.name: run.words for part in PARTS for run in find_part(part)}
    assert runs["far-reach-talos-mujoco-real"][-2:] == ("--sensors", "real")
    assert runs["wave-standing-mujoco-real"][-2:] == ("--sensors", "real")
    for words in runs.values():
        if "--sensors" in words:
            assert not {"--body", "--ablation", "--impulses"} & set(words)
    assert find_part("bracing", sensors="ideal") == PARTS["bracing"]
    with pytest.raises(UnknownSensors):
        find_part("bracing", sensors="perfect")


def test_results_say_how_many_seeds_they_are_of(tmp_path: Path) -> None:
    result = Result("walk-seed-0", "handhold scenario walk", 1, None, "no such robot")
    written, _ = write_results("made-up", "abc", (result,), tmp_path, seeds=4)
    assert json.loads(written.read_text(encoding="utf-8"))["seeds"] == 4


def test_one_of_each_kind_of_scenario_is_played_on_estimated_state_by_a_robot_that_is_not_ideal() -> None:
    runs = [run for part in ("estimated-standing", "estimated-walking") for run in find_part(part)]
    for run in runs:
        assert run.words[-4:] == ("--imperfect", "2", "--sensors", "real")
    kinds = {run.words[1] for part in PARTS for run in find_part(part) if run.words[0] == "scenario" and run.seed in (None, 0)}
    assert kinds - {run.words[1] for run in runs} <= {"stand-in", "retrievals", "mode-changes"}
