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
    frame: Annotated[
        Path | None, typer.Option(help="For 'planes': a depth picture of your own, to be timed in place of the rooms.")
    ] = None,
    intrinsics: Annotated[
        str, typer.Option(metavar="FX,FY,CX,CY[,BASELINE]", help="Of that picture: numbers, or a calibration file.")
    ] = "",
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Time a part of Handhold; exit code 0 only where every must holds."""
    from handhold.app.errors import AppError
    from handhold.app.lab.benches.table import BENCHES
    from handhold.app.lab.figures import print_outcome

    if name == "list":
        print("\n".join(f"{bench.name}: {bench.title}" for bench in BENCHES))
        return
    chosen = next((bench for bench in BENCHES if bench.name == name), None)
    if chosen is None:
        raise AppError(f"no benchmark '{name}'; take one of {', '.join(bench.name for bench in BENCHES)}")
    if chosen.engines and engine not in chosen.engines:
        raise AppError(f"no engine '{engine}' for {name}; take one of {', '.join(chosen.engines)}")
    if robot != DEFAULT_ROBOT and not chosen.any_robot:
        takers = ", ".join(bench.name for bench in BENCHES if bench.any_robot)
        raise AppError(f"the benchmark {name} runs on {DEFAULT_ROBOT} only; --robot is for: {takers}")
    for option, given, part in (("stress", stress, "stress"), ("against", against, "comparison"), ("frame", frame, "frame")):
        if given and not getattr(chosen, part):
            takers = ", ".join(bench.name for bench in BENCHES if getattr(bench, part))
            raise AppError(f"{name} takes no --{option}; it is for: {takers}")
    if intrinsics and not frame:
        raise AppError("--intrinsics means nothing without --frame; leave it out")
    if against:
        outcome = chosen.run_against(engine, against)
    elif frame:
        outcome = chosen.run_frame(frame, intrinsics)
    else:
        outcome = chosen.run_stress(stress) if stress else chosen.run(engine, robot)
    print_outcome(outcome, json)
    raise typer.Exit(outcome.exit_code)
