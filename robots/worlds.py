"""A world in one TOML file: the floor and what stands on it, the same for every physics engine."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import pinocchio as pin
from pydantic import Field, model_validator

from handhold.robots.errors import DescriptionError
from handhold.robots.tables import Length, Positive, Table, UnitInterval, Vector3, load_table

Colour = tuple[UnitInterval, UnitInterval, UnitInterval]
Mass = Annotated[Positive, Field(ge=1e-3)]
Size = Annotated[Length, Field(ge=1e-3)]

FOOTHOLDS = ("left foothold", "right foothold")
"""Names of the boxes that a robot starts on, in worlds that have both."""

_SIZES = {"box": ("x", "y", "z"), "sphere": ("radius",), "cylinder": ("radius", "length")}


class Floor(Table):
    """The ground: the plane z = 0.

    Attributes:
        friction: Friction coefficient of anything that stands on it [-].
        colour: Red, green, blue between 0 and 1.
    """

    friction: Positive = 0.8
    colour: Colour = (0.55, 0.57, 0.60)


class Solid(Table):
    """A rigid object in the world: a box (a wall or a ramp is one too), a sphere or a cylinder.

    Attributes:
        name: Its name, for messages and viewers.
        shape: ``"box"``, ``"sphere"`` or ``"cylinder"`` (along z).
        size: Full lengths x, y, z of a box; radius of a sphere; radius and length of a cylinder [m].
        position: Centre in world [m].
        rpy: Roll, pitch, yaw [rad].
        friction: Friction coefficient of the robot on it [-].
        colour: Red, green, blue between 0 and 1.
        mass: Mass of something that can be moved [kg]; left out for what is fixed.
        part_of: Name of the solid that it is a part of and moves with, listed before it; empty for one by itself. Both have a
            mass, and the friction is that of the whole.
    """

    name: Annotated[str, Field(min_length=1)]
    shape: Literal["box", "sphere", "cylinder"] = "box"
    size: tuple[Size, ...]
    position: Vector3
    rpy: Vector3 = (0.0, 0.0, 0.0)
    friction: Positive = 0.8
    colour: Colour = (0.70, 0.66, 0.60)
    mass: Mass | None = None
    part_of: str = ""

    @model_validator(mode="after")
    def _size_fits_the_shape(self) -> Solid:
        expected = _SIZES[self.shape]
        if len(self.size) != len(expected):
            raise ValueError(f"size of the {self.shape} '{self.name}' must be [{', '.join(expected)}]")
        return self

    @property
    def half_size(self) -> tuple[float, ...]:
        """Half lengths of a box, radius of a sphere, radius and half length of a cylinder [m]."""
        if self.shape == "box":
            return tuple(0.5 * length for length in self.size)
        return (self.size[0], *(0.5 * length for length in self.size[1:]))

    def to_se3(self) -> pin.SE3:
        """Return the pose in world."""
        return pin.SE3(pin.rpy.rpyToMatrix(*self.rpy), np.array(self.position))


class Tool(Table):
    """A box that a simulated robot holds rigidly in a hand; the robot's model does not know of it.

    Attributes:
        name: Its name, for messages.
        hand: Whose effector holds it: that of the operator's left or right hand.
        size: Full lengths x, y, z [m].
        position: Centre in the contact frame of the effector, whose z points back into the hand [m].
        rpy: Roll, pitch, yaw in that frame [rad].
        mass: Mass [kg].
    """

    name: Annotated[str, Field(min_length=1)]
    hand: Literal["left", "right"]
    size: tuple[Size, Size, Size]
    position: Vector3
    rpy: Vector3 = (0.0, 0.0, 0.0)
    mass: Mass

    def to_se3(self) -> pin.SE3:
        """Return the pose in the contact frame."""
        return pin.SE3(pin.rpy.rpyToMatrix(*self.rpy), np.array(self.position))


class World(Table):
    """The surroundings of a simulated robot, which looks along x.

    Attributes:
        title: What it is, for people.
        floor: The ground.
        solids: What stands on it.
        tools: What the robot holds.
        start_before: Name of the upright box before which a robot starts, as near as suits its arms; empty for the origin.
        source: File the world was read from.
    """

    title: str
    floor: Floor = Floor()
    solids: tuple[Solid, ...] = ()
    tools: tuple[Tool, ...] = ()
    start_before: str = ""
    source: str

    @model_validator(mode="after")
    def _solid_names_differ(self) -> World:
        names = [solid.name for solid in self.solids]
        if len(set(names)) != len(names):
            raise ValueError(f"solids need different names, not {names}")
        return self

    @model_validator(mode="after")
    def _parts_belong_to_what_moves(self) -> World:
        wholes: list[str] = []
        for solid in self.solids:
            if solid.part_of and solid.mass is None:
                raise ValueError(f"'{solid.name}' is a part of '{solid.part_of}' and needs a mass")
            if solid.part_of and solid.part_of not in wholes:
                raise ValueError(
                    f"part_of of '{solid.name}' must name a solid before it that has a mass and is no part itself "
                    f"({', '.join(wholes) or 'there is none'}), not '{solid.part_of}'"
                )
            if solid.mass is not None and not solid.part_of:
                wholes.append(solid.name)
        return self

    @model_validator(mode="after")
    def _starts_before_a_box(self) -> World:
        boxes = [solid.name for solid in self.solids if solid.shape == "box"]
        if self.start_before and self.start_before not in boxes:
            raise ValueError(f"start_before must name a box of {', '.join(boxes) or 'none'}, not '{self.start_before}'")
        return self


def list_parts(world: World, index: int) -> list[int]:
    """Return the indices of a solid that is no part of another and of all that are parts of it, the solid first."""
    name = world.solids[index].name
    return [index, *(part for part, solid in enumerate(world.solids) if solid.part_of == name)]


def shift_solid(world: World, index: int, displacement: np.ndarray) -> World:
    """Return a world with one of its solids shifted, by a displacement in world, shape ``(3,)`` [m]."""
    solids = list(world.solids)
    x, y, z = (np.array(solids[index].position) + displacement).tolist()
    solids[index] = solids[index].model_copy(update={"position": (x, y, z)})
    return world.model_copy(update={"solids": tuple(solids)})


def known_worlds() -> tuple[str, ...]:
    """Return the names of the worlds that Handhold ships."""
    folder = resources.files("handhold.robots") / "worlds"
    return tuple(sorted(entry.name[:-5] for entry in folder.iterdir() if entry.name.endswith(".toml")))


def load_world(name_or_file: str = "flat") -> World:
    """Load a world by the name of a shipped one or by the path of a TOML file.

    Raises:
        DescriptionError: The name is unknown, or the file cannot be read, or a key is wrong; says which, and the remedy.
    """
    if name_or_file.endswith(".toml"):
        return load_table(Path(name_or_file), World)
    known = known_worlds()
    if name_or_file not in known:
        raise DescriptionError(
            name_or_file, "", "no such world", f"take one of {', '.join(known)}, or give the path of a .toml file"
        )
    return load_table(Path(str(resources.files("handhold.robots") / "worlds" / f"{name_or_file}.toml")), World)
