"""``handhold scenario``: run a scripted operator on a simulated robot and measure it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

SCENARIO_CAMERAS = ("perfect", "sim")


def command(
    name: Annotated[str, typer.Argument(help="Scenario; 'list' shows them all.")],
    robot: Annotated[str, typer.Option(help="A shipped robot's name or a description's .toml file.")] = "talos",
    engine: Annotated[str, typer.Option(help="Physics engine: mujoco or pybullet.")] = "mujoco",
    seed: Annotated[int, typer.Option(help="Seed of all randomness.")] = 0,
    duration: Annotated[
        float | None, typer.Option(help="Simulated seconds of a scenario without an end (fuzz).", min=1.0)
    ] = None,
    ablation: Annotated[
        bool,
        typer.Option(
            "--ablation",
            help="Play a retrieval ('retrievals': all) with and without each retargeting, and compare margins; or "
            "box-handover with and without the stabiliser, and compare ZMPs.",
        ),
    ] = False,
    impulses: Annotated[
        bool,
        typer.Option(
            "--impulses", help="Find the largest pushes survived in a retrieval ('retrievals': all) or in walk-push."
        ),
    ] = False,
    velocity_ik: Annotated[
        bool, typer.Option("--velocity-ik", help="Leave forces and torques without limits, as in velocity inverse kinematics.")
    ] = False,
    imperfect: Annotated[int, typer.Option(help="Level of the robot's imperfections: 0 (none), 2 or 3.")] = 0,
    payload: Annotated[
        float, typer.Option(help="Mass in one of the robot's hands that its model does not know of [kg].", min=0.0, max=100.0)
    ] = 0.0,
    camera: Annotated[
        str, typer.Option(help="perfect (the world is known from the start), or sim (the robot's camera has to see it).")
    ] = "perfect",
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
    plot: Annotated[Path | None, typer.Option(help="Write a plot of the run to this PNG file.")] = None,
) -> None:
    """Run a scenario in lockstep; exit code 0 only where the robot stands and every must holds."""
    from handhold.app.errors import AppError

    if name == "list":
        _list_scenarios()
        return
    run = _Run(name=name, robot=robot, engine=engine, json=json, plot=plot)
    _check_study(ablation=ablation, impulses=impulses, velocity_ik=velocity_ik, duration=duration)
    if (ablation or impulses) and (imperfect or payload):
        raise AppError("studies are of ideal robots; leave --imperfect and --payload out")
    if impulses:
        raise typer.Exit(_push_walk(run) if name == "walk-push" else _push(run))
    if ablation:
        raise typer.Exit(_compare_stabiliser(run, seed) if name == "box-handover" else _compare(run))
    raise typer.Exit(_play(run, seed, duration, velocity_ik=velocity_ik, imperfect=imperfect, payload=payload, camera=camera))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """What runs and study have in common: what is asked for, of which robot, and how it is told.

    Attributes:
        name: The scenario, or a word for several.
        robot: Name or file of the robot.
        engine: Name of the physics engine.
        json: Whether one JSON object is printed and nothing else.
        plot: File of a plot, or None.
    """

    name: str
    robot: str
    engine: str
    json: bool
    plot: Path | None


def _list_scenarios() -> None:
    from handhold.app.lab.scenarios.table import SCENARIOS

    for scenario in SCENARIOS:
        print(f"{scenario.name}: {scenario.title}")


def _play(
    run: _Run, seed: int, duration: float | None, *, velocity_ik: bool, imperfect: int, payload: float, camera: str
) -> int:
    from handhold.app.errors import AppError
    from handhold.app.lab.figures import print_outcome
    from handhold.app.lab.scenarios.deviation import Deviation
    from handhold.app.lab.scenarios.run import run_scenario
    from handhold.app.lab.scenarios.table import find_scenario
    from handhold.app.session.config import PERFECT
    from handhold.retarget.bracing.seiko.parameters import VELOCITY_IK
    from handhold.robots.model import load_model

    if camera not in SCENARIO_CAMERAS:
        raise AppError(f"no camera '{camera}' for scenarios; take one of {', '.join(SCENARIO_CAMERAS)}")
    chosen = find_scenario(run.name)
    if duration is not None and not chosen.endless:
        raise AppError(f"{run.name} ends by itself; leave --duration out")
    if chosen.must_see and camera == PERFECT:
        raise AppError(f"{run.name} is about what the robot's cameras see; give it some with --camera sim")
    deviation = Deviation(imperfect=imperfect, payload=payload)
    parameters = VELOCITY_IK if velocity_ik else None
    outcome, trace = run_scenario(
        chosen, run.robot, run.engine, seed, duration=duration, seiko=parameters, deviation=deviation, camera=camera
    )
    if run.plot is not None:
        chosen.draw(load_model(run.robot), trace, outcome, run.plot)
    print_outcome(outcome, run.json)
    return outcome.exit_code


def _check_study(*, ablation: bool, impulses: bool, velocity_ik: bool, duration: float | None) -> None:
    """Refuse what would be left out of account in a study.

    Raises:
        AppError: Two studies are asked for at once, or one with an option of single runs.
    """
    from handhold.app.errors import AppError

    if not (ablation or impulses):
        return
    if ablation and impulses:
        raise AppError("--ablation and --impulses are studies of their own; ask for one after the other")
    if velocity_ik:
        raise AppError("studies are of SEIKO's runs; leave --velocity-ik out")
    if duration is not None:
        raise AppError("what is studied ends by itself; leave --duration out")


def _compare(run: _Run) -> int:
    from handhold.app.lab.figures import print_outcome
    from handhold.app.lab.scenarios.ablation import describe_ablations, play_ablation, plot_ablations
    from handhold.app.lab.scenarios.table import find_retrieval, find_scenario, list_retrievals
    from handhold.robots.model import load_model

    model = load_model(run.robot)
    ablations = [
        play_ablation(find_scenario(each), find_retrieval(each), model, run.engine) for each in list_retrievals(run.name)
    ]
    outcome = describe_ablations(run.name, model, run.engine, ablations)
    if run.plot is not None:
        plot_ablations(outcome, ablations, run.plot)
    print_outcome(outcome, run.json)
    return outcome.exit_code


def _compare_stabiliser(run: _Run, seed: int) -> int:
    from handhold.app.lab.figures import print_outcome
    from handhold.app.lab.scenarios.stabiliser_ablation import compare_stabiliser, describe_stabiliser, plot_stabiliser
    from handhold.app.lab.scenarios.table import find_scenario
    from handhold.robots.model import load_model

    model = load_model(run.robot)
    ablation = compare_stabiliser(find_scenario(run.name), model, run.engine, seed)
    outcome = describe_stabiliser(run.name, model, run.engine, seed, ablation)
    if run.plot is not None:
        plot_stabiliser(outcome, ablation, run.plot)
    print_outcome(outcome, run.json)
    return outcome.exit_code


def _push_walk(run: _Run) -> int:
    from handhold.app.lab.figures import print_outcome
    from handhold.app.lab.scenarios.walk_impulses import describe_walk_impulses, plot_walk_impulses, probe_walk
    from handhold.robots.model import load_model

    model = load_model(run.robot)
    probes = probe_walk(model, run.engine)
    outcome = describe_walk_impulses(model, run.engine, probes)
    if run.plot is not None:
        plot_walk_impulses(outcome, run.plot)
    print_outcome(outcome, run.json)
    return outcome.exit_code


def _push(run: _Run) -> int:
    from handhold.app.lab.figures import print_outcome
    from handhold.app.lab.scenarios.impulses import describe_impulses, plot_impulses, probe_impulses
    from handhold.app.lab.scenarios.table import find_retrieval, find_scenario, list_retrievals
    from handhold.robots.model import load_model

    model = load_model(run.robot)
    found = [
        probe_impulses(find_scenario(each), find_retrieval(each), model, run.engine) for each in list_retrievals(run.name)
    ]
    probes = [probe for each in found for probe in each]
    outcome = describe_impulses(run.name, model, run.engine, probes)
    if run.plot is not None:
        plot_impulses(outcome, probes, run.plot)
    print_outcome(outcome, run.json)
    return outcome.exit_code
