"""``handhold bench``: thread CPU time of what runs at the control rate."""

from __future__ import annotations

from typing import Annotated

import typer


def command(
    name: Annotated[str, typer.Argument(help="Benchmark; 'list' shows them all.")] = "list",
    engine: Annotated[str, typer.Option(help="Physics engine, where one is needed: mujoco or pybullet.")] = "mujoco",
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Time a part of Handhold; exit code 0 only where every must holds."""
    from handhold.app.benches.table import BENCHES
    from handhold.app.errors import AppError
    from handhold.app.figures import print_outcome

    if name == "list":
        for bench in BENCHES:
            print(f"{bench.name}: {bench.title}")
        return
    chosen = next((bench for bench in BENCHES if bench.name == name), None)
    if chosen is None:
        raise AppError(f"no benchmark '{name}'; take one of {', '.join(bench.name for bench in BENCHES)}")
    if chosen.engines and engine not in chosen.engines:
        raise AppError(f"no engine '{engine}' for {name}; take one of {', '.join(chosen.engines)}")
    outcome = chosen.run(engine)
    print_outcome(outcome, json)
    raise typer.Exit(outcome.exit_code)
