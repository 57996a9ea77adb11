"""Files of motions: a header and two arrays in one NumPy archive, versioned; ``docs/motions.md`` has the table."""

from __future__ import annotations

import errno
import io
import zipfile
from importlib import resources
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, ValidationError
from pydantic_core import from_json

from handhold.retarget.motions.archive import DAMAGES, read_array, read_text
from handhold.retarget.motions.errors import MotionFileError
from handhold.retarget.motions.motion import ORDER, ContactInterval, Motion
from handhold.robots.files import read_file
from handhold.robots.tables import Name, Table, list_excesses

VERSION = 1
"""Version of the format that is written, and the newest that is read."""

MAX_FILE_SIZE = 1_000_000
"""Size beyond which a file is refused [bytes]: a minute of a motion needs no more."""

MAX_UNPACKED_SIZE = 20_000_000
"""Size of its arrays beyond which one is refused [bytes]: ten minutes of knots 20 ms apart need 10 MB."""

MAX_DURATION = 600.0
"""Duration beyond which a motion is refused [s]: it is checked every 20 ms before anything moves."""

MIN_STEP = 1e-3
"""Time between knots below which a motion is refused [s]: splines through nearer ones are rounding errors."""

MAX_COORDINATE = 100.0
"""Coordinate of a posture beyond which a motion is refused [m, rad]: no robot goes or turns so far in a motion."""

SHIPPED = Path(str(resources.files("handhold.retarget.motions"))) / "shipped"
"""Folder of the key postures that Handhold ships, and, in a folder for each robot, of what was made of them."""

_FEWER = "take knots 20 ms apart, or fewer"
_AGAIN = "make the file again with: handhold motion optimise"

Time = Annotated[float, Field(ge=0.0)]


class ContactEntry(Table):
    """One interval of a contact in a header.

    Attributes:
        effector: Name of the effector.
        start: When it begins to support [s].
        end: When it is taken away [s].
    """

    effector: str
    start: Time
    end: Time


class Header(Table):
    """What a file of a motion says of itself.

    Attributes:
        format: What the file is.
        version: Version of the format.
        name: Name of the motion on the command line.
        title: Name for people.
        robot: Name of the robot it was made for.
        world: Name of the world it takes place in.
        joints: Names of the joints in the order of the arrays.
        contacts: Which effectors support when.
    """

    format: Literal["handhold motion"] = "handhold motion"
    version: int = VERSION
    name: Name
    title: str
    robot: Name
    world: str = "flat"
    joints: tuple[str, ...]
    contacts: Annotated[tuple[ContactEntry, ...], Field(min_length=1)]


def write_motion(motion: Motion, file: Path) -> None:
    """Write a motion to a file, replacing what is there."""
    header = Header(
        name=motion.name,
        title=motion.title,
        robot=motion.robot,
        world=motion.world,
        joints=motion.joints,
        contacts=tuple(ContactEntry(effector=c.effector, start=c.start, end=c.end) for c in motion.contacts),
    )
    with file.open("wb") as opened:
        arrays = {"times": motion.times, "postures": motion.postures}
        np.savez_compressed(opened, header=np.array(header.model_dump_json()), **arrays)  # type: ignore[arg-type]


def read_motion(file: Path) -> Motion:
    """Read a motion from a file; whether a robot can do it is not checked here (see ``check``).

    Raises:
        MotionFileError: The file cannot be read, or is no motion, or contradicts itself.
    """
    source = str(file)
    header_text, arrays = _read_arrays(file)
    header = _read_header(source, header_text)
    times, postures = arrays["times"], arrays["postures"]
    _check_arrays(source, header, times, postures)
    for contact in header.contacts:
        if not contact.start < contact.end <= times[-1] + 1e-9:
            problem = f"{contact.effector} bears from {contact.start} to {contact.end} s of {times[-1]} s"
            raise MotionFileError(source, problem, "let contacts begin before they end, within the motion")
    return Motion(
        name=header.name,
        title=header.title,
        robot=header.robot,
        world=header.world,
        joints=header.joints,
        contacts=tuple(ContactInterval(effector=c.effector, start=c.start, end=c.end) for c in header.contacts),
        times=times,
        postures=postures,
        source=source,
    )


def _read_arrays(file: Path) -> tuple[str, dict[str, np.ndarray]]:
    source = str(file)
    try:
        with zipfile.ZipFile(io.BytesIO(read_file(file, MAX_FILE_SIZE))) as packed:
            if sum(member.file_size for member in packed.infolist()) > MAX_UNPACKED_SIZE:
                raise MotionFileError(source, f"has more than {MAX_UNPACKED_SIZE} bytes in it", _FEWER)
            missing = [name for name in ("header", "times", "postures") if f"{name}.npy" not in packed.namelist()]
            if missing:
                raise MotionFileError(source, f"has no '{missing[0]}'", _AGAIN)
            numbers = {name: read_array(packed, name).astype(float) for name in ("times", "postures")}
            return read_text(packed, "header"), numbers
    except OSError as error:
        remedy = _FEWER if error.errno == errno.EFBIG else "check the path"
        raise MotionFileError(source, error.strerror or "cannot be read", remedy) from None
    except DAMAGES:
        raise MotionFileError(source, "is no archive of NumPy arrays", _AGAIN) from None


def _read_header(source: str, text: str) -> Header:
    try:
        content = from_json(text)
        for key, problem in list_excesses(content):
            raise MotionFileError(source, f"header: {key}: {problem}", _AGAIN)
        header = Header.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "header"
        raise MotionFileError(source, f"header: {where}: {first['msg']}", _AGAIN) from None
    except ValueError as error:
        raise MotionFileError(source, f"header: not valid JSON ({error})", _AGAIN) from None
    if header.version > VERSION:
        problem = f"written in version {header.version} of the format, this Handhold reads {VERSION}"
        raise MotionFileError(source, problem, "update Handhold")
    return header


def _check_arrays(source: str, header: Header, times: np.ndarray, postures: np.ndarray) -> None:
    width = 6 + len(header.joints)
    if times.ndim != 1 or postures.shape != (len(times), width):
        problem = f"postures have shape {postures.shape} where {times.size} times and {len(header.joints)} joints"
        raise MotionFileError(source, f"{problem} ask for ({times.size}, {width})", _AGAIN)
    if not (np.isfinite(times).all() and np.isfinite(postures).all()):
        raise MotionFileError(source, "has a NaN or an infinity in it", _AGAIN)
    if len(times) <= ORDER or times[0] != 0.0 or np.any(np.diff(times) <= 0.0):
        raise MotionFileError(source, f"times must rise from 0 and be more than {ORDER}", _AGAIN)
    nearest = int(np.diff(times).argmin())
    if times[nearest + 1] - times[nearest] < MIN_STEP:
        problem = f"knots {nearest} and {nearest + 1} are nearer than {MIN_STEP:g} s"
        raise MotionFileError(source, problem, _FEWER)
    if np.abs(postures).max(initial=0.0) > MAX_COORDINATE:
        problem = f"a posture has a coordinate beyond {MAX_COORDINATE:g} m or rad"
        raise MotionFileError(source, problem, _AGAIN)
    if times[-1] > MAX_DURATION:
        raise MotionFileError(source, f"lasts longer than {MAX_DURATION:g} s", "make several motions of it")


def known_motions(robot: str) -> tuple[str, ...]:
    """Return the names of the motions that Handhold ships for a robot."""
    return tuple(sorted(file.stem for file in (SHIPPED / robot).glob("*.npz")))


def find_motion_file(name_or_file: str, robot: str) -> Path:
    """Return the file of a shipped motion of a robot by its name, or of any motion by its path.

    Raises:
        MotionFileError: There is none of this name.
    """
    if name_or_file.endswith(".npz"):
        return Path(name_or_file)
    known = known_motions(robot)
    if name_or_file not in known:
        shipped = f"take one of {', '.join(known)}, or give" if known else "give"
        raise MotionFileError(name_or_file, f"no such motion of {robot}", f"{shipped} the path of a .npz file")
    return SHIPPED / robot / f"{name_or_file}.npz"
