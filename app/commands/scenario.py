"""``handhold scenario``: run a scripted operator on a simulated robot and measure it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


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
            "--ablation", help="Play a retrieval ('retrievals': all) with and without each retargeting; compare margins."
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
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
    plot: Annotated[Path | None, typer.Option(help="Write a plot of the run to this PNG file.")] = None,
) -> None:
    """Run a scenario in lockstep; exit code 0 only where the robot stands and every must holds."""
    from handhold.app.errors import AppError
    from handhold.app.figures import print_outcome
    from handhold.app.scenarios.run import check_level, run_scenario
    from handhold.app.scenarios.table import SCENARIOS, find_scenario
    from handhold.retarget.bracing.parameters import VELOCITY_IK
    from handhold.robots.model import load_model

    if name == "list":
        for scenario in SCENARIOS:
            print(f"{scenario.name}: {scenario.title}")
        return
    _check_study(ablation=ablation, impulses=impulses, velocity_ik=velocity_ik, duration=duration)
    if (ablation or impulses) and (imperfect or payload):
        raise AppError("studies are of ideal robots; leave --imperfect and --payload out")
    if impulses and name == "walk-push":
        raise typer.Exit(_push_walk(robot, engine, json=json, plot=plot))
    if impulses:
        raise typer.Exit(_push(name, robot, engine, json=json, plot=plot))
    if ablation:
        raise typer.Exit(_compare(name, robot, engine, json=json, plot=plot))
    chosen = find_scenario(name)
    if duration is not None and not chosen.endless:
        raise AppError(f"{name} ends by itself; leave --duration out")
    check_level(imperfect)
    parameters = VELOCITY_IK if velocity_ik else None
    outcome, trace = run_scenario(
        chosen, robot, engine, seed, duration=duration, seiko=parameters, imperfect=imperfect, payload=payload
    )
    if plot is not None:
        chosen.draw(load_model(robot), trace, outcome, plot)
    print_outcome(outcome, json)
    raise typer.Exit(outcome.exit_code)


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


def _compare(name: str, robot: str, engine: str, *, json: bool, plot: Path | None) -> int:
    from handhold.app.figures import print_outcome
    from handhold.app.scenarios.ablation import describe_ablations, play_ablation, plot_ablations
    from handhold.app.scenarios.table import find_retrieval, find_scenario, list_retrievals
    from handhold.robots.model import load_model

    model = load_model(robot)
    ablations = [play_ablation(find_scenario(each), find_retrieval(each), model, engine) for each in list_retrievals(name)]
    outcome = describe_ablations(name, model, engine, ablations)
    if plot is not None:
        plot_ablations(outcome, ablations, plot)
    print_outcome(outcome, json)
    return outcome.exit_code


def _push_walk(robot: str, engine: str, *, json: bool, plot: Path | None) -> int:
    from handhold.app.figures import print_outcome
    from handhold.app.scenarios.walk_impulses import describe_walk_impulses, plot_walk_impulses, probe_walk
    from handhold.robots.model import load_model

    model = load_model(robot)
    probes = probe_walk(model, engine)
    outcome = describe_walk_impulses(model, engine, probes)
    if plot is not None:
        plot_walk_impulses(outcome, plot)
    print_outcome(outcome, json)
    return outcome.exit_code


def _push(name: str, robot: str, engine: str, *, json: bool, plot: Path | None) -> int:
    from handhold.app.figures import print_outcome
    from handhold.app.scenarios.impulses import describe_impulses, plot_impulses, probe_impulses
    from handhold.app.scenarios.table import find_retrieval, find_scenario, list_retrievals
    from handhold.robots.model import load_model

    model = load_model(robot)
    found = [probe_impulses(find_scenario(each), find_retrieval(each), model, engine) for each in list_retrievals(name)]
    probes = [probe for each in found for probe in each]
    outcome = describe_impulses(name, model, engine, probes)
    if plot is not None:
        plot_impulses(outcome, probes, plot)
    print_outcome(outcome, json)
    return outcome.exit_code
