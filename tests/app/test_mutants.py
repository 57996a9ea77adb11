"""The tests of the tests: what is changed, what is noticed, and what is remembered of it."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from handhold.app.lab.safety import mutants
from handhold.app.lab.safety.mutants import ModuleReport, MutantsNotRun, MutationReport, Reviewed, Survivor, run_mutants
from handhold.app.lab.safety.mutation import make_mutants
from handhold.app.lab.safety.protecting import PROTECTING, Protecting

ROOT = Path(__file__).resolve().parents[2]
GUARD = '''"""A module that protects, for the tests."""

import math

LIMIT = 0.5
"""Of everything."""


class Guard:
    """Watches."""

    def __init__(self, limit: float = LIMIT) -> None:
        self.limit = limit

    def is_safe(self, x: float) -> bool:
        """Say whether x is safe."""
        if math.isnan(x):
            return False
        return max(
            x,
            -x,
        ) <= self.limit
'''
THOROUGH = """
import pytest
from guard import LIMIT, Guard

@pytest.mark.parametrize(("x", "safe"), [(0.5, True), (-0.5, True), (0.51, False), (-0.51, False), (float("nan"), False)])
def test_it_is_safe_up_to_half(x, safe):
    assert Guard().is_safe(x) is safe
    assert Guard(0.1).is_safe(x) is False
"""
CARELESS = """
from guard import Guard

def test_nought_is_safe():
    assert Guard().is_safe(0.0)
"""


def changes(source: str = GUARD) -> list[str]:
    return [f"{mutant.line} {mutant.function}: {mutant.before} -> {mutant.after}" for mutant in make_mutants("guard", source)]


def test_limits_comparisons_and_arguments_are_changed_where_they_stand() -> None:
    found = changes()
    assert "5 : LIMIT = 0.5 -> LIMIT = 1.5" in found
    assert "13 Guard.__init__: self.limit = limit -> self.limit = None" in found
    assert "22 Guard.is_safe: ) <= self.limit -> ) < self.limit" in found
    assert "17 Guard.is_safe: if math.isnan(x): -> if math.isnan(None):" in found
    assert "18 Guard.is_safe: return False -> return True" in found
    assert any(change.startswith("20 Guard.is_safe: x, ->") for change in found)


def test_every_mutant_is_a_program_of_its_own_and_words_for_programmers_stay() -> None:
    made = make_mutants("guard", GUARD)
    assert len({ast.dump(ast.parse(mutant.source)) for mutant in made}) == len(made)
    assert not any("XX" in mutant.source or "Watches" not in mutant.source for mutant in made)


def try_guard(folder: Path, tests: str) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the baseline of the guard with some tests, and what kills each mutant of it."""
    (folder / "guard.py").write_text(GUARD)
    (folder / "tests").mkdir()
    (folder / "tests" / "test_guard.py").write_text(tests)
    (folder / "pytest.ini").write_text("[pytest]\n")
    made = make_mutants("guard", GUARD)
    task = {
        "module": "guard",
        "tests": ["tests/test_guard.py"],
        "threads": False,
        "root": str(folder),
        "mutants": [(mutant.source, mutant.line) for mutant in made],
    }
    done = subprocess.run(
        [sys.executable, "-m", "handhold.app.lab.safety.mutant_worker"],
        input=json.dumps(task),
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{folder}"},
        text=True,
        check=True,
    )
    baseline, *verdicts = [json.loads(line) for line in done.stdout.splitlines()]
    keys = [f"{mutant.line} {mutant.after}" for mutant in made]
    return baseline, dict(zip(keys, [verdict["killed_by"] for verdict in verdicts], strict=True))


def test_thorough_tests_notice_every_mutant_and_run_every_line(tmp_path: Path) -> None:
    baseline, killers = try_guard(tmp_path, THOROUGH)
    assert baseline["missing"] == []
    assert baseline["countable"] > 8
    survivors = [key for key, killer in killers.items() if not killer]
    assert survivors == []
    assert "test_it_is_safe_up_to_half" in killers["22 ) < self.limit"]


def test_careless_tests_let_mutants_by_and_what_they_do_not_run_is_told(tmp_path: Path) -> None:
    baseline, killers = try_guard(tmp_path, CARELESS)
    assert baseline["missing"] == ["18", "17 -> 18"]
    assert killers["22 ) < self.limit"] == ""
    assert killers["5 LIMIT = 1.5"] == ""
    assert killers["13 self.limit = None"] != ""


def test_tests_that_fail_on_the_module_as_it_is_try_no_mutant(tmp_path: Path) -> None:
    failing = CARELESS.replace("assert Guard", "assert not Guard")
    (tmp_path / "kept").mkdir()
    with pytest.raises(ValueError, match="zip"):
        try_guard(tmp_path, failing)


def first_mutant(module: str = "handhold.retarget.engagement.sticks") -> Any:
    return make_mutants(module, (ROOT / "retarget" / "engagement" / "sticks.py").read_text())[0]


def entry(mutant: Any, **changes: str) -> str:
    values = {name: getattr(mutant, name) for name in ("module", "function", "before")}
    values |= {"after": [mutant.after], "reason": "because"} | changes
    return "[[mutant]]\n" + "".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items())


def test_a_reviewed_mutant_that_does_not_exist_any_more_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = tmp_path / "reviewed.toml"
    table.write_text(entry(first_mutant(), before="DEAD_ZONE = 0.3"))
    monkeypatch.setattr(mutants, "_REVIEWED", table)
    with pytest.raises(MutantsNotRun, match=r"DEAD_ZONE = 0\.3.*is no mutant any more"):
        run_mutants([Protecting("handhold.retarget.engagement.sticks", ())], kept=tmp_path)


def remember(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, killed_by: str, reviewed: str = "") -> MutationReport:
    """Return the report on one module whose mutants were all tried before."""
    table = tmp_path / "reviewed.toml"
    table.write_text(reviewed)
    monkeypatch.setattr(mutants, "_REVIEWED", table)
    what = next(what for what in PROTECTING if what.module == "handhold.retarget.engagement.sticks")
    made = make_mutants(what.module, (ROOT / "retarget" / "engagement" / "sticks.py").read_text())
    lines = [mutants._digest(what), 'baseline {"missing": ["12"], "countable": 20}']
    for number, mutant in enumerate(made):
        verdict = {"killed_by": killed_by if number == 0 else "a test", "seconds": 0.5}
        lines.append(f"{mutants._name(mutant)} {json.dumps(verdict)}")
    (tmp_path / f"{what.module}.jsonl").write_text("\n".join([*lines, 'ffff {"kill']))
    return run_mutants([what], kept=tmp_path)


def test_what_was_found_out_is_remembered_and_a_survivor_is_told_with_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = remember(tmp_path, monkeypatch, "")
    assert len(report.survivors) == 1
    assert str(report.survivors[0]).startswith("retarget/engagement/sticks.py:7: 'DEAD_ZONE = 0.15' -> ")
    assert "NOT NOTICED" in str(report.survivors[0])
    figures = {figure.name: figure for figure in report.figures}
    assert figures["coverage"].value == 95.0
    assert not figures["survivors_unexplained"].holds
    assert report.to_json()["modules"]["handhold.retarget.engagement.sticks"]["not_covered"] == ["12"]


def test_a_survivor_that_was_reviewed_tells_why_it_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = remember(tmp_path, monkeypatch, "", entry(first_mutant()))
    assert [survivor.reason for survivor in report.survivors] == ["because"]
    assert {figure.name: figure.holds for figure in report.figures}["survivors_unexplained"]


def test_a_reviewed_mutant_that_is_noticed_after_all_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MutantsNotRun, match="is noticed; take it out"):
        remember(tmp_path, monkeypatch, "a test", entry(first_mutant()))


def test_a_report_holds_from_95_of_100_mutants_on() -> None:
    survivor = Survivor(mutant=first_mutant(), reason="because")
    for count, holds in ((5, True), (6, False)):
        module = ModuleReport(module="m", tested=100, survivors=(survivor,) * count, missing=(), countable=10, seconds=1.0)
        figures = {figure.name: figure for figure in MutationReport((module,)).figures}
        assert figures["mutants_killed"].holds == holds
        assert figures["survivors_unexplained"].holds


def test_every_module_that_protects_and_its_tests_are_there() -> None:
    for what in PROTECTING:
        assert mutants._find_source(what.module).is_file()
        assert all((ROOT / test).is_file() for test in what.tests)
    reviewed = Reviewed.load(mutants._REVIEWED)
    assert {module for module, *_ in reviewed.reasons} <= {what.module for what in PROTECTING}
    assert all(len(reason.split()) >= 4 for reason in reviewed.reasons.values())
