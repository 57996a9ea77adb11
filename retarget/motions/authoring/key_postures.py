"""Key postures: what a person writes down of a motion, as a small TOML file."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Annotated

from pydantic import Field, model_validator

from handhold.retarget.motions.errors import MotionFileError
from handhold.retarget.motions.motion_file import MAX_DURATION, SHIPPED
from handhold.robots.errors import DescriptionError
from handhold.robots.tables import Name, Table, Vector3, load_table

Time = Annotated[float, Field(ge=0.0, le=MAX_DURATION)]


class Placement(Table):
    """Where a part of the robot is to be, relative to where it is in the start posture, along the motion frame's axes.

    Attributes:
        offset: Displacement from there [m].
        rpy: Turn from there: roll, pitch, yaw about the motion frame's axes [rad]; left out, a part that is drawn keeps the
            attitude of the start posture.
    """

    offset: Vector3 = (0.0, 0.0, 0.0)
    rpy: Vector3 = (0.0, 0.0, 0.0)


class KeyPosture(Table):
    """One key posture.

    Attributes:
        time: When it is reached [s].
        bear: Effectors that bear from here on; left out, the same as before.
        pelvis: Where the base is; left out, it goes where the rest takes it, upright.
        effectors: Where effectors are; one that bears stays, a foot that is not named stays where it was last.
        joints: Joint positions [rad]; joints not named keep near those of the start posture.
        com: Where the centre of mass is seen from above, relative to the middle of the effectors that bear both before
            and after this posture, where it is otherwise [m].
    """

    time: Time
    bear: tuple[str, ...] | None = None
    pelvis: Placement | None = None
    effectors: dict[str, Placement] = Field(default_factory=dict)
    joints: dict[str, float] = Field(default_factory=dict)
    com: tuple[float, float] = (0.0, 0.0)


class KeyPostures(Table):
    """A file of key postures.

    Attributes:
        name: Name of the motion on the command line.
        title: Name for people.
        robot: Robot whose lengths and joints they are; ``adapt_key_postures`` makes them another's.
        scaled: Whether another robot's lengths are larger or smaller as its legs are, and not those of what is in the world.
        world: World it takes place in.
        feet: Where feet stand at the start, relative to where they stand in the nominal posture.
        keys: The key postures in the order of time, the first at 0.
        source: File they were read from.
    """

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]*$")]
    title: str
    robot: Name
    scaled: bool = True
    world: str = "flat"
    feet: dict[str, Placement] = Field(default_factory=dict)
    keys: Annotated[tuple[KeyPosture, ...], Field(min_length=2)]
    source: str

    @model_validator(mode="after")
    def _times_rise(self) -> KeyPostures:
        if self.keys[0].time != 0.0:
            raise ValueError("the first key posture is the one at time 0")
        for before, after in pairwise(self.keys):
            if after.time < before.time + 0.1:
                raise ValueError(f"key postures follow each other by 0.1 s at least; {after.time} comes after {before.time}")
        if self.keys[0].bear is None:
            raise ValueError("the first key posture says which effectors bear")
        return self

    def list_supporting(self, key: int) -> tuple[str, ...]:
        """Return the effectors that support from a key posture on; before the first the same as after it."""
        given = [posture.bear for posture in self.keys[: max(key, 0) + 1] if posture.bear is not None]
        return given[-1]


def load_key_postures(file: Path) -> KeyPostures:
    """Load key postures.

    Raises:
        MotionFileError: The file cannot be read, or a key is wrong; says which and what remedies it.
    """
    try:
        return load_table(file, KeyPostures)
    except DescriptionError as error:
        where = f"{error.source}: {error.key}" if error.key else error.source
        problem = str(error).removeprefix(f"{where}: ").removesuffix(f"; {error.remedy}")
        raise MotionFileError(where, problem, error.remedy) from None


def find_key_postures(name_or_file: str, robot: str) -> Path:
    """Return the file of a robot's shipped key postures by the motion's name, or of any by its path.

    A robot that is not made as others has some of its own; the other motions have the same for every robot.

    Raises:
        MotionFileError: There are none of this name.
    """
    if name_or_file.endswith(".toml"):
        return Path(name_or_file)
    own, shared = (SHIPPED / folder / f"{name_or_file}.toml" for folder in (robot, "."))
    known = sorted({file.stem for folder in (SHIPPED, SHIPPED / robot) for file in folder.glob("*.toml")})
    if name_or_file not in known:
        remedy = f"take one of {', '.join(known)}, or give the path of a .toml file"
        raise MotionFileError(name_or_file, "no such key postures", remedy)
    return own if own.is_file() else shared
