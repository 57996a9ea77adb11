"""What the acceptance runs, part by part: a new run is a line here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from handhold.app.errors import AppError
from handhold.app.lab.safety.studies import STUDIES, SafetyStudy, find_study
from handhold.app.lab.scenarios.deviation import STAND_IN
from handhold.app.lab.scenarios.table import RETRIEVALS, SEEN_RETRIEVALS, find_scenario
from handhold.app.session.config import IDEAL, REAL, UNITREE, check_sensors
from handhold.robots.simulation.imperfection import LEVELS


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

ESTIMATED_LEVEL = 2
"""Level of imperfection of the robots that play one of each kind of scenario on estimated state."""

ESTIMATED_SECONDS = {"fuzz": "60", "human-motion": "60", "wander": "120"}
"""For how long they play what else is long [s]."""

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
    # Of all this only the estimator's updates are timed, in kernels that are timed between them.
    "estimation": tuple(
        replace(bench, alone=False)
        for bench in (*(_bench("estimator", "--engine", engine) for engine in ENGINES), _bench("identify"))
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


def _one_of_each(parts: dict[str, tuple[Run, ...]]) -> Iterator[Run]:
    """Yield one run of each kind of scenario, by its robot and what it sees: the first in MuJoCo."""
    kinds = set()
    for run in (run for runs in parts.values() for run in runs):
        words = list(run.words)
        if words[0] != "scenario" or "mujoco" not in words or {"--imperfect", *STUDIED} & set(words):
            continue
        robot = words[words.index("--robot") + 1] if "--robot" in words else find_scenario(words[1]).robot
        kind = (words[1], robot, "--camera" in words)
        if kind in kinds or robot.endswith(".toml"):
            continue
        kinds.add(kind)
        if "--duration" in words:
            words[words.index("--duration") + 1] = ESTIMATED_SECONDS[words[1]]
        level = ("--imperfect", str(ESTIMATED_LEVEL))
        yield replace(run, name="-".join((*kind[:2], *("seen",) * kind[2])), words=(*words, *level), seed=None)


_EACH = tuple(_one_of_each(PARTS))
PARTS["estimated-walking"] = tuple(run for run in _EACH if run.words[1].startswith("walk-"))
PARTS["estimated-standing"] = tuple(run for run in _EACH if not run.words[1].startswith("walk-"))


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
