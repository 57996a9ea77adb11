"""``handhold bench``: thread CPU time of what runs at the control rate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

DEFAULT_ROBOT = "talos"


def command(
    name: Annotated[str, typer.Argument(help="Benchmark; 'list' shows them all.")] = "list",
    engine: Annotated[str, typer.Option(help="Physics engine, where one is needed: mujoco or pybullet.")] = "mujoco",
    robot: Annotated[
        str, typer.Option(help="A shipped robot's name or a description's .toml file, for the benchmarks that take one.")
    ] = DEFAULT_ROBOT,
    stress: Annotated[
        int, typer.Option(min=0, help="For 'region': hold so many random and degenerate regions against HiGHS instead.")
    ] = 0,
    against: Annotated[
        Path | None, typer.Option(help="For 'cycle': folder of another checkout, to be compared with piece by piece instead.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Time a part of Handhold; exit code 0 only where every must holds."""
    from handhold.app.errors import AppError
    from handhold.app.lab.benches.table import BENCHES
    from handhold.app.lab.figures import print_outcome

    if name == "list":
        for bench in BENCHES:
            print(f"{bench.name}: {bench.title}")
        return
    chosen = next((bench for bench in BENCHES if bench.name == name), None)
    if chosen is None:
        raise AppError(f"no benchmark '{name}'; take one of {', '.join(bench.name for bench in BENCHES)}")
    if chosen.engines and engine not in chosen.engines:
        raise AppError(f"no engine '{engine}' for {name}; take one of {', '.join(chosen.engines)}")
    if robot != DEFAULT_ROBOT and not chosen.any_robot:
        takers = ", ".join(bench.name for bench in BENCHES if bench.any_robot)
        raise AppError(f"the benchmark {name} runs on {DEFAULT_ROBOT} only; --robot is for: {takers}")
    if stress and not chosen.stress:
        raise AppError(f"{name} takes no --stress; it is for: {', '.join(bench.name for bench in BENCHES if bench.stress)}")
    if against and not chosen.comparison:
        raise AppError(f"{name} takes no --against; it is for: {', '.join(b.name for b in BENCHES if b.comparison)}")
    if against:
        outcome = chosen.run_against(engine, against)
    else:
        outcome = chosen.run_stress(stress) if stress else chosen.run(engine, robot)
    print_outcome(outcome, json)
    raise typer.Exit(outcome.exit_code)
