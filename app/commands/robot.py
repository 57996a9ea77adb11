"""``handhold robot``: make robot descriptions and look at them."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

if TYPE_CHECKING:
    from handhold.robots.model import RobotModel

command = typer.Typer(no_args_is_help=True, help="Make robot descriptions and look at them.")


@command.callback()
def _group() -> None:
    """Make robot descriptions and look at them."""


@command.command()
def check(
    robot: Annotated[str, typer.Argument(metavar="FILE", help="A description's .toml file, or a shipped robot's name.")],
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Load a robot's description and model, and print what Handhold makes of them."""
    from handhold.robots.model import load_model

    summary = summarize(load_model(robot))
    if json:
        print(json_module.dumps(summary))
        return
    _print_for_people(summary)


@command.command()
def new(
    urdf: Annotated[Path, typer.Argument(metavar="FILE", help="The URDF of a humanoid, or its MJCF (.xml).")],
    output: Annotated[Path | None, typer.Option(metavar="FILE", help="The description's .toml file.")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a file that is there.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Write a first description of a humanoid: feet, hands, soles, limits, posture, self-collision and walking."""
    from handhold.app.robot_proposal import write_proposal

    made = write_proposal(urdf, output, overwrite=overwrite)
    remarks = made.proposal.remarks
    if json:
        warnings = [f"{remark.key}: {remark.text}" for remark in remarks if remark.warning]
        guesses = [f"{remark.key}: {remark.text}" for remark in remarks if not remark.warning]
        print(json_module.dumps({"file": str(made.file), "seconds": made.seconds, "warnings": warnings, "guesses": guesses}))
        return
    console = Console()
    for remark in remarks:
        mark = "[yellow]look at [/]" if remark.warning else "[dim]guessed [/]"
        console.print(f"{mark} {escape(remark.key)}: {escape(remark.text)}", soft_wrap=True)
    console.print(f"[green]{escape(str(made.file))}[/] written in {made.seconds:.1f} s; now:", soft_wrap=True)
    for action in ("robot check", "run --robot"):
        console.print(f"  handhold {action} {escape(str(made.file))}", soft_wrap=True)


@command.command(name="list")
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
        feet, hands = [e for e in description.effectors if e.is_foot], [e for e in description.effectors if not e.is_foot]
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


def summarize(model: RobotModel) -> dict[str, Any]:
    """Return what a description amounts to, ready for JSON: lengths in m, masses in kg, torques in Nm."""
    from handhold.robots.self_collision import check_nominal_clearance

    description, least = model.description, check_nominal_clearance(model)
    return {
        "name": description.name,
        "title": description.title,
        "license": description.license,
        "source": description.source,
        "urdf": str(description.urdf_file()),
        "mass": round(model.mass, 3),
        "base_height": round(float(model.q_nominal[2]), 4),
        "joints": [
            {"name": name, "lower": lower, "upper": upper, "velocity": velocity, "torque": torque}
            for name, lower, upper, velocity, torque in zip(
                model.joint_names,
                model.lower.tolist(),
                model.upper.tolist(),
                model.velocity_limits.tolist(),
                model.torque_limits.tolist(),
                strict=True,
            )
        ],
        "locked_joints": sorted(description.locked_joints),
        "effectors": [effector.model_dump(exclude={"offset"}) for effector in description.effectors],
        "cameras": [camera.name for camera in description.cameras],
        "self_collision": None if least is None else {"bodies": list(least.bodies), "distance": round(least.distance, 4)},
    }


def _print_for_people(summary: dict[str, Any]) -> None:
    console = Console()
    console.print(f"[bold]{escape(summary['title'])}[/] ({escape(summary['name'])}, {escape(summary['license'])})")
    console.print(f"description  {escape(summary['source'])}", soft_wrap=True)
    console.print(f"URDF         {escape(summary['urdf'])}", soft_wrap=True)
    console.print(f"mass         {summary['mass']:.1f} kg, base at {summary['base_height']:.3f} m when standing")
    console.print(f"joints       {len(summary['joints'])} moved, {len(summary['locked_joints'])} locked")
    console.print(f"cameras      {escape(', '.join(summary['cameras'])) or 'none'}")
    console.print(f"clearance    {escape(_tell_clearance(summary['self_collision']))}")
    console.print(_effector_table(summary["effectors"]))
    console.print("[green]The description can be used.[/]")


def _tell_clearance(least: dict[str, Any] | None) -> str:
    if least is None:
        return "no pairs of bodies to keep apart"
    return f"{' and '.join(least['bodies'])} are nearest, {1e3 * least['distance']:.0f} mm apart in the nominal posture"


def _effector_table(effectors: list[dict[str, Any]]) -> Table:
    table = Table("effector", "contact", "frame", "role", "normal force")
    for effector in effectors:
        table.add_row(
            escape(effector["name"]),
            effector["contact"],
            escape(effector["frame"]),
            f"{effector['hand']} hand" if effector["hand"] else "foot" if effector["standing"] else "",
            f"{effector['min_normal_force']:g} to {effector['max_normal_force']:g} N",
        )
    return table
