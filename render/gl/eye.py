"""An eye that a scene is drawn for, and what the shaders are told of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

NEAR = 0.05
"""Nearest distance that is drawn [m]: hands come close to the eyes."""
FAR = 100.0
"""Farthest distance that is drawn [m]."""
ROTATION_LOOK_TO_BODY = np.array([[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
"""OpenGL looks along -z with y up; eyes, like all else here, look along x with z up."""
ROTATION_LOOK_TO_BODY.setflags(write=False)
BLOCK_FLOATS = 128
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


def look_at(position: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Return the pose, shape ``(4, 4)``, of an eye at a position that looks at a point (not straight up or down) upright."""
    forward = np.asarray(point, dtype=float) - position
    forward /= np.linalg.norm(forward)
    left = np.cross((0.0, 0.0, 1.0), forward)
    left /= np.linalg.norm(left)
    pose = np.eye(4)
    pose[:3, 0], pose[:3, 1], pose[:3, 2], pose[:3, 3] = forward, left, np.cross(forward, left), position
    return pose


def compute_projection(field_of_view: FieldOfView) -> np.ndarray:
    """Compute OpenGL's projection (depth from -1 at ``NEAR`` to 1 at ``FAR``) for an eye's picture, shape ``(4, 4)``."""
    left, right, up, down = field_of_view
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
    """The uniform block of ``eye.glsl``, filled anew for every eye without making arrays of that size.

    Attributes:
        values: The block, shape ``(128,)``, float32.
    """

    def __init__(self) -> None:
        self.values = np.zeros(BLOCK_FLOATS, dtype=np.float32)
        self._eye_from_world = self.values[0:16].reshape(4, 4)
        self._clip_from_eye = self.values[16:32].reshape(4, 4)
        self._world_from_anchor = self.values[32:96].reshape(4, 4, 4)
        self._eye, self._head, self._up = self.values[96:99], self.values[100:103], self.values[104:107]
        self._tangents, self._viewport = self.values[108:112], self.values[112:116]
        self._eye_from_world[3, 3] = 1.0
        self._world_from_anchor[0] = np.eye(4)

    def fill(self, eye: Eye, transform_room_to_world: np.ndarray, vignette: float) -> None:
        """Fill the block.

        Args:
            eye: The eye.
            transform_room_to_world: Where the room stands in world, shape ``(4, 4)``.
            vignette: 0 none to 1.
        """
        pose = transform_room_to_world @ eye.view
        rotation = ROTATION_LOOK_TO_BODY.T @ pose[:3, :3].T
        self._eye_from_world[:3, :3] = rotation
        self._eye_from_world[:3, 3] = -(rotation @ pose[:3, 3])
        self._clip_from_eye[:] = projection = compute_projection(eye.field_of_view)
        self._eye[:] = pose[:3, 3]
        anchors = (eye.view if eye.head is None else eye.head, eye.left_hand, eye.right_hand)
        for placed, anchor in zip(self._world_from_anchor[1:], anchors, strict=True):
            placed[:] = 0.0 if anchor is None else transform_room_to_world @ anchor
        self._head[:] = self._world_from_anchor[1, :3, 3]
        self._up[:] = self._world_from_anchor[1, :3, 2]
        self._tangents[:] = eye.field_of_view
        self._viewport[:] = (eye.width, eye.height, projection[1, 1] * eye.height / 2.0, vignette)

    def measure_distances(self, points: np.ndarray, anchors: np.ndarray) -> np.ndarray:
        """Measure how far points are from the eye filled in last.

        Args:
            points: Homogeneous, each in its anchor's frame, shape ``(k, 4)``, float32.
            anchors: Numbers of the anchors, shape ``(k,)``.

        Returns:
            Squares of the distances, shape ``(k,)`` [m^2].
        """
        away = np.einsum("kij,kj->ki", self._world_from_anchor[anchors, :3], points)
        away -= self._eye
        return np.einsum("ki,ki->k", away, away)
