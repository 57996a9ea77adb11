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
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from handhold.app.errors import AppError
from handhold.app.lab.acceptance_picture import draw_results
from handhold.app.lab.safety.studies import STUDIES, SafetyStudy, find_study
from handhold.app.lab.scenarios.deviation import STAND_IN
from handhold.app.lab.scenarios.table import RETRIEVALS, SEEN_RETRIEVALS
from handhold.app.main import EXIT_CODES
from handhold.app.session.commit import current_commit, find_checkout
from handhold.app.session.config import IDEAL, REAL, UNITREE, check_sensors
from handhold.robots.simulation.imperfection import LEVELS

_ROOT = find_checkout()


@dataclass(frozen=True, slots=True)
class Run:
    """One thing to run.

    Attributes:
        name: Name of the run within its part, as a file name.
        words: Command line: of ``handhold`` (printing one JSON object), or of pytest where ``is_test``.
        is_test: Run pytest, which writes its outcome to the file that ``HANDHOLD_RESULTS`` names.
        alone: Its figures are times, or it runs in real time: nothing else may run beside it.
        first: It makes what the others need: they wait for it.
        seed: Its number among runs that differ in nothing but a seed; None where there is one only.
    """

    name: str
    words: tuple[str, ...]
    is_test: bool = False
    alone: bool = False
    first: bool = False
    seed: int | None = None


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


class UnknownPart(AppError):
    """A part of the acceptance is asked for that there is not."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"no part '{name}'; take one of {', '.join(PARTS)}, or none for all of them")


def _scenario(name: str, robot: str, engine: str, *options: str) -> Run:
    words = ("scenario", name, "--robot", robot, "--engine", engine, *options, "--json")
    return Run(f"{name}-{robot}-{engine}", words)


def _seen(name: str, engine: str, seed: int) -> Run:
    """Return a scenario whose robot knows nothing but what its camera sees."""
    run = _seeded(name, engine, seed)
    return replace(run, name=f"seen-{run.name}", words=(*run.words, "--camera", "sim"))


def _driven(name: str, body: str, seed: int, *options: str) -> Run:
    """Return a scenario on somebody else's G1 behind its maker's protocol, in lockstep or in real processes."""
    words = ("scenario", name, "--robot", "g1", "--body", body, "--seed", str(seed), *options, "--json")
    return Run("-".join((name, body, *options[1::2], f"seed-{seed}")), words, seed=seed, alone=body == UNITREE)


def _motion(names: str, engine: str, *options: str) -> Run:
    motions = tuple(names.split())
    words = ("motion", "play", *motions, "--engine", engine, *options, "--json")
    return Run("-".join((*motions, *(option.strip("-") for option in options), engine)), words)


def _motions_of(robot: str, motions: Sequence[tuple[str, ...]]) -> tuple[Run, ...]:
    return tuple(_motion(names, engine, *options, "--robot", robot) for names, *options in motions for engine in ENGINES)


def _seeded(name: str, engine: str, seed: int, *options: str) -> Run:
    words = ("scenario", name, "--engine", engine, "--seed", str(seed), *options, "--json")
    return Run("-".join((name, *options[1::2], f"{engine}-seed-{seed}")), words, seed=seed)


def _walks(kind: str, engine: str, seeds: Sequence[int] | None = None) -> tuple[Run, ...]:
    return tuple(_seeded(name, engine, seed) for name in WALKS[kind] for seed in (SEEDS if seeds is None else seeds))


def _study(name: str, study: str, engine: str) -> Run:
    return Run(f"{name}-{study}-{engine}", ("scenario", name, f"--{study}", "--engine", engine, "--json"))


def _bench(name: str, *options: str) -> Run:
    words = ("bench", name, *options, "--json")
    return Run("-".join(("bench", name, *options[1::2])), words, alone=True)


def _imperfect_run(name: str, robot: str, engine: str, level: int, seed: int) -> Run:
    """Return a scenario of a robot that is not ideal."""
    words = ("scenario", name, "--robot", robot, "--engine", engine, "--seed", str(seed), "--imperfect", str(level), "--json")
    return Run(f"{name}-{robot}-{engine}-imperfect-{level}-seed-{seed}", words, seed=seed)


def _imperfect(level: int) -> tuple[Run, ...]:
    return tuple(
        _imperfect_run(name, robot, engine, level, seed)
        for robot, seeds in IMPERFECT_SEEDS.items()
        for name in IMPERFECT
        for engine in ENGINES
        for seed in range(seeds)
    )


def _wander(engine: str, seed: int) -> Run:
    run = _seeded("wander", engine, seed)
    return replace(run, words=(*run.words, "--duration", WANDER_SECONDS))


def _mode_changes(robot: str, seed: int) -> Run:
    """Return the changes between all pairs of modes, in one engine and the other by turns."""
    engine = ENGINES[seed % len(ENGINES)]
    words = ("scenario", "mode-changes", "--robot", robot, "--engine", engine, "--seed", str(seed), "--json")
    return Run(f"mode-changes-{robot}-{engine}-seed-{seed}", words, seed=seed)


def _study_of_safety(study: SafetyStudy) -> Run:
    return Run(study.name, ("safety", study.name, "--json"), alone=study.alone)


def _test(name: str, *words: str) -> Run:
    return Run(name, words, is_test=True, alone=True)


def _new_robot(robot: str, urdf: str) -> Run:
    words = ("robot", "new", urdf, "--output", _description(robot), "--overwrite", "--json")
    return Run(f"new-{robot}", words, first=True)


def _description(robot: str) -> str:
    return f"acceptance/{robot}.toml"


def _plays(robot: str, names: tuple[str, ...]) -> tuple[Run, ...]:
    """Return the scenarios of a robot whose description was proposed."""
    return tuple(
        Run(f"{name}-{robot}-{engine}", ("scenario", name, "--robot", _description(robot), "--engine", engine, "--json"))
        for name in names
        for engine in ENGINES
    )


STUDIED = ("--ablation", "--impulses")
"""Options of studies, which are of ideal robots."""

ENGINES = ("pybullet", "mujoco")

PROPOSED = {
    "romeo": "example-robot-data:example-robot-data/robots/romeo_description/urdf/romeo_small.urdf",
    "human": "example-robot-data:example-robot-data/robots/human_description/robots/human.urdf",
    "t1": "holosoma-retargeting:holosoma_retargeting/models/t1/t1_23dof.urdf",
    "h1": "holosoma-retargeting:holosoma_retargeting/models/h1/h1_19dof.urdf",
}
"""URDFs of humanoids that Handhold does not ship, by the package that does (see ``robot new``)."""

STANDING_SCENARIOS, WALKING_SCENARIOS = (
    ("far-reach", "switch-foot", "brace-hand"),
    ("walk-straight", "walk-square", "walk-stop"),
)
"""What such robots play: all of them that stand on either foot, and those that walk."""

PLAYED = {
    **dict.fromkeys(("romeo", "human", "t1"), (*STANDING_SCENARIOS, *WALKING_SCENARIOS)),
    # Its ankles do not roll: it cannot lift a foot, as robot check says, and is refused the rest.
    "h1": ("far-reach", "brace-hand"),
}
"""What each of them plays."""

BRACING = {
    "talos": ("far-reach", "push", "switch-foot", "brace-hand", "uneven", "jumps", "fast-hands"),
    "anymal": ("far-reach", "push", "switch-foot", "uneven"),
    "g1": ("far-reach", "switch-foot", "brace-hand"),
    "icub": ("far-reach", "switch-foot", "brace-hand"),
}
"""Which scenarios each robot plays, in both engines."""

SEEN = tuple(scenario.name for scenario in SEEN_RETRIEVALS)
"""What is played with nothing known in advance but what the robot's cameras see, by eight seeds in each engine."""

LOST = ("brace-offered", "brace-unplugged", "brace-frozen", "brace-dark", "brace-passed", "brace-moved")
"""What is played likewise by one seed: a brace where it is proposed, and what may befall cameras meanwhile."""

SEEN_GROUND = ("walk-edge", "walk-uneven", "walk-stairs-down")
"""Walks on nothing but the ground that the robot's cameras see, by the same seeds in each engine."""

SIGHT_SEEDS = range(8)
"""Seeds of the camera's noise."""

MOTIONS = (
    ("feet-apart feet-together", "--standing"),
    ("feet-apart", "--standing", "--pause-at", "2.4", "--back-at", "2.7"),
    ("squat", "--standing", "--pause-at", "1.5"),
    ("step-up", "--standing"),
    ("step-up", "--standing", "--pause-at", "2.4", "--back-at", "6.0"),
    ("stand-up",),
    ("wave", "--standing"),
)
"""Motions that Talos plays in both engines, some paused and called off while a foot is in the air."""

OTHERS: tuple[tuple[str, ...], ...] = (
    ("squat", "--standing"),
    ("step-up", "--standing"),
    ("stand-up",),
    ("wave", "--standing"),
)
"""Motions that G1 and iCub play in both engines, besides moving their feet apart and together."""

WALKS = {
    "steered": ("walk-straight", "walk-turn", "walk-stop", "walk-square"),
    "tried": ("walk-push", "walk-uneven", "walk-wrong-map", "walk-edge", "walk-stop-and-go", "walk-latency"),
    "ground": ("walk-stairs-down", "walk-beam", "walk-narrow-beam", "walk-stones", "walk-ramp"),
}
"""Talos' walks in both engines: commanded on even ground; disturbed by pushes, ground, operator, link; over broken ground."""

SEEDS = range(20)
"""Seeds of the posture in which a walk begins, of its velocities and of what disturbs it."""

IMPERFECT = ("brace-hand", "far-reach", "walk-straight", "switch-foot")
"""What robots that are not ideal play."""

IMPERFECT_SEEDS = {"talos": 8, "g1": 4}
"""How many such robots of each kind there are."""

FUZZ_SECONDS = "1200"
"""Simulated time of the random operator [s]."""

CAPTURED = ("climb-0", "climb-1")
"""What captured people do, in parts."""

HUMAN_SECONDS = "600"
"""Simulated time of a person of our own making who does all kinds of things [s]."""

WANDER_SECONDS = "600"
"""Simulated time of each random walk over modes [s]; six of them are an hour in each engine."""

MOMENTS = {"talos": 25, "g1": 2}
"""At how many random moments each robot is asked to change between each pair of its modes, one of each pair by a seed."""

TOUCHED = ("guided", "pulled")
"""Scenarios in which people take Talos by the hand; G1 is led only, because its hands have no sensor."""

HELD_OBJECTS = ("carry-two-arms", "guided-object", "shoved-object")
"""Scenarios in which two arms hold an object."""

PARTS: dict[str, tuple[Run, ...]] = {
    "spine": (
        *(_scenario("far-reach", robot, engine) for robot in ("talos", "g1") for engine in ENGINES),
        _bench("seiko"),
        _bench("controller"),
        _bench("cycle", "--engine", "mujoco"),
        _bench("cycle", "--engine", "pybullet"),
        _test("station-loss", "tests/app/test_station_loss.py", "--repeats", "100", "--timeout", "3600"),
    ),
    "bracing": (
        *(_scenario(name, robot, engine) for robot, names in BRACING.items() for name in names for engine in ENGINES),
        *(_scenario("fuzz", "talos", engine, "--duration", FUZZ_SECONDS) for engine in ENGINES),
        _bench("preview"),
        _bench("seiko"),
    ),
    "perception": (
        _bench("planes"),
        _bench("candidates"),
        *(_seen(name, engine, 0) for name in LOST for engine in ENGINES),
    ),
    **{
        f"perception-retrievals-{engine}": tuple(_seen(name, engine, seed) for seed in SIGHT_SEEDS for name in SEEN)
        for engine in ENGINES
    },
    **{
        f"perception-walks-{engine}": tuple(_seen(name, engine, seed) for seed in SIGHT_SEEDS for name in SEEN_GROUND)
        for engine in ENGINES
    },
    "whole-body": (
        *(_scenario(name, robot, engine) for name in CAPTURED for robot in ("talos", "g1") for engine in ENGINES),
        *(_scenario("human-motion", robot, engine) for robot in ("g1", "icub") for engine in ENGINES),
        *(_scenario("human-motion", "talos", engine, "--duration", HUMAN_SECONDS) for engine in ENGINES),
        *(_scenario(name, "talos", engine) for name in ("suit-losses", "three-points", "lean-on-wall") for engine in ENGINES),
        _bench("suit"),
    ),
    "grippers": tuple(_seeded("fetch", engine, seed) for engine in ENGINES for seed in range(10)),
    "handovers": (
        *(_study("box-handover", "ablation", engine) for engine in ENGINES),
        *(_seeded("box-handover", engine, seed) for engine in ENGINES for seed in range(10)),
        *(_seeded("box-handover", "mujoco", seed, "--robot", "icub") for seed in range(10)),
    ),
    "touch": (
        *(_seeded(name, engine, seed) for name in TOUCHED for engine in ENGINES for seed in range(5)),
        *(_seeded("shove", engine, seed) for engine in ENGINES for seed in range(5)),
        *(_scenario("guided", "g1", engine) for engine in ENGINES),
        *(_scenario("untouched", robot, engine) for robot in ("talos", "g1") for engine in ENGINES),
        *(_imperfect_run(name, "talos", "mujoco", 2, 0) for name in (*TOUCHED, "untouched")),
        _bench("touch"),
    ),
    "objects": (
        *(_seeded("dock", engine, seed) for engine in ENGINES for seed in range(10)),
        *(_seeded("carry-walking", engine, seed) for engine in ENGINES for seed in range(5)),
        *(_seeded(name, engine, seed) for name in HELD_OBJECTS for engine in ENGINES for seed in range(5)),
        *(_study(name, "ablation", engine) for name in ("carry-two-arms", "shoved-object") for engine in ENGINES),
    ),
    "stand-in": (
        *(_driven("stand-in", STAND_IN, seed) for seed in range(10)),
        *(_driven("stand-in", UNITREE, seed) for seed in range(10)),
        _driven("untouched", UNITREE, 0, "--motors", "4,0.3"),
        _study_of_safety(find_study("lost-drivers")),
    ),
    "stability": (
        *(_scenario(name, "talos", engine) for name in RETRIEVALS for engine in ENGINES),
        *(_study("retrievals", "ablation", engine) for engine in ENGINES),
        *(_study("retrievals", "impulses", engine) for engine in ENGINES),
        _bench("region"),
    ),
    "motions": tuple(_motion(motions, engine, *options) for motions, *options in MOTIONS for engine in ENGINES),
    "humanoids": (
        *_motions_of("g1", (("feet-together feet-apart", "--standing"), *OTHERS)),
        *_motions_of("icub", (("feet-apart feet-together", "--standing"), *OTHERS)),
        *(_scenario(name, "icub", engine) for name in WALKING_SCENARIOS for engine in ENGINES),
    ),
    "walking": (
        *(_scenario("walk-straight", "g1", engine) for engine in ENGINES),
        *(_study("walk-push", "impulses", engine) for engine in ENGINES),
        _bench("walking"),
        _bench("footholds"),
    ),
    **{f"walking-{kind}-{engine}": _walks(kind, engine) for kind in ("steered", "tried") for engine in ENGINES},
    "robots": (
        *(_new_robot(robot, urdf) for robot, urdf in PROPOSED.items()),
        *(run for robot, names in PLAYED.items() for run in _plays(robot, names)),
    ),
    **{f"walking-ground-{engine}": _walks("ground", engine, range(8)) for engine in ENGINES},
    "headset": (
        _bench("render"),
        _bench("view"),
        _test("wall-session", "tests/app/test_wall_session.py", "--long"),
    ),
    "page": (
        _bench("page"),
        _test("page-session", "tests/app/test_browser_session.py", "--operators", "keys,mouse,touch", "--timeout", "3600"),
    ),
    **{f"imperfect-{level}": _imperfect(level) for level in LEVELS},
    "mode-changes": tuple(_mode_changes(robot, seed) for robot, seeds in MOMENTS.items() for seed in range(seeds)),
    "safety-wander": tuple(_wander(engine, seed) for seed in range(6) for engine in ENGINES),
    "safety": (
        *(_study_of_safety(study) for study in STUDIES),
        _bench("seal"),
        _test("station-loss-loaded", "tests/app/test_station_loss.py", "--busy", "--repeats", "100", "--timeout", "7200"),
        _test("page-in-a-browser", "tests/app/test_page_attacked.py", "--timeout", "3600"),
    ),
}


def find_part(name: str, seeds: int | None = None, sensors: str = REAL) -> tuple[Run, ...]:
    """Return the runs of a part.

    Args:
        name: The part.
        seeds: How many seeds are taken at most of those that runs differ by; None for all.
        sensors: Of the simulated robots that play in lockstep, as in ``Deviation``.

    Raises:
        UnknownPart: There is no such part.
        UnknownSensors: There are no such sensors.
    """
    if name not in PARTS:
        raise UnknownPart(name)
    check_sensors(sensors)
    runs = (run for run in PARTS[name] if seeds is None or run.seed is None or run.seed < seeds)
    return tuple(_sense_by(run, sensors) for run in runs)


def _sense_by(run: Run, sensors: str) -> Run:
    """Return a run with sensors other than ideal ones, where it can have them: what is studied is ideal."""
    plays = run.words[0] == "scenario" or run.words[:2] == ("motion", "play")
    if sensors == IDEAL or not plays or {"--body", *STUDIED} & set(run.words):
        return run
    return replace(run, name=f"{run.name}-{sensors}", words=(*run.words, "--sensors", sensors))


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
