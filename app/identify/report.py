"""What has been found of drives, for people and as JSON."""

from __future__ import annotations

import json as json_module
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from handhold.robots.drives import Drives
from handhold.robots.estimation.identification.found_drive import FoundDrive


def print_found(found: Sequence[FoundDrive], drives: Drives, file: Path, *, json: bool) -> None:
    """Print what has been found on stdout: as one JSON object and nothing else, or as a table.

    Args:
        found: Of each joint that moved.
        drives: What has been written.
        file: Where to.
        json: Whether as JSON.
    """
    if json:
        joints = {each.joint: _to_json(each) for each in found}
        told = {"output": str(file), "delay_s": drives.delay, "bandwidth_hz": drives.bandwidth, "joints": joints}
        print(json_module.dumps(told, allow_nan=False), flush=True)
        return
    table = Table("joint", title="drives", caption=f"delay {1e3 * drives.delay:.2f} ms, bandwidth {drives.bandwidth:.1f} Hz")
    for column in ("friction [Nm]", "viscous [Nms/rad]", "rotor [kg m^2]", "delay [ms]", "bandwidth [Hz]"):
        table.add_column(column, justify="right")
    for each in found:
        table.add_row(*_row(each))
    console = Console()
    console.print(table)
    console.print(f"written to {file}; a rotor that is light beside its links cannot be told from them")


def _row(each: FoundDrive) -> tuple[str, ...]:
    rotor = "-" if each.rotor_inertia is None else f"{each.rotor_inertia:.4f}"
    response = each.response
    return (
        each.joint,
        f"{each.friction.coulomb:.3f}",
        f"{each.friction.viscous:.3f}",
        rotor,
        f"{1e3 * response.delay:.2f}",
        f"{response.bandwidth:.1f}",
    )


def _to_json(each: FoundDrive) -> dict[str, float | None]:
    return {
        "friction_nm": each.friction.coulomb,
        "viscous_friction_nms": each.friction.viscous,
        "rotor_inertia_kgm2": each.rotor_inertia,
        "delay_s": each.response.delay,
        "bandwidth_hz": each.response.bandwidth,
        "response_residual": each.response.residual,
    }
