"""Where the cameras of a robot really sit: what the last session found, and what somebody has accepted of it, in files.

The camera process writes what it finds; ``handhold robot mounting ROBOT --correct`` accepts it; the process reads that, now
and in every session to come. The description stays as it is: it is of the kind of robot, and a mounting is of one of them.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TypeVar

import msgspec
import numpy as np

from handhold.app.errors import AppError
from handhold.app.session.config import default_log_folder, to_key
from handhold.perception.body.mounting_estimate import MountingEstimate

Row = tuple[float, float, float, float]
Rows = tuple[Row, Row, Row, Row]
T = TypeVar("T")


class FoundMounting(msgspec.Struct, frozen=True, kw_only=True):
    """What a session found of a camera's mounting.

    Attributes:
        camera: Its name in the description.
        correction: Pose of the camera in its optical frame as the session had it, rows of a homogeneous matrix.
        is_known: Whether all of it is known well enough to be used.
        is_wrong: Whether it surely is not where it was thought to be.
        words: The same for people.
    """

    camera: str
    correction: Rows
    is_known: bool
    is_wrong: bool
    words: str

    @classmethod
    def of(cls, camera: str, estimate: MountingEstimate) -> FoundMounting:
        """Return what an estimate says of a camera."""
        correction = _to_rows(estimate.correction)
        known, wrong = estimate.is_known, estimate.is_wrong
        return cls(camera=camera, correction=correction, is_known=known, is_wrong=wrong, words=estimate.describe())


class NothingFound(AppError):
    """No session has looked where a robot's cameras sit."""

    def __init__(self, robot: str) -> None:
        self.robot = robot
        super().__init__(
            f"{robot}: no session has watched its cameras yet; start one ('handhold run --robot {robot}'), "
            "and move a hand before them"
        )


class MountingsUnreadable(AppError):
    """A file of mountings is damaged.

    Attributes:
        source: The file.
    """

    def __init__(self, source: Path, problem: str) -> None:
        self.source = source
        super().__init__(f"{source}: {problem}; remove it, and the description's mountings count again")


class MountingStore:
    """The files of one robot's mountings.

    Attributes:
        robot: Its name, or the file of its description.
    """

    def __init__(self, robot: str, folder: Path | None = None) -> None:
        """Name them; nothing is read or written yet.

        Args:
            robot: Its name, or the file of its description.
            folder: Where they are; in this user's state if None.
        """
        folder = default_log_folder().parent / "mountings" if folder is None else folder
        self.robot = robot
        name = to_key(robot)
        self._found, self._accepted = folder / f"{name}.found.json", folder / f"{name}.json"

    def read_found(self) -> tuple[FoundMounting, ...]:
        """Return what the last session found; nothing where none has looked.

        Raises:
            MountingsUnreadable: The file is damaged.
        """
        return _read(self._found, tuple[FoundMounting, ...]) or ()

    def write_found(self, found: tuple[FoundMounting, ...]) -> None:
        """Write what a session has found.

        Raises:
            OSError: The file cannot be written.
        """
        _write(self._found, found)

    def read_corrections(self) -> dict[str, np.ndarray]:
        """Return the accepted pose of each camera in its described optical frame, shape ``(4, 4)``, by name.

        Raises:
            MountingsUnreadable: The file is damaged.
        """
        rows = _read(self._accepted, dict[str, Rows]) or {}
        corrections = {camera: np.array(matrix) for camera, matrix in rows.items()}
        for pose in corrections.values():
            rotation = pose[:3, :3]
            if not np.isfinite(pose).all() or np.abs(rotation @ rotation.T - np.eye(3)).max() > 1e-6:
                raise MountingsUnreadable(self._accepted, "a correction is no pose")
        return corrections

    def accept(self) -> tuple[str, ...]:
        """Accept all that is wrong and known, and return the cameras' names; what was found is used up.

        Raises:
            MountingsUnreadable: A file is damaged; nothing is changed.
            OSError: A file cannot be written.
        """
        found, corrections = self.read_found(), self.read_corrections()
        usable = [each for each in found if each.is_wrong and each.is_known]
        for each in usable:
            corrections[each.camera] = corrections.get(each.camera, np.eye(4)) @ np.array(each.correction)
        if usable:
            _write(self._accepted, {camera: _to_rows(pose) for camera, pose in corrections.items()})
            self.write_found(tuple(each for each in found if each not in usable))
        return tuple(each.camera for each in usable)

    def forget(self) -> None:
        """Let the description's mountings count again."""
        for file in (self._accepted, self._found):
            file.unlink(missing_ok=True)

    @property
    def version(self) -> int:
        """A number that changes with what is accepted."""
        try:
            return self._accepted.stat().st_mtime_ns
        except OSError:
            return 0


def _to_rows(pose: np.ndarray) -> Rows:
    first, second, third, fourth = ((a, b, c, d) for a, b, c, d in pose.tolist())
    return first, second, third, fourth


def _read(file: Path, kind: type[T]) -> T | None:
    try:
        return msgspec.json.decode(file.read_bytes(), type=kind)
    except FileNotFoundError:
        return None
    except msgspec.MsgspecError as error:
        raise MountingsUnreadable(file, str(error)) from None


def _write(file: Path, content: object) -> None:
    """Replace a file at once: whoever reads it meanwhile reads all of the old or all of the new one."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    new = file.with_suffix(f".{os.getpid()}.new")
    new.write_bytes(msgspec.json.format(msgspec.json.encode(content)))
    new.replace(file)
