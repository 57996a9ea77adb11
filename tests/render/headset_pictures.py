"""What a headset's pictures should show, computed from where the test has put the head, and what they do show."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio as pin

HALF_DISTANCE = 0.0315  # [m]: from the middle of the head of Monado's remote driver to each eye


@dataclass(frozen=True)
class EyePicture:
    """One eye's picture as it was handed to the runtime.

    Attributes:
        image: sRGB and alpha, first row on top, shape ``(height, width, 4)``, uint8.
        tangents: Tangents of the angles to its left, right, upper and lower edge, as the runtime has them.
        view: Pose of the eye as it was drawn, shape ``(4, 4)``.
    """

    image: np.ndarray
    tangents: tuple[float, float, float, float]
    view: np.ndarray

    def find(self, color: tuple[int, int, int]) -> np.ndarray:
        """Return the middle of all pixels of a pure colour (0 or 1 a channel), right and down from the corner [pixels]."""
        rgb = self.image[..., :3].astype(int)
        lit = np.array(color, dtype=bool)
        strongest_of_others = rgb[..., ~lit].max(axis=-1) if not lit.all() else np.zeros(rgb.shape[:2], dtype=int)
        rows, columns = np.nonzero(rgb[..., lit].min(axis=-1) > 2 * strongest_of_others + 60)
        assert len(rows), f"nothing of colour {color} is seen"
        return np.array([columns.mean() + 0.5, rows.mean() + 0.5])

    def shows(self, color: tuple[int, int, int]) -> bool:
        try:
            self.find(color)
        except AssertionError:
            return False
        return True


def decode_eyes(answer: dict[str, Any]) -> list[EyePicture]:
    """Return the left and the right eye's picture of what a worker has answered."""
    return [_decode(eye) for eye in answer["eyes"]]


def _decode(eye: dict[str, Any]) -> EyePicture:
    width, height = eye["size"]
    image = np.frombuffer(base64.b64decode(eye["image"]), np.uint8).reshape(height, width, 4)
    left, right, up, down = eye["field_of_view"]
    return EyePicture(image, (left, right, up, down), np.array(eye["view"]))


def predict_pixel(eye: EyePicture, number: int, head: pin.SE3, point: np.ndarray) -> np.ndarray:
    """Predict where a point of the room is in an eye's picture, right and down from the corner [pixels].

    Args:
        eye: The picture, for its size and edges.
        number: 0 the left eye, 1 the right one.
        head: Where the test has put the head; x forward, y left, z up.
        point: Shape ``(3,)`` [m].
    """
    left, right, up, down = eye.tangents
    forward, leftward, upward = head.actInv(np.asarray(point, dtype=float)) - [0.0, HALF_DISTANCE * (1 - 2 * number), 0.0]
    height, width = eye.image.shape[:2]
    across = (-leftward / forward - left) / (right - left)
    down_by = (up - upward / forward) / (up - down)
    return np.array([across * width, down_by * height])
