"""The letters that labels are written with, as one picture of distances to their outlines.

Such a picture (a signed distance field [Green2007]_) stays sharp however near a text comes to the eye.

.. [Green2007] C. Green, "Improved alpha-tested magnification for vector textures and special effects", SIGGRAPH 2007 courses.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import matplotlib as mpl
import numpy as np
from PIL import Image, ImageDraw, ImageFont
from scipy.ndimage import distance_transform_edt

FONT_FILE = Path("fonts") / "ttf" / "DejaVuSans.ttf"
"""DejaVu Sans as matplotlib ships it (licence: Bitstream Vera's, permissive)."""
CHARACTERS = "".join(map(chr, [*range(32, 127), *range(161, 256)])) + "…•≤≥≠→←↑↓↻✓✗⚠Ωβθλμπφ√∞∠▮▯▁▂▃▄▅▆▇█"
UNKNOWN = "?"
"""Stands for every other character."""
EM = 32
"""Size of the letters in the picture [pixels]."""
OVERSAMPLING = 3
"""How much finer outlines are drawn than the picture."""
SPREAD = 4
"""Distance at which the picture is all 0 or all 1 [pixels]."""
ATLAS_WIDTH = 1024


@dataclass(frozen=True, eq=False, slots=True)
class Atlas:
    """Letters; lengths in line heights, x to the right from the pen, y up from the base line.

    Attributes:
        image: Distances, 128 on the outline, more inside, first row at v = 0, shape ``(height, width)``, uint8.
        index: Row of each character in the arrays below.
        boxes: Left, bottom, right, top of each character's rectangle, shape ``(characters, 4)``.
        texture_boxes: The same edges in the image, 0 to 1, shape ``(characters, 4)``.
        advances: How far the pen goes on, shape ``(characters,)``.
        base_line: Height of the base line over the line's middle.
    """

    image: np.ndarray
    index: dict[str, int]
    boxes: np.ndarray
    texture_boxes: np.ndarray
    advances: np.ndarray
    base_line: float


@cache
def make_atlas() -> Atlas:
    """Draw all characters; it takes a fraction of a second and is done once a process."""
    font = ImageFont.truetype(str(Path(mpl.get_data_path()) / FONT_FILE), EM * OVERSAMPLING)
    ascent, descent = font.getmetrics()
    line = (ascent + descent) / OVERSAMPLING
    boxes = np.array([font.getbbox(character, anchor="ls") for character in CHARACTERS], dtype=float) / OVERSAMPLING
    boxes[:, :2] = np.floor(boxes[:, :2]) - SPREAD
    boxes[:, 2:] = np.ceil(boxes[:, 2:]) + SPREAD
    corners, height = _pack((boxes[:, 2:] - boxes[:, :2]).astype(int))
    size = np.array([ATLAS_WIDTH, height])
    edges = np.hstack([corners, corners + boxes[:, 2:] - boxes[:, :2]]) / np.tile(size, 2)
    return Atlas(
        image=_measure_distances(_draw(font, corners - boxes[:, :2], size)),
        index={character: i for i, character in enumerate(CHARACTERS)},
        boxes=(boxes * (1, -1, 1, -1))[:, [0, 3, 2, 1]] / line,
        texture_boxes=edges[:, [0, 3, 2, 1]],
        advances=np.array([font.getlength(character) for character in CHARACTERS]) / OVERSAMPLING / line,
        base_line=(descent / OVERSAMPLING - line / 2) / line,
    )


def _pack(sizes: np.ndarray) -> tuple[np.ndarray, int]:
    """Return where the left upper corner of each rectangle is in rows of the atlas's width, and the height of all rows."""
    corners = np.zeros_like(sizes)
    row_height = int(sizes[:, 1].max())
    x = y = 0
    for corner, (width, _) in zip(corners, sizes, strict=True):
        if x + width > ATLAS_WIDTH:
            x, y = 0, y + row_height
        corner[:] = x, y
        x += width
    return corners, y + row_height


def _draw(font: ImageFont.FreeTypeFont, pens: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Draw every character from its pen; return what is inside of one, oversampled."""
    width, height = OVERSAMPLING * size
    picture = Image.new("L", (int(width), int(height)))
    drawing = ImageDraw.Draw(picture)
    for character, (x, y) in zip(CHARACTERS, OVERSAMPLING * pens, strict=True):
        drawing.text((x, y), character, fill=255, font=font, anchor="ls")
    return np.asarray(picture) >= 128


def _measure_distances(inside: np.ndarray) -> np.ndarray:
    """Return the distance to the outline, averaged over the oversampled pixels of each."""
    distance = distance_transform_edt(inside) - distance_transform_edt(~inside)
    height, width = np.array(inside.shape) // OVERSAMPLING
    distance = distance.reshape(height, OVERSAMPLING, width, OVERSAMPLING).mean(axis=(1, 3)) / OVERSAMPLING
    return np.clip(np.round(127.5 * (1.0 + distance / SPREAD)), 0, 255).astype(np.uint8)
