"""The camera's picture: on a screen that stands in the operator's room, or before the eyes."""

from __future__ import annotations

import numpy as np

from handhold.render import palette
from handhold.render.elements.drawing import make_outline, write
from handhold.render.elements.element import Element
from handhold.render.elements.hud import FACING, format_age
from handhold.render.interface.settings import PicturePosition
from handhold.render.palette import to_linear
from handhold.render.scene import Anchor, Label, Lines, Picture
from handhold.render.streams import OLD_PICTURE, Streams

SCREEN_WIDTH = 1.0
"""Width of the screen in the room [m]."""
SCREEN_AT = (1.8, -0.75, 1.4)
"""Its middle in the operator's room [m]: to the right, because the robot stands ahead and to the left."""
SCREEN_TURNED = -0.5
"""How far it is turned to the operator [rad]."""
HEAD_WIDTH = 1.5
"""Width of the picture before the eyes, at 1.2 m [m]: 64 deg."""
HEAD_AT = (1.2, 0.0, 0.0)


def draw_picture(streams: Streams, position: PicturePosition, room: np.ndarray) -> tuple[Element, ...]:
    """Return the camera's picture in a frame, red-orange and with the age where it is old; nothing without one."""
    frame = streams.picture
    if frame is None or position is PicturePosition.OFF:
        return ()
    anchor = Anchor.HEAD if position is PicturePosition.HEAD else Anchor.WORLD
    pose, width = _compute_pose(position, room)
    height = width * frame.image.shape[0] / max(frame.image.shape[1], 1)
    transform = pose.copy()
    transform[:3, 0] *= width
    transform[:3, 1] *= height
    picture = Picture(image=frame.image, version=frame.version, transform=transform, anchor=anchor)
    late = not streams.picture_age <= OLD_PICTURE
    frame_color = to_linear(palette.ALARM if late else palette.PLATE)
    outline = _draw_frame(pose, width, height, frame_color, anchor)
    age = (_write_age(streams.picture_age, pose, width, height, anchor),) if late else ()
    return (picture, outline, *age)


def _compute_pose(position: PicturePosition, room: np.ndarray) -> tuple[np.ndarray, float]:
    pose = np.eye(4, dtype=np.float32)
    pose[:3, :3] = FACING
    if position is PicturePosition.HEAD:
        pose[:3, 3] = HEAD_AT
        return pose, HEAD_WIDTH
    c, s = np.cos(SCREEN_TURNED), np.sin(SCREEN_TURNED)
    pose[:3, :3] = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ FACING
    pose[:3, 3] = SCREEN_AT
    return (room @ pose).astype(np.float32), SCREEN_WIDTH


def _draw_frame(pose: np.ndarray, width: float, height: float, color: np.ndarray, anchor: Anchor) -> Lines:
    half = np.array([[-0.5, -0.5, 0.0], [0.5, -0.5, 0.0], [0.5, 0.5, 0.0], [-0.5, 0.5, 0.0]]) * (width, height, 1.0)
    return make_outline(half @ pose[:3, :3].T + pose[:3, 3], 0.02 * width, color, anchor, in_front=True)


def _write_age(age: float, pose: np.ndarray, width: float, height: float, anchor: Anchor) -> Label:
    above = pose[:3, :3] @ (0.0, 0.5 * height - 0.06, 0.01) + pose[:3, 3]
    plate = to_linear(palette.ALARM, 0.95)
    return write(
        f"OLD picture: {format_age(age)}", above, height=0.04 * width, plate=plate, anchor=anchor, rotation=pose[:3, :3]
    )
