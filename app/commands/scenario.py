"""``handhold scenario``: run a scripted operator on a simulated robot and measure it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from handhold.app.lab.scenarios.deviation import Deviation
    from handhold.app.lab.scenarios.scenario import Scenario
    from handhold.robots.unitree.stand_in_motors import MotorFlaws

SCENARIO_CAMERAS = ("perfect", "sim")

Imperfect = Annotated[int, typer.Option(help="Level of the robot's imperfections: 0 (none), 2 or 3.")]
Payload = Annotated[
    float, typer.Option(help="Mass in one of the robot's hands that its model does not know of [kg].", min=0.0, max=100.0)
]
Body = Annotated[
    str,
    typer.Option(
        help="simulated (our model of it), stand-in (another's, by its maker's protocol, in lockstep), or unitree (so in "
        "real processes and real time)."
    ),
]
Motors = Annotated[
    str | None, typer.Option(metavar="MS,RATIO", help="What stands in has motors so late [ms] and so much too weak: 4,0.3.")
]
VelocityIk = Annotated[
    bool, typer.Option("--velocity-ik", help="Leave forces and torques without limits, as in velocity inverse kinematics.")
]
Camera = Annotated[
    str, typer.Option(help="perfect (the world is known from the start), or sim (the robot's camera has to see it).")
]
Sensors = Annotated[str, typer.Option(help="ideal (the robot is told where its base is), or real (it estimates that).")]


def command(
    name: Annotated[str, typer.Argument(help="Scenario; 'list' shows them all, 'retrievals' is three of them.")],
    robot: Annotated[
        str | None, typer.Option(help="A robot's name or .toml file; by default talos, or what it needs.")
    ] = None,
    engine: Annotated[str, typer.Option(help="Physics engine: mujoco or pybullet.")] = "mujoco",
    seed: Annotated[int, typer.Option(help="Seed of all randomness.")] = 0,
    sequence: Annotated[int | None, typer.Option(help="Which captured person it is in climb: 0 or 1.", min=0)] = None,
    duration: Annotated[
        float | None, typer.Option(help="Simulated seconds of a scenario without an end (fuzz).", min=1.0)
    ] = None,
    ablation: Annotated[
        bool,
        typer.Option(
            "--ablation",
            help="Play with and without: each retargeting of a retrieval ('retrievals': all), to compare margins; the "
            "stabiliser of box-handover, ZMPs; that of what carry-two-arms or shoved-object hold, friction and torques.",
        ),
    ] = False,
    impulses: Annotated[
        bool,
        typer.Option(
            "--impulses", help="Find the largest pushes survived in a retrieval ('retrievals': all) or in walk-push."
        ),
    ] = False,
    velocity_ik: VelocityIk = False,
    imperfect: Imperfect = 0,
    payload: Payload = 0.0,
    sensors: Sensors = "ideal",
    body: Body = "simulated",
    motors: Motors = None,
    camera: Camera = "perfect",
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
    plot: Annotated[Path | None, typer.Option(help="Write a plot of the run to this PNG file.")] = None,
) -> None:
    """Run a scenario in lockstep; exit code 0 only where the robot stands and every must holds."""
    if name == "list":
        _list_scenarios()
        return
    from handhold.app.lab.scenarios.deviation import Deviation
    from handhold.app.lab.scenarios.table import spell_name

    run = _Run(name=spell_name(name, sequence), robot=robot, engine=engine, seed=seed, json=json, plot=plot)
    flaws = _read_motors(motors, body, engine)
    deviation = Deviation(imperfect=imperfect, payload=payload, sensors=sensors, body=body, motors=flaws)
    if not (ablation or impulses):
        raise typer.Exit(_play(run, duration, deviation, velocity_ik=velocity_ik, camera=camera))
    _check_study(duration, deviation, camera, both=ablation and impulses, velocity_ik=velocity_ik)
    raise typer.Exit(_study(run, ablation=ablation))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """What runs and study have in common: what is asked for, of which robot, and how it is told.

    Attributes:
        name: The scenario, or a word for several.
        robot: Name or file of the robot; None for the scenario's own.
        engine: Name of the physics engine.
        seed: Seed of all randomness.
        json: Whether one JSON object is printed and nothing else.
        plot: File of a plot, or None.
    """

    name: str
    robot: str | None
    engine: str
    seed: int
    json: bool
    plot: Path | None


def _read_motors(words: str | None, body: str, engine: str) -> MotorFlaws | None:
    """Read how late and how much too weak motors are; None for what is usual.

    Raises:
        AppError: That is no such pair, or what stands in is to be simulated by another engine.
    """
    from handhold.app.errors import AppError
    from handhold.app.stand_in.flaws import read_flaws

    if body != "simulated" and engine != "mujoco":
        raise AppError(f"what stands in is simulated by mujoco; leave --engine {engine} out")
    return read_flaws(words)


def _play_live(run: _Run, deviation: Deviation, *, plain: bool) -> int:
    """Play a scenario in real processes; ``plain`` says that no option of runs in lockstep is given."""
    from handhold.app.errors import AppError
    from handhold.app.extras import require_extra
    from handhold.app.lab.figures import print_outcome
    from handhold.app.lab.live.live_run import run_live
    from handhold.app.lab.live.live_session import LiveOptions
    from handhold.app.lab.scenarios.table import list_scenarios

    if not plain:
        raise AppError("in real processes leave --duration, --plot, --velocity-ik and --camera out")
    require_extra("unitree")
    chosen = list_scenarios(run.name, seen=False)
    if len(chosen) > 1:
        raise AppError(f"{run.name} are several runs; play one of them: {', '.join(scenario.name for scenario in chosen)}")
    scenario = chosen[0]
    outcome = run_live(scenario, run.robot or scenario.robot, run.seed, LiveOptions(flaws=deviation.motors))
    print_outcome(outcome, run.json)
    return outcome.exit_code


def _list_scenarios() -> None:
    from handhold.app.lab.scenarios.table import SCENARIOS

    for scenario in SCENARIOS:
        print(f"{scenario.name}: {scenario.title}")


def _play(run: _Run, duration: float | None, deviation: Deviation, *, velocity_ik: bool, camera: str) -> int:
    from handhold.app.errors import AppError
    from handhold.app.lab.figures import print_outcome
    from handhold.app.lab.scenarios.joint_outcome import join_outcomes
    from handhold.app.lab.scenarios.run import run_scenario
    from handhold.app.lab.scenarios.table import list_scenarios
    from handhold.app.session.config import PERFECT, UNITREE
    from handhold.retarget.bracing.seiko.parameters import VELOCITY_IK
    from handhold.robots.model import load_model

    if deviation.body == UNITREE:
        plain = duration is None and camera == PERFECT and run.plot is None and not velocity_ik
        return _play_live(run, deviation, plain=plain)
    if camera not in SCENARIO_CAMERAS:
        raise AppError(f"no camera '{camera}' for scenarios; take one of {', '.join(SCENARIO_CAMERAS)}")
    chosen = list_scenarios(run.name, seen=camera != PERFECT)
    _check_play(run, chosen, duration, seen=camera != PERFECT)
    parameters = VELOCITY_IK if velocity_ik else None
    outcomes = []
    for scenario in chosen:
        robot = run.robot or scenario.robot
        outcome, trace = run_scenario(
            scenario, robot, run.engine, run.seed, duration=duration, seiko=parameters, deviation=deviation, camera=camera
        )
        outcomes.append(outcome)
        if run.plot is not None:
            scenario.draw(load_model(robot), trace, outcome, run.plot)
    joint = outcomes[0] if len(outcomes) == 1 else join_outcomes(run.name, outcomes)
    print_outcome(joint, run.json)
    return joint.exit_code


def _check_play(run: _Run, chosen: Sequence[Scenario], duration: float | None, *, seen: bool) -> None:
    """Refuse what a run could not do as asked.

    Raises:
        AppError: Some scenario ends by itself or needs cameras, or several are to be drawn into one file.
    """
    from handhold.app.errors import AppError

    for scenario in chosen:
        if duration is not None and not scenario.endless:
            raise AppError(f"{run.name} ends by itself; leave --duration out")
        if scenario.must_see and not seen:
            raise AppError(f"{run.name} is about what the robot's cameras see; give it some with --camera sim")
    if run.plot is not None and len(chosen) > 1:
        names = ", ".join(scenario.name for scenario in chosen)
        raise AppError(f"{run.name} are several runs; draw one of them: {names}")


def _check_study(duration: float | None, deviation: Deviation, camera: str, *, both: bool, velocity_ik: bool) -> None:
    """Refuse what would be left out of account in a study.

    Raises:
        AppError: Two studies are asked for at once, or one with an option of single runs.
    """
    from handhold.app.errors import AppError
    from handhold.app.lab.scenarios.deviation import NO_DEVIATION
    from handhold.app.session.config import PERFECT

    if both:
        raise AppError("--ablation and --impulses are studies of their own; ask for one after the other")
    if velocity_ik:
        raise AppError("studies are of SEIKO's runs; leave --velocity-ik out")
    if duration is not None:
        raise AppError("what is studied ends by itself; leave --duration out")
    if deviation != NO_DEVIATION:
        raise AppError("studies are of ideal robots; leave --imperfect, --payload, --sensors and --body out")
    if camera != PERFECT:
        raise AppError("in studies the world is known from the start; leave --camera out")


def _study(run: _Run, *, ablation: bool) -> int:
    from handhold.app.lab.figures import print_outcome
    from handhold.app.lab.scenarios.studies import ABLATION, IMPULSES, find_study
    from handhold.app.lab.scenarios.study import StudyRequest
    from handhold.app.lab.scenarios.table import list_scenarios
    from handhold.robots.model import load_model

    study = find_study(ABLATION if ablation else IMPULSES, run.name)
    study.check_seed(run.seed)
    model = load_model(run.robot or list_scenarios(run.name, seen=False)[0].robot)
    outcome = study.make(StudyRequest(name=run.name, model=model, engine=run.engine, seed=run.seed, plot=run.plot))
    print_outcome(outcome, run.json)
    return outcome.exit_code
