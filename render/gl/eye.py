"""An eye that a scene is drawn for, and its uniforms in the shaders."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import njit

NEAR = 0.05
"""Nearest distance that is drawn [m]: hands come close to the eyes."""
FAR = 100.0
"""Farthest distance that is drawn [m]."""
ROTATION_LOOK_TO_BODY = np.array([[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
"""OpenGL looks along -z with y up; eyes, like all else here, look along x with z up."""
ROTATION_LOOK_TO_BODY.setflags(write=False)
BLOCK_FLOATS = 144
"""Size of the uniform block in ``eye.glsl``, rounded up [float32]."""


class FieldOfView(NamedTuple):
    """Tangents of the angles from the eye's axis to the edges of its picture, in the order of OpenXR's ``XrFovf``.

    Attributes:
        left: Negative, as a rule.
        right: Positive, as a rule.
        up: Positive, as a rule.
        down: Negative, as a rule.
    """

    left: float
    right: float
    up: float
    down: float


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Eye:
    """One eye and the newest poses of what moves with the operator; all poses are in the room, shape ``(4, 4)``.

    Attributes:
        view: Pose of the eye: x is where it looks, y its left, z its up.
        field_of_view: Edges of its picture.
        width: Width of its picture [pixels]; may be less than the target's, whose lower left corner is then drawn.
        height: Height of its picture [pixels].
        head: Pose of the head (x forward, z up), which elements anchored to it move with and labels face; None takes ``view``.
        left_hand: Grip pose of the left hand; None (not tracked) leaves out what is anchored to it.
        right_hand: Grip pose of the right hand, likewise.
        hidden: What the lens hides: triangles, their corners as tangents to the right and up, shape ``(k, 3, 2)``; None for
            nothing.
    """

    view: np.ndarray
    field_of_view: FieldOfView
    width: int
    height: int
    head: np.ndarray | None = None
    left_hand: np.ndarray | None = None
    right_hand: np.ndarray | None = None
    hidden: np.ndarray | None = None


@njit(cache=True)
def _project(left: float, right: float, up: float, down: float) -> np.ndarray:
    """Return OpenGL's projection (depth from -1 at ``NEAR`` to 1 at ``FAR``) for an eye's picture, shape ``(4, 4)``."""
    projection = np.zeros((4, 4))
    projection[0, 0] = 2.0 / (right - left)
    projection[0, 2] = (right + left) / (right - left)
    projection[1, 1] = 2.0 / (up - down)
    projection[1, 2] = (up + down) / (up - down)
    projection[2, 2] = -(FAR + NEAR) / (FAR - NEAR)
    projection[2, 3] = -2.0 * FAR * NEAR / (FAR - NEAR)
    projection[3, 2] = -1.0
    return projection


class EyeBlock:
    """The uniform block of ``eye.glsl``, filled anew for every eye by one compiled call.

    Attributes:
        values: The block, shape ``(144,)``, float32.
        world_from_anchor: Pose of each anchor (``gl/anchors.py``) in world, all zero where not tracked, shape ``(5, 4, 4)``.
    """

    def __init__(self) -> None:
        self.values = np.zeros(BLOCK_FLOATS, dtype=np.float32)
        self.world_from_anchor = self.values[32:112].reshape(5, 4, 4)
        self._poses = np.zeros((6, 4, 4))
        # compiled now: no frame must wait for it
        _fill(self._poses, FieldOfView(-1.0, 1.0, 1.0, -1.0), (1, 1), 0.0, self.values)

    def fill(
        self, eye: Eye, transform_room_to_world: np.ndarray, transform_ahead_to_room: np.ndarray, vignette: float
    ) -> None:
        """Fill the block.

        Args:
            eye: The eye.
            transform_room_to_world: Where the room stands in world, shape ``(4, 4)``.
            transform_ahead_to_room: Where what follows the head lazily stands in the room, shape ``(4, 4)``.
            vignette: 0 none to 1.
        """
        head = eye.view if eye.head is None else eye.head
        placed = (transform_room_to_world, eye.view, head, eye.left_hand, eye.right_hand, transform_ahead_to_room)
        for pose, given in zip(self._poses, placed, strict=True):
            pose[:] = 0.0 if given is None else given
        _fill(self._poses, eye.field_of_view, (eye.width, eye.height), vignette, self.values)


@njit(cache=True)
def _fill(poses: np.ndarray, field_of_view: FieldOfView, size: tuple[int, int], vignette: float, values: np.ndarray) -> None:
    """Write a block.

    Args:
        poses: The room's in world, then the eye's, the head's, the hands' and that of what follows the head, in the room, all
            zero where not tracked, shape ``(6, 4, 4)``.
        field_of_view: Edges of the eye's picture.
        size: Width and height of the picture [pixels].
        vignette: 0 none to 1.
        values: The block, shape ``(144,)``; written.
    """
    left, right, up, down = field_of_view
    width, height = size
    projection = _project(left, right, up, down)
    values[16:32] = projection.ravel()
    values[124], values[125], values[126], values[127] = left, right, up, down
    values[128], values[129], values[130], values[131] = width, height, projection[1, 1] * height / 2.0, vignette
    room, world_from_anchor = poses[0], values[32:112].reshape(5, 4, 4)
    view = room @ poses[1]
    rotation = np.ascontiguousarray(ROTATION_LOOK_TO_BODY.T) @ np.ascontiguousarray(view[:3, :3].T)
    eye_from_world = values[0:16].reshape(4, 4)
    eye_from_world[:3, :3], eye_from_world[:3, 3] = rotation, -(rotation @ np.ascontiguousarray(view[:3, 3]))
    eye_from_world[3, 3] = 1.0
    world_from_anchor[0] = np.eye(4)
    for anchor in range(1, 5):
        world_from_anchor[anchor] = room @ poses[anchor + 1]
    values[112:115] = view[:3, 3]
    values[116:119], values[120:123] = world_from_anchor[1, :3, 3], world_from_anchor[1, :3, 2]
