"""What ``robot check`` says: as JSON, and for people."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from handhold.app.lab.authoring.robot_check import RobotCheck
from handhold.robots.contact_kind import ContactKind
from handhold.robots.model import RobotModel


def summarize(check: RobotCheck) -> dict[str, Any]:
    """Return what a description amounts to, ready for JSON: lengths in m, masses in kg, torques in Nm."""
    model, description, nearest = check.model, check.model.description, check.nearest
    return {
        "name": description.name,
        "title": description.title,
        "license": description.license,
        "source": description.source,
        "urdf": str(description.urdf_file()),
        "mass": round(model.mass, 3),
        "base_height": round(float(model.q_nominal[2]), 4),
        "joints": _list_joints(model),
        "locked_joints": sorted(description.locked_joints),
        "effectors": [effector.model_dump(exclude={"offset"}) for effector in description.effectors],
        "cameras": [camera.name for camera in description.cameras],
        "self_collision": nearest and {"bodies": list(nearest.bodies), "distance": round(nearest.distance, 4)},
        "errors": check.errors,
        "warnings": check.warnings,
        "figures": [figure.to_json() for figure in check.figures],
    }


def _list_joints(model: RobotModel) -> list[dict[str, Any]]:
    columns = (model.lower, model.upper, model.velocity_limits, model.torque_limits)
    rows = zip(model.joint_names, *(column.tolist() for column in columns), strict=True)
    return [dict(zip(("name", "lower", "upper", "velocity", "torque"), row, strict=True)) for row in rows]


def print_check(check: RobotCheck) -> None:
    """Print what was found for people."""
    summary, console = summarize(check), Console(highlight=False)
    console.print(f"[bold]{escape(summary['title'])}[/] ({escape(summary['name'])}, {escape(summary['license'])})")
    console.print(f"description  {escape(summary['source'])}", soft_wrap=True)
    console.print(f"URDF         {escape(summary['urdf'])}", soft_wrap=True)
    console.print(f"mass         {summary['mass']:.1f} kg, base at {summary['base_height']:.3f} m when standing")
    console.print(f"joints       {len(summary['joints'])} moved, {len(summary['locked_joints'])} locked")
    console.print(f"cameras      {escape(', '.join(summary['cameras'])) or 'none'}")
    console.print(f"clearance    {escape(_describe_clearance(summary['self_collision']))}", soft_wrap=True)
    console.print(_list_effectors(summary["effectors"]))
    if check.figures:
        console.print(_list_figures(check))
    for mark, lines in (("[yellow]look at[/] ", check.warnings), ("[red]ERROR[/]   ", check.errors)):
        for line in lines:
            console.print(f"{mark} {escape(line)}", soft_wrap=True)
    usable = "[green]The description can be used.[/]"
    console.print("[red]The description cannot be used: mend what is an ERROR.[/]" if check.errors else usable)


def _describe_clearance(closest: dict[str, Any] | None) -> str:
    if closest is None:
        return "no pairs of bodies to keep apart"
    return f"{' and '.join(closest['bodies'])} are nearest, {1e3 * closest['distance']:.0f} mm apart in the nominal posture"


def _list_effectors(effectors: list[dict[str, Any]]) -> Table:
    table = Table("effector", "contact", "frame", "role", "normal force")
    for effector in effectors:
        table.add_row(
            escape(effector["name"]),
            effector["contact"],
            escape(effector["frame"]),
            _name_role(effector),
            _say_forces(effector),
        )
    return table


def _name_role(effector: dict[str, Any]) -> str:
    if effector["hand"]:
        return f"{effector['hand']} hand"
    if effector["contact"] == ContactKind.FIXED:
        return "bolted down"
    return "foot" if effector["standing"] else ""


def _say_forces(effector: dict[str, Any]) -> str:
    if effector["contact"] == ContactKind.FIXED:
        return "any"
    return f"{effector['min_normal_force']:g} to {effector['max_normal_force']:g} N"


def _list_figures(check: RobotCheck) -> Table:
    table = Table("2 s of reaching ahead", "value", "must", "unit", "")
    for figure in check.figures:
        must = "" if figure.must is None else f"<= {figure.must:.4g}"
        verdict = "[red]fails[/]" if not figure.holds else "[green]holds[/]" if must else ""
        table.add_row(figure.name, f"{figure.value:.4g}", must, figure.unit, verdict)
    return table
