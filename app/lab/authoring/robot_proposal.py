"""A new robot's first description: from its URDF or MJCF to a TOML file that can be run."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from handhold.app.errors import AppError
from handhold.robots.proposal.describe import Proposal, propose
from handhold.robots.proposal.document import write_document
from handhold.robots.proposal.location import name_urdf

_SEED = 0


class NotWritten(AppError):
    """A description is not written there."""

    def __init__(self, file: Path, problem: str) -> None:
        self.file = file
        super().__init__(f"{file} {problem}")


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRobot:
    """What became of a URDF.

    Attributes:
        proposal: The description with its remarks.
        file: Where it was written.
        seconds: How long it took [s].
    """

    proposal: Proposal
    file: Path
    seconds: float


def write_proposal(urdf: str, output: Path | None, *, overwrite: bool = False) -> NewRobot:
    """Propose the description of a humanoid and write it.

    Args:
        urdf: Its URDF or MJCF: a file, or PACKAGE:PATH for one that an installed package ships.
        output: Where to write it; None for the URDF's name in the working folder, or beside the URDF where it must be.
        overwrite: Whether a file that is there is replaced.

    Raises:
        NotWritten: There is a file already, or it could not be a description.
        RobotError: There is no such URDF, or it is not that of a humanoid.
    """
    start = time.monotonic()
    source, folder = name_urdf(urdf, None if output is None else output.parent, Path.cwd())
    file = output or folder / f"{Path(source.path).stem}.toml"
    _check_output(file, overwrite=overwrite)
    proposal = propose(source, file, np.random.default_rng(_SEED))
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(".toml.part")
    try:
        part.write_text(write_document(proposal), encoding="utf-8")
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)
    return NewRobot(proposal=proposal, file=file, seconds=time.monotonic() - start)


def _check_output(file: Path, *, overwrite: bool) -> None:
    if file.suffix != ".toml":
        raise NotWritten(file, "is no name of a description: give one that ends in .toml by --output")
    if file.is_dir():
        raise NotWritten(file, "is a folder: give a file by --output")
    if file.exists() and not overwrite:
        raise NotWritten(file, "is there already: give another file by --output, or --overwrite")
