"""Runs the tests of one module in processes that are forked: as it is, for what it covers, and with one thing of it changed.

A process that has imported everything once is forked for every mutant, which costs a tenth of starting one. Of the module
that is changed, and of what imports it, kernels are not compiled.
"""

from __future__ import annotations

import ast
import gc
import importlib
import json
import os
import resource
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.machinery import SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType
from typing import Any

import coverage
import numba
import pytest
from hypothesis import HealthCheck, Phase, settings

MAX_EXAMPLES = 12
"""Examples of a property that are tried on a mutant: a property that needs more to see a change does not protect from it."""

MEMORY = 4 << 30
"""Memory a mutant may take besides what the tests' libraries take [bytes]."""

TIME_FACTOR, TIME_MARGIN = 4.0, 5.0
"""A mutant that takes so many times as long as all tests of the unchanged module, and so long [s], hangs."""

_OPTIONS = ("-q", "-p", "no:cacheprovider")


@dataclass(frozen=True, slots=True)
class Baseline:
    """What the tests do with the module as it is.

    Attributes:
        durations: CPU time of each test [s], by its name.
        failed: Tests that fail.
        lines: For each line, the tests that run it.
        missing: Lines, and branches as ``"12 -> 15"``, that no test runs.
        countable: Number of lines and branches that there are to run.
    """

    durations: dict[str, float]
    failed: list[str]
    lines: dict[int, list[str]]
    missing: list[str]
    countable: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the tests do with a mutant.

    Attributes:
        killed_by: The first test that fails, ``"time"`` for a mutant that hangs, ``""`` for one that survives.
        seconds: CPU time that it took [s].
    """

    killed_by: str
    seconds: float


@dataclass
class TestRun:
    """A plugin of pytest: runs some tests in an order, few examples of each property, and notes what it takes.

    Attributes:
        chosen: Tests to run by their names, in order; None for all as they come.
        coverage: What the lines that a test runs are told to.
    """

    __test__ = False
    chosen: Sequence[str] | None = None
    coverage: coverage.Coverage | None = None
    durations: dict[str, float] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Choose and order the tests."""
        if self.chosen is not None:
            rank = {name: k for k, name in enumerate(self.chosen)}
            items[:] = sorted((item for item in items if item.nodeid in rank), key=lambda item: rank[item.nodeid])
        for item in items:
            _limit_examples(getattr(item, "obj", None))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[Any]:
        """Time a test, and tell the coverage which it is."""
        if self.coverage is not None:
            self.coverage.switch_context(item.nodeid)
        begin = os.times().user
        try:
            return (yield)
        finally:
            self.durations[item.nodeid] = os.times().user - begin

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a test that fails."""
        if report.failed:
            self.failed.append(report.nodeid)


def _limit_examples(test: Any) -> None:
    test = getattr(test, "__func__", test)
    limits = getattr(test, "_hypothesis_internal_use_settings", None)
    if limits is not None:
        test._hypothesis_internal_use_settings = settings(
            limits,
            max_examples=min(MAX_EXAMPLES, limits.max_examples),
            derandomize=True,
            database=None,
            phases=(Phase.explicit, Phase.generate),
            suppress_health_check=list(HealthCheck),
            deadline=None,
        )


class MutantTests:
    """The tests of one module; what they need is imported once, in the process that is forked for each mutant."""

    def __init__(self, module: str, tests: Sequence[str], root: Path, *, threads: bool) -> None:
        """Import the module, what its tests need of Handhold, and find out what imports it.

        Args:
            module: Name of the module.
            tests: Its test files, relative to ``root``.
            root: The checkout.
            threads: Whether the tests start threads, which no fork survives.
        """
        self._module, self._tests, self._root = module, tests, root
        # Or every mutant would rewrite the assertions of its tests anew.
        sys.dont_write_bytecode = False
        sys.path[:0] = [str(root / "tests"), str(root / "tests" / "app")]
        self._warm_up(run=not threads)
        loaded = importlib.import_module(module)
        self._file = Path(str(loaded.__file__)).resolve()
        self._source = self._file.read_text(encoding="utf-8")
        self._dependents = _find_dependents(module)

    def _warm_up(self, *, run: bool) -> None:
        """Import what pytest and the tests need, once; where they are run, what they need of other modules is compiled too."""
        os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        with _silent():
            self._run_pytest(TestRun(), *(() if run else ("--collect-only",)))
        ours = str(self._root / "tests")
        # What the tests share holds on to modules that are to be changed.
        for name, loaded in list(sys.modules.items()):
            if str(getattr(loaded, "__file__", None) or "").startswith(ours):
                del sys.modules[name]
        gc.collect()
        gc.freeze()

    def run_baseline(self) -> Baseline:
        """Run all tests on the module as it is."""
        answer, _ = _run_forked(self._measure, None)
        return Baseline(**answer | {"lines": {int(line): tests for line, tests in answer["lines"].items()}})

    def run(self, source: str, line: int, baseline: Baseline) -> Verdict:
        """Run the tests that run a line on the module with another source, until one fails."""
        chosen = self._choose(line, baseline)
        limit = TIME_FACTOR * sum(baseline.durations[name] for name in chosen) + TIME_MARGIN
        answer, seconds = _run_forked(lambda: self._test_changed(source, chosen), limit)
        return Verdict(answer if isinstance(answer, str) else "time", seconds)

    def _choose(self, line: int, baseline: Baseline) -> list[str]:
        """Return the tests that run the statement of a line, the fastest first; all where it is run by the import."""
        lines = _find_statement(self._source, line)
        names = {name for number in lines for name in baseline.lines.get(number, ())}
        return sorted(names or baseline.durations, key=lambda name: baseline.durations[name])

    def _measure(self) -> dict[str, Any]:
        measured = coverage.Coverage(data_file=None, branch=True, include=[str(self._file)], config_file=False)
        run = TestRun(coverage=measured)
        measured.start()
        self._import_changed(self._source)
        self._run_pytest(run)
        measured.stop()
        by_line = measured.get_data().contexts_by_lineno(str(self._file))
        analysis = measured._analyze(str(self._file))
        branches = [f"{begin} -> {end}" for begin, ends in analysis.missing_branch_arcs().items() for end in ends]
        return {
            "durations": run.durations,
            "failed": run.failed,
            "lines": {line: [name for name in names if name] for line, names in by_line.items()},
            "missing": [*map(str, sorted(analysis.missing)), *branches],
            "countable": analysis.numbers.n_statements + analysis.numbers.n_branches,
        }

    def _test_changed(self, source: str, chosen: list[str]) -> str:
        run = TestRun(chosen=chosen)
        try:
            self._import_changed(source)
        except Exception:  # whatever it is, it is noticed
            return "import"
        code = self._run_pytest(run, "-x")
        return run.failed[0] if run.failed else ("" if code == pytest.ExitCode.OK else "import")

    def _run_pytest(self, run: TestRun, *options: str) -> int:
        os.chdir(self._root)
        files = sorted({name.partition("::")[0] for name in run.chosen}) if run.chosen is not None else self._tests
        return int(pytest.main([*_OPTIONS, *options, *files], plugins=[run]))

    def _import_changed(self, source: str) -> None:
        """Import the module anew with another source, and after it what imports it, none of it compiled."""
        for name in (self._module, *self._dependents):
            sys.modules.pop(name, None)
        sys.meta_path.insert(0, _ChangedModule(self._module, self._file, source))
        with _nothing_compiled():
            for name in (self._module, *self._dependents):
                importlib.import_module(name)


class _ChangedModule(SourceFileLoader):
    """Finds and loads one module, with another source than that of its file."""

    def __init__(self, module: str, file: Path, source: str) -> None:
        super().__init__(module, str(file))
        self._source = source

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> Any:
        return spec_from_file_location(name, self.path, loader=self) if name == self.name else None

    def get_code(self, _fullname: str) -> CodeType:
        return compile(self._source, self.path, "exec", dont_inherit=True)


@contextmanager
def _nothing_compiled() -> Iterator[None]:
    def keep_uncompiled(function: Callable[..., Any] | None = None, **_options: Any) -> Any:
        return function if function is not None else keep_uncompiled

    compile_function = numba.njit
    numba.njit = keep_uncompiled
    try:
        yield
    finally:
        numba.njit = compile_function


def _run_forked(work: Callable[[], Any], limit: float | None) -> tuple[Any, float]:
    """Do something in a forked process and return its answer (None if it dies of it) and the CPU time that it took [s]."""
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        _print_nothing()
        _set_limits(limit)
        try:
            with os.fdopen(writing, "w") as answer:
                json.dump(work(), answer)
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        text = answer.read()
    _, _, usage = os.wait4(process, 0)
    return json.loads(text) if text else None, usage.ru_utime + usage.ru_stime


@contextmanager
def _silent() -> Iterator[None]:
    """Let nothing be printed, not by libraries either."""
    kept = [os.dup(number) for number in (1, 2)]
    _print_nothing()
    try:
        yield
    finally:
        for number, file in zip((1, 2), kept, strict=True):
            os.dup2(file, number)
            os.close(file)


def _print_nothing() -> None:
    with Path(os.devnull).open("r+") as nothing:
        for number in (1, 2):
            os.dup2(nothing.fileno(), number)


def _set_limits(limit: float | None) -> None:
    if limit is not None:
        seconds = round(limit + sum(os.times()[:2])) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))


def _find_statement(source: str, line: int) -> range:
    """Return the lines of the smallest statement that a line is in: of one with a body, its head only."""
    best = range(line, line + 1)
    size = len(source)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            end = body[0].lineno - 1 if body else node.end_lineno or node.lineno
            if node.lineno <= line <= max(end, node.lineno) and end - node.lineno < size:
                best, size = range(node.lineno, max(end, node.lineno) + 1), end - node.lineno
    return best


def _find_imports(source: str) -> Iterator[str]:
    for node in ast.parse(source).body:
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def _find_dependents(module: str) -> list[str]:
    """Return the modules of Handhold that are imported and import a module, also by others; those first that others import."""
    ours = [name for name, loaded in sys.modules.items() if name.startswith("handhold.") and getattr(loaded, "__file__", None)]
    imports = {name: set(_find_imports(Path(str(sys.modules[name].__file__)).read_text(encoding="utf-8"))) for name in ours}
    found: list[str] = [module]
    grown = True
    while grown:
        new = [name for name in ours if name not in found and imports[name] & set(found)]
        found += new
        grown = bool(new)
    own = set(found) - {module}
    return [name for name in ours if name in own and name != __name__]
