"""What is to be seen, as data: no GPU, no window, no robot model.

A scene is made anew for every snapshot (``compose.py``) and drawn by whoever has something to draw with: the headset and its
mirror (``gl/``) and the browser's page (``browser.py``). All lengths are in metres, z is up; colours are linear red, green,
blue, alpha from 0 to 1 in float32 arrays of shape ``(4,)`` a row; transforms are homogeneous, float32.

Elements are immutable, their arrays as well. Whoever draws may keep them: the same object as in the last scene is not uploaded
again, so that what has not changed should be the same object.
"""

from __future__ import annotations

from dataclasses import field
from enum import Enum
from typing import ClassVar

import numpy as np

from handhold.devices.frame_value import frame_value

IDENTITY = np.eye(4, dtype=np.float32)
"""The transform that changes nothing, read-only."""
IDENTITY.setflags(write=False)
HAZE = np.array([0.55, 0.6, 0.66, 1.0], dtype=np.float32)
"""What is behind everything unless told otherwise, read-only."""
HAZE.setflags(write=False)


class Anchor(Enum):
    """What an element moves with; the renderer places it when it draws, by the newest pose."""

    # Looked up for every element of every frame: an enumeration's own hash is a function of Python.
    __hash__ = object.__hash__

    WORLD = "world"
    HEAD = "head"
    LEFT_HAND = "left hand"
    RIGHT_HAND = "right hand"
    AHEAD = "ahead"


class Layer(Enum):
    """What hides what: a nearer layer is never hidden by one that is farther, whatever the distances within them.

    Within a layer what is nearer hides what is farther, as ever. The operator's interface has a layer of its own: texts,
    pictures, what moves with the operator's hands, and what says that it stands ``in_front``. Its colours are blended over
    the finished world.
    """

    __hash__ = object.__hash__

    WORLD = "world"
    INTERFACE = "interface"
    HEAD = "head"


@frame_value
class RobotInstance:
    """One picture of a robot: all its link meshes at one configuration.

    Attributes:
        robot: Name of the robot, whose meshes the renderer was given.
        joints: Poses of all joints of the model in world, by pinocchio's ids, then of those on which fingers slide (see
            ``fingers.py``), shape ``(joints, 4, 4)``.
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

    __hash__ = object.__hash__

    BOX = "box"
    SPHERE = "sphere"
    CYLINDER = "cylinder"
    CONE = "cone"


@frame_value
class Solids:
    """Many shapes of one kind.

    Attributes:
        shape: Their kind.
        transforms: Poses times sizes in the anchor's frame, shape ``(k, 4, 4)``.
        colors: Shape ``(k, 4)``; an alpha below 1 is drawn after all that is solid.
        anchor: What they move with.
        in_front: Whether they are part of the operator's interface, which the world never hides (``Layer``).
        grid: Distance of the lines that are drawn on them, from their middles along their own axes [m]; 0 for none.
    """

    shape: Shape
    transforms: np.ndarray
    colors: np.ndarray
    anchor: Anchor = Anchor.WORLD
    in_front: bool = False
    grid: float = 0.0


@frame_value
class Lines:
    """Straight lines, drawn as ribbons that face the eye.

    Attributes:
        ends: Both ends of every line in the anchor's frame, shape ``(k, 2, 3)`` [m].
        colors: Shape ``(k, 4)``.
        width: Width [m].
        anchor: What they move with.
        in_front: Whether they are part of the operator's interface, which the world never hides (``Layer``).
        starts_at: What their first ends move with, where it is something else: a line from one thing to another.
        dash: Length of dashes and gaps [m]; 0 for whole lines.
    """

    ends: np.ndarray
    colors: np.ndarray
    width: float
    anchor: Anchor = Anchor.WORLD
    in_front: bool = False
    starts_at: Anchor | None = None
    dash: float = 0.0


@frame_value
class Fill:
    """Filled triangles seen from both sides; what can be seen through is blended from the farthest area to the nearest.

    Attributes:
        triangles: Corners in the anchor's frame, shape ``(k, 3, 3)`` [m].
        colors: Shape ``(k, 4)``.
        anchor: What they move with.
        middles: Middle of the area that each triangle is a part of, in the anchor's frame, shape ``(k, 3)`` [m]; None takes
            the triangle's own. Triangles of one middle stay in their order: what lies on a plate has the plate's middle.
        in_front: Whether they are part of the operator's interface, which the world never hides (``Layer``).
    """

    triangles: np.ndarray
    colors: np.ndarray
    anchor: Anchor = Anchor.WORLD
    middles: np.ndarray | None = None
    in_front: bool = False

    def find_middles(self) -> np.ndarray:
        """Return the middles, shape ``(k, 3)`` [m]."""
        return self.triangles.mean(axis=1) if self.middles is None else self.middles


@frame_value
class Ground:
    """A level ground without an end, with lines at the multiples of a cell in world, so that it is seen how one moves.

    Attributes:
        height: Its height [m].
        cell: Distance of the lines [m].
        color: Of the ground, which fades with the distance from the eye, shape ``(4,)``.
        line_color: Of the lines, likewise.
    """

    height: float
    cell: float
    color: np.ndarray
    line_color: np.ndarray


@frame_value
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


@frame_value
class Label:
    """A line of text; it is part of the operator's interface, wherever it stands.

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

    in_front: ClassVar[bool] = True
    text: str
    position: np.ndarray
    height: float
    color: np.ndarray
    background: np.ndarray
    anchor: Anchor = Anchor.WORLD
    rotation: np.ndarray | None = None


@frame_value
class Picture:
    """A camera's picture on a screen, which is part of the operator's interface.

    Attributes:
        image: Red, green, blue, first row on top, shape ``(height, width, 3)``, uint8 (sRGB).
        version: Changes when the image does, so that it is uploaded once.
        transform: Pose times size in the anchor's frame, shape ``(4, 4)``: the unit square from -1/2 to 1/2, x to the right,
            y up, z to the reader.
        anchor: What it moves with.
    """

    in_front: ClassVar[bool] = True
    image: np.ndarray
    version: int
    transform: np.ndarray
    anchor: Anchor = Anchor.WORLD


@frame_value
class Inset:
    """A small picture of the scene's own world from elsewhere, on a screen within it.

    Attributes:
        eye: Pose in world of the eye that it is seen by, x to where it looks, z up, shape ``(4, 4)``.
        tangent: Half the width that the eye sees, as the tangent of its angle [-].
        version: Changes when it is to be drawn anew: more seldom than the scene.
        transform: Pose times size of its screen in the anchor's frame, as a picture's, shape ``(4, 4)``.
        anchor: What the screen moves with.
    """

    in_front: ClassVar[bool] = True
    eye: np.ndarray
    tangent: float
    version: int
    transform: np.ndarray
    anchor: Anchor


def find_layer(anchor: Anchor, *, in_front: bool) -> Layer:
    """Return which layer an element is drawn in by what it moves with, and whether it says that it stands in front."""
    if anchor is Anchor.HEAD:
        return Layer.HEAD
    return Layer.INTERFACE if in_front or anchor is not Anchor.WORLD else Layer.WORLD


@frame_value
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
        inset: The picture from elsewhere, or None.
        ground: The ground, or None.
        background: Colour of what is behind everything, shape ``(4,)``.
        transform_room_to_world: Where the operator's room stands in the robot's world, shape ``(4, 4)``: the room has z up and
            x forward, and head and hands are tracked in it. It moves only when the operator asks.
        transform_ahead_to_room: Where the frame that follows the head lazily stands in the room, shape ``(4, 4)``.
        vignette: 0 none to 1 only the middle is seen, while the room moves.
        see_through: Whether the real room is to be seen behind it, where the display can.
    """

    robots: tuple[RobotInstance, ...] = ()
    solids: tuple[Solids, ...] = ()
    lines: tuple[Lines, ...] = ()
    fills: tuple[Fill, ...] = ()
    labels: tuple[Label, ...] = ()
    pictures: tuple[Picture, ...] = ()
    cloud: Cloud | None = None
    inset: Inset | None = None
    ground: Ground | None = None
    background: np.ndarray = field(default_factory=lambda: HAZE)
    transform_room_to_world: np.ndarray = field(default_factory=lambda: IDENTITY)
    transform_ahead_to_room: np.ndarray = field(default_factory=lambda: IDENTITY)
    vignette: float = 0.0
    see_through: bool = False
