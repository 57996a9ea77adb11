"""Tests of the tests: every change of what protects the robot must be noticed by a test, or change nothing.

``python -m handhold.app.lab.safety.mutants [--sample N] [MODULE ...]`` tells what is not noticed. What has been found out is
kept in ``acceptance/mutants`` for as long as neither a module nor its tests change, so that a run that was interrupted goes
on.
"""

from __future__ import annotations

import ast
import hashlib
import json
import random
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from handhold.app.errors import AppError
from handhold.app.lab.figures import Figure, Outcome, print_outcome
from handhold.app.lab.safety.mutation import Mutant, make_mutants
from handhold.app.lab.safety.protecting import PROTECTING, Protecting
from handhold.app.session.commit import current_commit, find_checkout

_ROOT = find_checkout()
_KEPT = _ROOT / "acceptance" / "mutants"
_REVIEWED = Path(__file__).with_name("equivalent_mutants.toml")


class MutantsNotRun(AppError):
    """Mutants cannot be tested, or what was reviewed of them does not hold any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Survivor:
    """A mutant that no test notices.

    Attributes:
        mutant: What was changed.
        reason: Why it changes nothing; ``""`` where nobody has found out.
    """

    mutant: Mutant
    reason: str

    def __str__(self) -> str:
        mutant = self.mutant
        where = f"{mutant.module.removeprefix('handhold.').replace('.', '/')}.py:{mutant.line}"
        return f"{where}: '{mutant.before}' -> '{mutant.after}': {self.reason or 'NOT NOTICED by any test'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleReport:
    """What the tests of one module notice.

    Attributes:
        module: Its name.
        tested: Mutants that were tested.
        survivors: Those that no test notices.
        missing: Lines, and branches as ``"12 -> 15"``, that no test runs.
        countable: Lines and branches that there are to run.
        seconds: CPU time of all mutants, also of those tested before [s].
    """

    module: str
    tested: int
    survivors: tuple[Survivor, ...]
    missing: tuple[str, ...]
    countable: int
    seconds: float


@dataclass(frozen=True, slots=True)
class MutationReport:
    """What the tests of all modules notice."""

    modules: tuple[ModuleReport, ...]

    @property
    def survivors(self) -> tuple[Survivor, ...]:
        """All mutants that no test notices, those of which nobody knows why first."""
        found = [survivor for module in self.modules for survivor in module.survivors]
        return tuple(sorted(found, key=lambda survivor: bool(survivor.reason)))

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The figures ``mutants_killed``, ``survivors_unexplained`` and ``coverage``."""
        tested = sum(module.tested for module in self.modules)
        countable = sum(module.countable for module in self.modules)
        killed, run = tested - len(self.survivors), countable - sum(len(module.missing) for module in self.modules)
        unexplained = sum(not survivor.reason for survivor in self.survivors)
        return (
            Figure("mutants_killed", _percent(killed, tested), "%", must=95.0, larger_is_better=True),
            Figure("survivors_unexplained", unexplained, "-", must=0),
            Figure("coverage", _percent(run, countable), "%", must=100.0, larger_is_better=True),
        )

    def to_json(self) -> dict[str, Any]:
        """Return everything as one JSON object, for the ``extra`` of an outcome."""
        return {
            "modules": {
                module.module: {
                    "mutants": module.tested,
                    "killed": module.tested - len(module.survivors),
                    "not_covered": list(module.missing),
                    "seconds": round(module.seconds, 1),
                }
                for module in self.modules
            },
            "survivors": [str(survivor) for survivor in self.survivors],
        }


def _percent(part: int, whole: int) -> float:
    return 100.0 * part / whole if whole else float("nan")


def run_mutants(
    modules: Sequence[Protecting] = PROTECTING,
    sample: int | None = None,
    seed: int = 0,
    *,
    kept: Path = _KEPT,
    say: Callable[[str], None] = lambda _: None,
) -> MutationReport:
    """Try mutants of some modules.

    Args:
        modules: The modules and their tests.
        sample: Number of mutants of all of them together; None for every one.
        seed: Of the sample.
        kept: Folder for what has been found out.
        say: Called with each mutant that survives, and each module.

    Raises:
        MutantsNotRun: The tests fail on a module as it is, or a reviewed mutant does not exist, or is noticed.
    """
    made = [make_mutants(what.module, _find_source(what.module).read_text(encoding="utf-8")) for what in modules]
    reviewed = Reviewed.load(_REVIEWED)
    reviewed.check([mutant for mutants in made for mutant in mutants], {what.module for what in modules})
    chosen = _choose([mutant for mutants in made for mutant in mutants], sample, seed)
    reports = []
    for what, mutants in zip(modules, made, strict=True):
        some = [mutant for mutant in mutants if mutant.source in chosen]
        if some or sample is None:
            reports.append(_try_module(what, some, reviewed, kept, say))
    return MutationReport(tuple(reports))


def _choose(mutants: Sequence[Mutant], sample: int | None, seed: int) -> set[str]:
    sources = [mutant.source for mutant in mutants]
    return set(sources if sample is None else random.Random(seed).sample(sources, min(sample, len(sources))))


def _try_module(
    what: Protecting, mutants: list[Mutant], reviewed: Reviewed, kept: Path, say: Callable[[str], None]
) -> ModuleReport:
    memory = _Memory(kept / f"{what.module}.jsonl", _digest(what))
    todo = [mutant for mutant in mutants if _name(mutant) not in memory.verdicts]
    if todo or memory.baseline is None:
        _work(what, todo, memory)
    verdicts = [memory.verdicts[_name(mutant)] for mutant in mutants]
    pairs = list(zip(mutants, verdicts, strict=True))
    survivors = tuple(Survivor(mutant=m, reason=reviewed.find_reason(m)) for m, verdict in pairs if not verdict["killed_by"])
    noticed = [mutant for mutant, verdict in pairs if verdict["killed_by"] and reviewed.find_reason(mutant)]
    if noticed:
        raise MutantsNotRun(f"{Survivor(mutant=noticed[0], reason='is noticed')}; take it out of {_REVIEWED.name}")
    assert memory.baseline is not None
    report = ModuleReport(
        module=what.module,
        tested=len(mutants),
        survivors=survivors,
        missing=tuple(memory.baseline["missing"]),
        countable=memory.baseline["countable"],
        seconds=sum(verdict["seconds"] for verdict in verdicts),
    )
    say(f"{what.module}: {report.tested - len(survivors)} of {report.tested} killed, {report.seconds:.0f} s")
    for survivor in (*survivors, *(f"  not covered: {uncovered}" for uncovered in report.missing)):
        if not (isinstance(survivor, Survivor) and survivor.reason):
            say(f"  {survivor}")
    return report


def _work(what: Protecting, mutants: list[Mutant], memory: _Memory) -> None:
    """Let a process try mutants, and remember each verdict as soon as it is there."""
    task = {
        "module": what.module,
        "tests": what.tests,
        "threads": what.threads,
        "root": str(_ROOT),
        "mutants": [(mutant.source, mutant.line) for mutant in mutants],
    }
    command = [sys.executable, "-m", "handhold.app.lab.safety.mutant_worker"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdin is not None
        assert worker.stdout is not None
        json.dump(task, worker.stdin)
        worker.stdin.close()
        try:
            answers = (json.loads(line) for line in worker.stdout)
            _remember(what, mutants, answers, memory)
        finally:
            worker.terminate()


def _remember(what: Protecting, mutants: list[Mutant], answers: Iterator[dict[str, Any]], memory: _Memory) -> None:
    baseline = next(answers, None)
    if baseline is None or baseline["failed"] or not baseline["durations"]:
        failed = "no test runs" if not (baseline and baseline["failed"]) else f"{baseline['failed'][0]} fails"
        raise MutantsNotRun(f"no mutants of {what.module} can be tried: {failed} on the module as it is; mend that first")
    memory.keep_baseline({"missing": baseline["missing"], "countable": baseline["countable"]})
    for mutant in mutants:
        verdict = next(answers, None)
        if verdict is None:
            raise MutantsNotRun(f"the process that tries mutants of {what.module} has ended; run it again, it goes on")
        memory.keep_verdict(_name(mutant), verdict)


class _Memory:
    """What has been found out of one module, in a file of JSON lines that begins with a digest of all that matters.

    Attributes:
        baseline: What the tests do not run, or None before it is known.
        verdicts: The verdict on each mutant, by its name.
    """

    def __init__(self, file: Path, digest: str) -> None:
        self.baseline: dict[str, Any] | None = None
        self.verdicts: dict[str, Any] = {}
        self._file = file
        lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
        if not lines or lines[0] != digest:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"{digest}\n", encoding="utf-8")
        for line in lines[1:] if lines and lines[0] == digest else []:
            name, _, content = line.partition(" ")
            # The last line may have been cut off.
            if content.endswith("}"):
                self._take(name, json.loads(content))

    def keep_baseline(self, baseline: dict[str, Any]) -> None:
        self._keep("baseline", baseline)

    def keep_verdict(self, name: str, verdict: dict[str, Any]) -> None:
        self._keep(name, verdict)

    def _keep(self, name: str, content: dict[str, Any]) -> None:
        self._take(name, content)
        with self._file.open("a", encoding="utf-8") as file:
            file.write(f"{name} {json.dumps(content)}\n")

    def _take(self, name: str, content: dict[str, Any]) -> None:
        if name == "baseline":
            self.baseline = content
        else:
            self.verdicts[name] = content


@dataclass(frozen=True, slots=True)
class Reviewed:
    """Mutants that someone has reviewed, and why each of them changes nothing.

    Attributes:
        reasons: By module, function, line before and after.
    """

    reasons: dict[tuple[str, str, str, str], str]

    @classmethod
    def load(cls, file: Path) -> Reviewed:
        """Read the table."""
        entries = tomllib.loads(file.read_text(encoding="utf-8")).get("mutant", [])
        return cls({(e["module"], e["function"], e["before"], after): e["reason"] for e in entries for after in e["after"]})

    def find_reason(self, mutant: Mutant) -> str:
        """Return why a mutant changes nothing, ``""`` where nobody has reviewed it."""
        return self.reasons.get((mutant.module, mutant.function, mutant.before, mutant.after), "")

    def check(self, mutants: Sequence[Mutant], modules: set[str]) -> None:
        """Check that each entry of some modules still is about a mutant.

        Raises:
            MutantsNotRun: One is not.
        """
        there = {(mutant.module, mutant.function, mutant.before, mutant.after) for mutant in mutants}
        for module, function, before, after in self.reasons.keys() - there:
            if module in modules:
                raise MutantsNotRun(
                    f"{_REVIEWED.name}: {module}, {function}: '{before}' -> '{after}' is no mutant any more; take it out"
                )


def _name(mutant: Mutant) -> str:
    return hashlib.sha256(mutant.source.encode()).hexdigest()[:24]


def _find_source(module: str) -> Path:
    return _ROOT.joinpath(*module.removeprefix("handhold.").split(".")).with_suffix(".py")


def _digest(what: Protecting) -> str:
    """Return a digest of a module and of the modules that it uses, its tests and what they share, and how they are run."""
    runner = [Path(__file__).with_name(name) for name in ("mutant_tests.py", "mutant_worker.py")]
    folders = {_ROOT / "tests", *((_ROOT / test).parent for test in what.tests)}
    folders |= {parent for folder in folders for parent in folder.parents if (_ROOT / "tests") in parent.parents}
    shared = (file for folder in folders for file in folder.glob("*.py") if not file.name.startswith("test_"))
    files = [
        _find_source(what.module),
        *_list_imports(what.module),
        *(_ROOT / test for test in what.tests),
        *sorted(shared),
        *runner,
    ]
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()


def _list_imports(module: str) -> list[Path]:
    """Return the files of this project that a module imports."""
    tree = ast.parse(_find_source(module).read_bytes())
    names = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
    return [file for name in sorted(names) if name.startswith("handhold.") and (file := _find_source(name)).is_file()]


def main(
    names: Annotated[list[str] | None, typer.Argument(help="Modules; all without it.")] = None,
    sample: Annotated[int, typer.Option(help="Number of mutants to try; 0 for all.")] = 0,
    seed: Annotated[int, typer.Option(help="Of the sample.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Try mutants of what protects the robot."""
    modules = [what for what in PROTECTING if not names or what.module.removeprefix("handhold.") in names]
    report = run_mutants(modules, sample or None, seed, say=lambda words: print(words, file=sys.stderr, flush=True))
    seconds = sum(module.seconds for module in report.modules)
    outcome = Outcome("mutants", None, None, seed, current_commit(), seconds, None, report.figures, report.to_json())
    print_outcome(outcome, json)
    raise typer.Exit(outcome.exit_code)


if __name__ == "__main__":
    typer.run(main)
