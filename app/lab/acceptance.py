"""Acceptance: runs what Handhold must show, part by part, and writes the results down.

``python -m handhold.app.lab.acceptance [PART]``, or ``./handhold acceptance [PART]``. A finished run is kept in
``acceptance/`` under the commit it ran on, so that a part that was interrupted goes on where it stopped.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from handhold.app.errors import AppError
from handhold.app.lab.acceptance_parts import PARTS, Run, find_part
from handhold.app.lab.acceptance_picture import draw_results
from handhold.app.main import EXIT_CODES
from handhold.app.session.commit import current_commit, find_checkout
from handhold.app.session.config import REAL

_ROOT = find_checkout()


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a run: its exit code, its outcome (see ``Outcome.to_json``) or else its last words."""

    run: str
    command: str
    exit_code: int
    outcome: dict[str, Any] | None
    said: str = ""

    @property
    def holds(self) -> bool:
        """Whether the run measured what it should and every ``must`` holds."""
        return self.exit_code == 0 and self.outcome is not None

    def to_json(self) -> dict[str, Any]:
        """Return the result as a JSON object."""
        return {"run": self.run, "command": self.command, "holds": self.holds, "exit_code": self.exit_code} | {
            "outcome": self.outcome,
            "said": self.said,
        }


def run_all(part: str, runs: Sequence[Run], commit: str, kept: Path) -> tuple[Result, ...]:
    """Run all runs of a part, showing progress on stderr; those that are kept are not run again.

    Simulations in lockstep, whose figures no other process can change, run on all cores at once, the others alone after them.

    Args:
        part: Name of the part, for the eye.
        runs: What to run.
        commit: Commit of the sources, ending in ``+`` where files differ from it: then nothing is kept.
        kept: Folder of the results of finished runs.

    Returns:
        The results in the order of the runs.
    """
    folder = kept / commit
    results: dict[str, Result] = {}
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task(part, total=len(runs))

        def run_one(run: Run) -> None:
            results[run.name] = result = _run_or_recall(run, folder, resumable=not commit.endswith("+"))
            progress.console.print(_verdict(result))
            progress.advance(task)

        for first, alone, workers in ((True, False, 1), (False, False, os.cpu_count()), (False, True, 1)):
            with ThreadPoolExecutor(max_workers=workers) as pool:
                list(pool.map(run_one, (run for run in runs if (run.first, run.alone) == (first, alone))))
    return tuple(results[run.name] for run in runs)


def _run_or_recall(run: Run, folder: Path, resumable: bool) -> Result:
    file = folder / f"{run.name}.json"
    if resumable and file.is_file():
        kept = json.loads(file.read_text(encoding="utf-8"))
        return Result(run.name, kept["command"], kept["exit_code"], kept["outcome"], kept["said"])
    result = execute(run)
    # what makes something is run again by whoever needs it
    if resumable and not run.first and result.outcome is not None:
        folder.mkdir(parents=True, exist_ok=True)
        _write(file, result.to_json())
    return result


def execute(run: Run) -> Result:
    """Execute a run to its end and return what became of it."""
    with tempfile.TemporaryDirectory(prefix="handhold-") as folder:
        file = Path(folder) / "results.json"
        command = [sys.executable, "-m", "pytest", "-q", *run.words] if run.is_test else [_installed_command(), *run.words]
        environment = os.environ | {"HANDHOLD_RESULTS": str(file)}
        done = subprocess.run(command, cwd=_ROOT, env=environment, capture_output=True, text=True, check=False)
        printed = file.read_text(encoding="utf-8") if run.is_test and file.is_file() else done.stdout
    shown = " ".join(("pytest" if run.is_test else "handhold", *run.words))
    outcome = _parse(printed)
    said = "" if outcome is not None else _last_words(done.stderr or done.stdout)
    return Result(run.name, shown, done.returncode, outcome, said)


def _last_words(printed: str) -> str:
    lines = (line.strip(" \t│") for line in printed.splitlines())
    return next((line for line in reversed(list(lines)) if any(character.isalpha() for character in line)), "")


def _installed_command() -> str:
    return str(Path(sys.executable).parent / "handhold")


def _parse(printed: str) -> dict[str, Any] | None:
    try:
        outcome = json.loads(printed)
    except json.JSONDecodeError:
        return None
    return outcome if isinstance(outcome, dict) and "figures" in outcome else None


def _verdict(result: Result) -> str:
    if result.holds:
        return f"[green]holds[/]  {result.run}"
    reason = "a figure fails" if result.outcome is not None else f"no outcome: {result.said}"
    return f"[red]fails[/]  {result.run} ({reason})"


def write_results(
    part: str, commit: str, results: Sequence[Result], folder: Path, seeds: int | None = None, sensors: str = REAL
) -> tuple[Path, Path]:
    """Write a part's results, of a number of seeds or of all and by sensors, as JSON and a picture; return both files."""
    folder.mkdir(parents=True, exist_ok=True)
    content = {
        "part": part,
        "commit": commit,
        "python": platform.python_version(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "seeds": seeds,
        "sensors": sensors,
        "holds": all(result.holds for result in results),
        "runs": [result.to_json() for result in results],
    }
    _write(folder / f"{part}.json", content)
    draw_results(content, folder / f"{part}.png")
    return folder / f"{part}.json", folder / f"{part}.png"


def _processor() -> str:
    models = _lines_of(Path("/proc/cpuinfo"), "model name")
    return next(models, platform.processor() or platform.machine())


def _lines_of(file: Path, key: str) -> Iterator[str]:
    if file.is_file():
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.startswith(key):
                yield line.partition(":")[2].strip()


def _write(file: Path, content: dict[str, Any]) -> None:
    partial = file.with_suffix(".partial")
    partial.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    partial.replace(file)


def main() -> None:
    """Run the command line of this module."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None, context_settings={"help_option_names": ["-h", "--help"]})
    app.command()(accept)
    try:
        app(prog_name="./handhold acceptance")
    except AppError as error:
        print(f"handhold: {error}", file=sys.stderr)
        sys.exit(EXIT_CODES[AppError])


def accept(
    part: Annotated[str, typer.Argument(help=f"Part to run ({', '.join(PARTS)}); all of them without it.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print what was written of each part as one JSON object.")] = False,
    again: Annotated[bool, typer.Option("--again", help="Run everything again, also what is kept of this commit.")] = False,
    seeds: Annotated[
        int | None, typer.Option(min=1, metavar="NUMBER", help="Take the first so many seeds only, where there are more.")
    ] = None,
    sensors: Annotated[
        str, typer.Option(help="Of simulated robots in lockstep: real (they estimate where their base is), or ideal.")
    ] = REAL,
) -> None:
    """Run what Handhold must show and write docs/results/PART.json and .png; exits 0 only where all of it holds."""
    commit = current_commit()
    kept = Path(tempfile.mkdtemp(prefix="handhold-")) if again else _ROOT / "acceptance"
    holds = True
    for name in (part,) if part else PARTS:
        results = run_all(name, find_part(name, seeds, sensors), commit, kept)
        written = write_results(name, commit, results, _ROOT / "docs" / "results", seeds, sensors)
        print(f"{name}: wrote {' and '.join(str(file.relative_to(_ROOT)) for file in written)}", file=sys.stderr)
        if as_json:
            print(json.dumps(json.loads(written[0].read_text(encoding="utf-8")), allow_nan=False), flush=True)
        holds = holds and all(result.holds for result in results)
    raise typer.Exit(0 if holds else 1)


if __name__ == "__main__":
    main()
