"""A scene's texts on the page in the browser, each on its plate and turned to whoever looks.

The page's own labels are white without exception, so texts are sent as pictures.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pinocchio as pin
import viser
from PIL import Image, ImageDraw, ImageFont

from handhold.render.palette import encode_srgb
from handhold.render.scene import Label

MIN_CHANGE = 2e-3
"""A text that has moved or turned less stays [m or -]: two pixels of a page that shows four metres."""

ENLARGED = 1.45
"""Texts are so much larger than in the headset, which has more pixels for an angle and is nearer to what it shows."""

NEARER = 0.5
"""Texts that face whoever looks stand so much nearer to the eye than what they are about [m]: limbs do not cover them."""

NEAREST = 0.3
"""Largest part of the distance to the eye that they come nearer by [-]."""

LINE = 36
"""Height of a line in the picture of a text [pixels]: twice that on the page, for screens with small pixels."""

MARGIN = 10
"""Width of the plate around the words [pixels]."""

FONT = Path(mpl.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"
"""The font of the texts in the headset."""


@dataclass(frozen=True, eq=False, slots=True)
class _Text:
    """A text on the page, and where it is and how it is turned (w, x, y, z)."""

    label: Label
    handle: viser.ImageHandle
    pose: np.ndarray


class LabelNodes:
    """The texts of a scene; only what has changed is sent."""

    def __init__(self, server: viser.ViserServer) -> None:
        """Send nothing yet."""
        self._server = server
        self._shown: list[_Text] = []
        self._eye = np.array(server.initial_camera.position, dtype=float)
        self._facing = _face(self._eye, np.array(server.initial_camera.look_at))

    def show(self, labels: list[Label]) -> None:
        """Show these texts in place of the last ones, those without a direction of their own facing the camera.

        Of several pages they face the one whose camera has moved last.
        """
        self._follow_camera()
        while len(self._shown) > len(labels):
            self._shown.pop().handle.remove()
        for number, label in enumerate(labels):
            if number == len(self._shown):
                self._shown.append(self._add(f"/texts/{number}", label))
            shown = self._shown[number]
            if not _looks_alike(shown.label, label):
                _rewrite(shown.handle, label)
            self._shown[number] = self._move(shown, label)

    def _follow_camera(self) -> None:
        cameras = [client.camera for client in self._server.get_clients().values()]
        # A page that has just been opened has not reported its camera yet.
        reported = [camera for camera in cameras if camera.update_timestamp > 0.0]
        if reported:
            newest = max(reported, key=lambda camera: camera.update_timestamp)
            self._eye, self._facing = np.array(newest.position, dtype=float), newest.wxyz

    def _add(self, name: str, label: Label) -> _Text:
        image = paint_plate(label)
        pose = self._place(label)
        width, height = _measure(label, image)
        handle = self._server.scene.add_image(
            name,
            image,
            render_width=width,
            render_height=height,
            format="png",
            wxyz=pose[3:],
            position=pose[:3],
            cast_shadow=False,
            receive_shadow=False,
        )
        return _Text(label, handle, pose)

    def _move(self, text: _Text, label: Label) -> _Text:
        pose = self._place(label)
        changed = np.abs(pose - text.pose) >= MIN_CHANGE
        if changed[:3].any():
            text.handle.position = pose[:3]
        if changed[3:].any():
            text.handle.wxyz = pose[3:]
        return _Text(label, text.handle, pose if changed.any() else text.pose)

    def _place(self, label: Label) -> np.ndarray:
        if label.rotation is not None:
            return np.concatenate([label.position, turn_image(label.rotation)])
        to_eye = self._eye - label.position
        nearer = min(NEARER / max(float(np.linalg.norm(to_eye)), 1e-9), NEAREST)
        return np.concatenate([label.position + nearer * to_eye, self._facing])


def turn_image(rotation: np.ndarray) -> np.ndarray:
    """Return the orientation (w, x, y, z) of a picture's node.

    Args:
        rotation: The picture's axes, x along its rows, y up, z to the reader, shape ``(3, 3)``. The page has a picture's axes
            as cameras have theirs: y down its columns, z away from the reader.
    """
    x, y, z, w = pin.Quaternion((rotation * (1.0, -1.0, -1.0)).astype(float)).normalized().coeffs()
    return np.array([w, x, y, z])


def _face(position: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Return how a text is turned (w, x, y, z) that faces a camera at a position which looks at a target, z up."""
    to_the_reader = (position - target) / np.linalg.norm(position - target)
    along = np.cross((0.0, 0.0, 1.0), to_the_reader)
    along /= np.linalg.norm(along)
    return turn_image(np.column_stack([along, np.cross(to_the_reader, along), to_the_reader]))


def _rewrite(handle: viser.ImageHandle, label: Label) -> None:
    """Change the words of a text where it is: a node that is made anew lies on the ground until it is told where it stands."""
    image = paint_plate(label)
    handle.image = image
    handle.render_width, handle.render_height = _measure(label, image)


def _measure(label: Label, image: np.ndarray) -> tuple[float, float]:
    """Return width and height of a text's picture in the scene [m]."""
    pixel = ENLARGED * label.height / LINE
    return pixel * image.shape[1], pixel * image.shape[0]


def _looks_alike(label: Label, other: Label) -> bool:
    return label is other or (
        (label.text, label.height) == (other.text, other.height)
        and np.array_equal(label.color, other.color)
        and np.array_equal(label.background, other.background)
    )


def paint_plate(label: Label) -> np.ndarray:
    """Return a text on its plate as a picture, shape ``(height, width, 4)``, uint8 (sRGB and alpha)."""
    font = _load_font()
    measure = ImageDraw.Draw(Image.new("L", (1, 1)))
    left, top, right, bottom = measure.multiline_textbbox((0, 0), label.text, font=font, align="center")
    size = (round(right - left) + 2 * MARGIN, round(bottom - top) + 2 * MARGIN)
    plate = Image.new("RGBA", size)
    draw = ImageDraw.Draw(plate)
    draw.rounded_rectangle((0, 0, size[0] - 1, size[1] - 1), radius=MARGIN, fill=_to_rgba(label.background))
    at = (MARGIN - left, MARGIN - top)
    # Painted over the plate and not mixed with it: words are solid where plates are not.
    draw.multiline_text(at, label.text, font=font, align="center", fill=_to_rgba(label.color))
    return np.asarray(plate)


def _to_rgba(color: np.ndarray) -> tuple[int, int, int, int]:
    return (*encode_srgb(color[:3]), round(255 * float(color[3])))


@cache
def _load_font() -> ImageFont.FreeTypeFont:
    # Lines are a fifth higher than what stands in them.
    return ImageFont.truetype(str(FONT), round(LINE / 1.2))
