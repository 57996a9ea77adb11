"""``handhold safety``: attacks and accidents, and what came of them."""

from __future__ import annotations

from typing import Annotated

import typer


def command(
    name: Annotated[str, typer.Argument(help="Study; 'list' shows them all.")] = "list",
    count: Annotated[int | None, typer.Option(min=1, help="Trials; by default as many as the acceptance does.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Attack a session of this machine, or let an accident happen to it; exit code 0 only where every must holds."""
    from handhold.app.lab.figures import print_outcome
    from handhold.app.lab.safety.studies import STUDIES, find_study, run_study

    if name == "list":
        for study in STUDIES:
            print(f"{study.name}: {study.title}")
        return
    study = find_study(name)
    outcome = run_study(study, study.many if count is None else count)
    print_outcome(outcome, json)
    raise typer.Exit(outcome.exit_code)
