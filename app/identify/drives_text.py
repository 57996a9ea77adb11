"""The drives of a robot as a part of its description's text: put in, or in place of what was there, all else as it was."""

from __future__ import annotations

import json
import re
import statistics
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from handhold.app.errors import AppError
from handhold.robots.description import RobotDescription, load_description
from handhold.robots.drives import Drives
from handhold.robots.estimation.identification.found_drive import FoundDrive

_HEADER = re.compile(r"^\s*\[+\s*([^\]]+?)\s*\]+\s*(#.*)?$")
_TABLE = "drives"
_PARTS = ("friction", "viscous_friction", "rotor_inertia")
_MARK = "# Found by handhold identify"


class CannotWriteDrives(AppError):
    """What has been found cannot be put into a description.

    Attributes:
        file: Where to.
        problem: Why, and what to do.
    """

    def __init__(self, file: Path, problem: str) -> None:
        self.file, self.problem = file, problem
        super().__init__(f"{file}: {problem}")


def merge_drives(before: Drives | None, found: Sequence[FoundDrive]) -> Drives:
    """Return what is known of the drives: what has been found, and of other joints what was known before.

    Delay and bandwidth are the medians of all joints that moved now.
    """
    known = before or Drives()
    moved = {each.joint for each in found}
    friction = {each.joint: _round(each.friction.coulomb) for each in found}
    viscous = {each.joint: _round(each.friction.viscous) for each in found if each.friction.viscous > 0.0}
    rotors = {each.joint: _round(each.rotor_inertia) for each in found if each.rotor_inertia is not None}
    return Drives(
        delay=_round(statistics.median(each.response.delay for each in found)),
        bandwidth=_round(statistics.median(each.response.bandwidth for each in found)),
        friction=_keep_others(known.friction, moved) | friction,
        viscous_friction=_keep_others(known.viscous_friction, moved) | viscous,
        rotor_inertia=_keep_others(known.rotor_inertia, moved) | rotors,
    )


def _keep_others(known: Mapping[str, float], moved: set[str]) -> dict[str, float]:
    return {joint: value for joint, value in known.items() if joint not in moved}


def _round(value: float) -> float:
    return float(f"{value:.4g}")


def check_output(description: RobotDescription, file: Path) -> None:
    """Look for what would keep a copy of a description from being written, before a robot is moved for it.

    Raises:
        CannotWriteDrives: It is no .toml file in a folder that there is, or its URDF would not be found from there.
    """
    source = Path(description.source)
    if file.suffix != ".toml" or not file.parent.is_dir():
        raise CannotWriteDrives(file, "give a .toml file in a folder that there is")
    if not description.urdf.package and file.resolve().parent != source.resolve().parent:
        raise CannotWriteDrives(file, f"the robot's URDF is beside {source}: write the copy into that folder")


def write_drives(description: RobotDescription, drives: Drives, file: Path) -> None:
    """Write a copy of a robot's description with other drives, whole or not at all.

    Raises:
        CannotWriteDrives: Its drives are written as no table of their own.
        DescriptionError: What would be written is no description.
        OSError: The file cannot be written.
    """
    source = Path(description.source)
    text = replace_drives(source.read_text(encoding="utf-8"), drives)
    _check_alone(text, file)
    partial = file.with_name(f".{file.stem}.partial.toml")
    try:
        partial.write_text(text, encoding="utf-8")
        load_description(str(partial))
        partial.replace(file)
    finally:
        partial.unlink(missing_ok=True)


def _check_alone(text: str, file: Path) -> None:
    """Check that no drives but ours are in a text, by a dotted key or an inline table of the whole file.

    Raises:
        CannotWriteDrives: There are.
    """
    try:
        strange = set(tomllib.loads(text)[_TABLE]) - {"delay", "bandwidth", *_PARTS}
    except tomllib.TOMLDecodeError:
        strange = {_TABLE}
    if strange:
        raise CannotWriteDrives(file, "its drives are no table [drives] of their own: take them out first")


def replace_drives(text: str, drives: Drives) -> str:
    """Return the text of a description with other drives, the rest of it as it was."""
    kept, ours = [], False
    for line in text.splitlines():
        header = _HEADER.match(line)
        if header is not None:
            ours = header[1].split(".")[0].strip().strip("\"'") == _TABLE
        if not ours and not line.startswith(_MARK):
            kept.append(line)
    return "\n".join(kept).rstrip() + "\n\n" + "\n".join(_list_lines(drives)) + "\n"


def _list_lines(drives: Drives) -> list[str]:
    lines = [f"{_MARK}: Nm, Nms/rad and kg m^2 at the joints, as the drives tell their torques.", f"[{_TABLE}]"]
    lines.append(f"delay = {drives.delay!r}")
    if drives.bandwidth is not None:
        lines.append(f"bandwidth = {drives.bandwidth!r}")
    for part in _PARTS:
        values: Mapping[str, float] = getattr(drives, part)
        if values:
            lines += ["", f"[{_TABLE}.{part}]", *(f"{_spell(joint)} = {value!r}" for joint, value in values.items())]
    return lines


def _spell(key: str) -> str:
    """Return a key as TOML has it; only a plain one needs no quotation marks."""
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key)
