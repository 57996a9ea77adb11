"""``handhold commission``: the check list of a maker's robot, from power-on to the first step of a hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Callable

    from handhold.app.commission.answers import Operator
    from handhold.app.commission.report import Report


def command(
    output: Annotated[Path, typer.Option(help="Report: a .md file; the same as JSON goes beside it.")],
    robot: Annotated[str, typer.Option(help="A robot's name or .toml file.")] = "g1",
    body: Annotated[
        str, typer.Option(help="unitree (by its maker's protocol), or stand-in (what stands in for it, in lockstep).")
    ] = "unitree",
    interface: Annotated[str, typer.Option(help="Network interface that leads to the robot.")] = "lo",
    yes: Annotated[bool, typer.Option("--yes", help="Say yes to every question beforehand.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else; needs --yes.")] = False,
) -> None:
    """Go through the check list of a robot: questions, what it tells, held on its hoist, on its soles, one hand moved.

    It stops at the first item that fails; whatever happens the robot is damped in the end, and the report written. Exit code 0
    only where all has passed.
    """
    import json as json_module

    from handhold.app.commission.report import find_json_file
    from handhold.app.errors import AppError
    from handhold.app.session.process import say

    if json and not yes:
        raise AppError("--json prints nothing that could be asked: give --yes as well")
    find_json_file(output)
    tell: Callable[[str], None] = (lambda _line: None) if json else say
    report = _commission(robot, body, interface, output, _make_operator(yes=yes, say=tell), tell)
    if json:
        print(json_module.dumps(report.to_json(), allow_nan=False), flush=True)
    tell(f"{'passed' if report.passed else 'not passed'}: the report is {output}")
    raise typer.Exit(0 if report.passed else 1)


def _commission(robot: str, body: str, interface: str, output: Path, operator: Operator, say: Callable[[str], None]) -> Report:
    """Go through the list, end what the robot does, and write the report, whatever happens; returns it.

    Raises:
        RobotError: The robot's description, or its stand-in, cannot be had.
        AppError: There is no such body, what it needs is not installed, or its guard does not start.
    """
    from datetime import UTC, datetime

    from handhold.app.commission.bodies import open_rig
    from handhold.app.commission.check_list import CHECK_LIST
    from handhold.app.commission.item import Result
    from handhold.app.commission.program import run_check_list
    from handhold.app.commission.report import Report, write_report
    from handhold.app.session.commit import current_commit
    from handhold.robots.model import load_model

    model, results = load_model(robot), list[Result]()
    started = datetime.now(UTC).isoformat(timespec="seconds")
    with open_rig(body, model, interface) as rig:
        try:
            run_check_list(CHECK_LIST, rig, operator, say, results.append)
        finally:
            ending = rig.end(operator)
            report = Report(
                robot=model.description.name,
                body=body,
                started=started,
                commit=current_commit(),
                count=len(CHECK_LIST),
                results=results,
                ending=ending,
            )
            write_report(report, output)
            say(ending)
    return report


def _make_operator(*, yes: bool, say: Callable[[str], None]) -> Operator:
    import sys

    from handhold.app.commission.answers import Consenting, Terminal

    return Consenting(say) if yes else Terminal(sys.stdin.fileno(), say)
