"""``handhold robot``: make robot descriptions and look at them."""

from __future__ import annotations

import json as json_module
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from handhold.app.errors import to_line

command = typer.Typer(no_args_is_help=True, help="Make robot descriptions and look at them.")


@command.callback()
def _group() -> None:
    """Make robot descriptions and look at them."""


@command.command(short_help="Tell what is wrong with a description.")
def check(
    robot: Annotated[str, typer.Argument(metavar="FILE", help="A description's .toml file, or a shipped robot's name.")],
    picture: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the nominal posture into a .png file.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Load all that a session loads of a robot, let it reach ahead for 2 s, and tell what is wrong and what to look at."""
    from handhold.app.lab.authoring.robot_check import SeveralFaults, check_robot
    from handhold.app.lab.authoring.robot_picture import check_picture_file, draw_robot
    from handhold.app.lab.authoring.robot_report import print_check, summarize

    if picture is not None:
        check_picture_file(picture)
    try:
        checked = check_robot(robot)
    except SeveralFaults as several:
        for fault in several.faults[:-1]:
            print(f"handhold: {to_line(fault)}", file=sys.stderr)
        raise several.faults[-1] from None
    if json:
        print(json_module.dumps(summarize(checked)))
    else:
        print_check(checked)
    if picture is not None:
        draw_robot(checked.model, picture)
    elif not json:
        print(f"For a picture of it: --picture {checked.model.description.name}-check.png")
    raise typer.Exit(checked.exit_code)


@command.command(short_help="Write a first description of a humanoid.")
def new(
    urdf: Annotated[
        str, typer.Argument(metavar="FILE", help="The URDF or MJCF of a humanoid: a file, or PACKAGE:PATH of a package.")
    ],
    output: Annotated[Path | None, typer.Option(metavar="FILE", help="The description's .toml file.")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a file that is there.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Write a first description of a humanoid: feet, hands, soles, limits, posture, self-collision and walking."""
    from handhold.app.lab.authoring.robot_proposal import write_proposal
    from handhold.app.lab.figures import Figure

    made = write_proposal(urdf, output, overwrite=overwrite)
    remarks = made.proposal.remarks
    if json:
        warnings = [f"{remark.key}: {remark.text}" for remark in remarks if remark.warning]
        guesses = [f"{remark.key}: {remark.text}" for remark in remarks if not remark.warning]
        figures = [Figure("seconds", made.seconds, "s"), Figure("warnings", float(len(warnings)), "-")]
        summary = {"file": str(made.file), "seconds": made.seconds, "warnings": warnings, "guesses": guesses}
        print(json_module.dumps(summary | {"figures": [figure.to_json() for figure in figures]}))
        return
    console = Console()
    for remark in remarks:
        mark = "[yellow]look at [/]" if remark.warning else "[dim]guessed [/]"
        console.print(f"{mark} {escape(remark.key)}: {escape(remark.text)}", soft_wrap=True)
    console.print(f"[green]{escape(str(made.file))}[/] written in {made.seconds:.1f} s; now:", soft_wrap=True)
    for action in ("robot check", "run --robot"):
        console.print(f"  handhold {action} {escape(str(made.file))}", soft_wrap=True)


@command.command(short_help="Tell whether its cameras sit right.")
def mounting(
    robot: Annotated[str, typer.Argument(metavar="ROBOT", help="A shipped robot's name, or a description's .toml file.")],
    correct: Annotated[
        bool, typer.Option("--correct", help="Let what was found count from now on, in a session that runs as well.")
    ] = False,
    forget: Annotated[bool, typer.Option("--forget", help="Let the description's mountings count again.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Tell what the last session found of where a robot's cameras really sit, correct it, or forget all corrections.

    Exit code 1 where a camera is not where it is thought to be, or nothing could be corrected.
    """
    from handhold.app.camera.mounting_store import MountingStore, NothingFound
    from handhold.robots.description import load_description

    if correct and forget:
        raise typer.BadParameter("give --correct or --forget, not both", param_hint="--forget")
    load_description(robot)
    store = MountingStore(robot)
    if forget:
        store.forget()
        if not json:
            print(f"{robot}: the description's mountings count again")
    found = store.read_found()
    if not found and not forget:
        raise NothingFound(robot)
    corrected = store.accept() if correct else ()
    left = [each for each in found if each.is_wrong and each.camera not in corrected]
    if json:
        told = [{"camera": each.camera, "known": each.is_known, "wrong": each.is_wrong, "words": each.words} for each in found]
        print(json_module.dumps({"robot": robot, "found": told, "corrected": list(corrected)}))
    else:
        for each in found:
            print(f"{each.camera}: {'corrected' if each.camera in corrected else each.words}")
    raise typer.Exit(int(bool(left) or (correct and not corrected)))


@command.command(name="list", short_help="List the robots that are shipped.")
def list_robots(
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """List the robots that are shipped, and the descriptions in the working folder."""
    from handhold.robots.description import known_robots, load_description
    from handhold.robots.errors import RobotError

    rows = []
    for name in (*known_robots(), *(str(file) for file in sorted(Path().glob("*.toml")))):
        try:
            description = load_description(name)
        except RobotError:
            continue  # a TOML file of something else
        effectors = description.effectors
        feet, hands = [e for e in effectors if e.is_foot and not e.is_fixed], [e for e in effectors if not e.is_foot]
        walks = "yes" if description.walking is not None else "no"
        rows.append(
            {
                "robot": name,
                "title": description.title,
                "license": description.license,
                "feet": len(feet),
                "hands": len(hands),
                "walks": walks,
            }
        )
    if json:
        print(json_module.dumps(rows))
        return
    table = Table("robot", "title", "license", "feet", "hands", "walks")
    for row in rows:
        table.add_row(*(escape(str(value)) for value in row.values()))
    Console().print(table)
