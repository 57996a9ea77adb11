"""Pictures of a session, row by row, each with what was done."""

from __future__ import annotations

import math

from PIL import Image, ImageDraw, ImageFont

CAPTION, GAP = 30, 8  # [pixels]


def lay_out(pictures: dict[str, Image.Image], columns: int) -> Image.Image:
    """Return pictures of one size with their captions, row by row."""
    width, height = next(iter(pictures.values())).size
    rows = math.ceil(len(pictures) / columns)
    sheet = Image.new("RGB", (columns * (width + GAP) + GAP, rows * (height + CAPTION + GAP) + GAP), "white")
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(size=18)
    for number, (caption, picture) in enumerate(pictures.items()):
        x = GAP + number % columns * (width + GAP)
        y = GAP + number // columns * (height + CAPTION + GAP)
        draw.text((x, y + 4), f"{number + 1}. {caption}", fill="black", font=font)
        sheet.paste(picture, (x, y + CAPTION))
    return sheet
