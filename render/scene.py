"""What is to be seen, as data: no GPU, no window, no robot model.

A scene is made anew for every snapshot (``compose.py``) and drawn by whoever has something to draw with: the headset and its
mirror (``gl/``) and the browser's page (``browser.py``). All lengths are in metres, z is up; colours are linear red, green,
blue, alpha from 0 to 1 in float32 arrays of shape ``(4,)`` a row; transforms are homogeneous, float32.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

import numpy as np


class Anchor(Enum):
    """What an element moves with; the renderer places it when it draws, by the newest pose."""

    WORLD = "world"
    HEAD = "head"
    LEFT_HAND = "left hand"
    RIGHT_HAND = "right hand"


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class RobotLook:
    """One picture of a robot: all its link meshes at one configuration.

    Attributes:
        robot: Name of the robot, whose meshes the renderer was given.
        joints: Poses of all joints of the model in world, by pinocchio's ids, shape ``(joints, 4, 4)``.
        tints: Colour laid over each joint's meshes, its alpha the share of it, shape ``(joints, 4)``.
        opacity: 1 solid; a ghost below 1 is drawn after all that is solid and hides its own back faces.
        visible: Which joints' meshes are drawn, shape ``(joints,)``, bool.
    """

    robot: str
    joints: np.ndarray
    tints: np.ndarray
    opacity: float
    visible: np.ndarray


class Shape(Enum):
    """Shapes drawn as instances; each fits a cube from -1/2 to 1/2, its axis along z."""

    BOX = "box"
    SPHERE = "sphere"
    CYLINDER = "cylinder"
    CONE = "cone"


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Solids:
    """Many shapes of one kind.

    Attributes:
        shape: Their kind.
        transforms: Poses times sizes in the anchor's frame, shape ``(k, 4, 4)``.
        colors: Shape ``(k, 4)``; an alpha below 1 is drawn after all that is solid.
        anchor: What they move with.
    """

    shape: Shape
    transforms: np.ndarray
    colors: np.ndarray
    anchor: Anchor = Anchor.WORLD


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Lines:
    """Straight lines, drawn as ribbons that face the eye.

    Attributes:
        ends: Both ends of every line in the anchor's frame, shape ``(k, 2, 3)`` [m].
        colors: Shape ``(k, 4)``.
        width: Width [m].
        anchor: What they move with.
    """

    ends: np.ndarray
    colors: np.ndarray
    width: float
    anchor: Anchor = Anchor.WORLD


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Fill:
    """Filled triangles seen from both sides; what can be seen through is blended from the farthest area to the nearest.

    Attributes:
        triangles: Corners in the anchor's frame, shape ``(k, 3, 3)`` [m].
        colors: Shape ``(k, 4)``.
        anchor: What they move with.
        middles: Middle of the area that each triangle is a part of, in the anchor's frame, shape ``(k, 3)`` [m]; None takes
            the triangle's own. Triangles of one middle stay in their order: what lies on a plate has the plate's middle.
    """

    triangles: np.ndarray
    colors: np.ndarray
    anchor: Anchor = Anchor.WORLD
    middles: np.ndarray | None = None

    def find_middles(self) -> np.ndarray:
        """Return the middles, shape ``(k, 3)`` [m]."""
        return self.triangles.mean(axis=1) if self.middles is None else self.middles


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Cloud:
    """A coloured cloud of points in world.

    Attributes:
        positions: Shape ``(k, 3)``, float32 [m].
        colors: Red, green, blue, shape ``(k, 3)``, uint8, as a camera gives them (sRGB).
        size: Size of a point [m].
        version: Changes when the points do, so that they are uploaded once.
    """

    positions: np.ndarray
    colors: np.ndarray
    size: float
    version: int


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Label:
    """A line of text.

    Attributes:
        text: What it says; a line feed begins a new line.
        position: Where its middle is in the anchor's frame, shape ``(3,)`` [m].
        height: Height of a line [m].
        color: Shape ``(4,)``.
        background: Colour of the plate behind it, shape ``(4,)``; alpha 0 for none.
        anchor: What it moves with.
        rotation: Its axes (x along the line, y up, z to the reader) in the anchor's frame, shape ``(3, 3)``; None turns it to
            the eye.
    """

    text: str
    position: np.ndarray
    height: float
    color: np.ndarray
    background: np.ndarray
    anchor: Anchor = Anchor.WORLD
    rotation: np.ndarray | None = None


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Picture:
    """A camera's picture on a screen.

    Attributes:
        image: Red, green, blue, first row on top, shape ``(height, width, 3)``, uint8 (sRGB).
        version: Changes when the image does, so that it is uploaded once.
        transform: Pose times size in the anchor's frame, shape ``(4, 4)``: the unit square from -1/2 to 1/2, x to the right,
            y up, z to the reader.
        anchor: What it moves with.
    """

    image: np.ndarray
    version: int
    transform: np.ndarray
    anchor: Anchor = Anchor.WORLD


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Scene:
    """All that is to be seen at one time.

    Attributes:
        robots: Pictures of robots, solid ones first.
        solids: Shapes.
        lines: Lines.
        fills: Filled triangles.
        labels: Texts.
        pictures: Camera pictures.
        cloud: The cloud of points, or None.
        background: Colour of what is behind everything, shape ``(4,)``.
        transform_room_to_world: Where the operator's room stands in the robot's world, shape ``(4, 4)``: the room has z up and
            x forward, and head and hands are tracked in it. It moves only when the operator asks.
        vignette: 0 none to 1 only the middle is seen, while the room moves.
    """

    robots: tuple[RobotLook, ...] = ()
    solids: tuple[Solids, ...] = ()
    lines: tuple[Lines, ...] = ()
    fills: tuple[Fill, ...] = ()
    labels: tuple[Label, ...] = ()
    pictures: tuple[Picture, ...] = ()
    cloud: Cloud | None = None
    background: np.ndarray = field(default_factory=lambda: np.array([0.55, 0.6, 0.66, 1.0], dtype=np.float32))
    transform_room_to_world: np.ndarray = field(default_factory=lambda: np.eye(4, dtype=np.float32))
    vignette: float = 0.0
