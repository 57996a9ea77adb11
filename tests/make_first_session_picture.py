"""Make docs/images/first-session.png, what an operator sees in his first session (no arguments)."""

from __future__ import annotations

import base64
import math
import os
import subprocess
import tempfile
from pathlib import Path

from first_session import STEPS, Operator, open_session
from PIL import Image, ImageDraw, ImageFont

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "images" / "first-session.png"
EYE_SIZE = (800, 862)  # [pixels]: the shape of what Monado's headset shows an eye
MIDDLE = (164, 216, 660, 664)  # left, top, right and bottom of what matters of it, some 59 by 54 degrees
WIDTH, HEIGHT, CAPTION, GAP = 496, 448, 30, 8  # [pixels] of one picture in the strip
COLUMNS = 4
COLORS = 128  # of the file, which keeps it small
FRAMES_TO_RESIZE = 100


def take_picture(operator: Operator) -> Image.Image:
    """Return what the operator sees now."""
    answer = operator.worker.ask("picture")
    picture = Image.frombytes("RGBA", tuple(answer["size"]), base64.b64decode(answer["image"])).convert("RGB")
    assert picture.size == EYE_SIZE
    return picture.crop(MIDDLE)


def lay_out(pictures: dict[str, Image.Image]) -> Image.Image:
    """Return all pictures with their captions, row by row."""
    rows = math.ceil(len(pictures) / COLUMNS)
    size = (COLUMNS * (WIDTH + GAP) + GAP, rows * (HEIGHT + CAPTION + GAP) + GAP)
    strip = Image.new("RGB", size, "white")
    draw, font = ImageDraw.Draw(strip), ImageFont.load_default(size=18)
    for number, (caption, picture) in enumerate(pictures.items()):
        x = GAP + number % COLUMNS * (WIDTH + GAP)
        y = GAP + number // COLUMNS * (HEIGHT + CAPTION + GAP)
        draw.text((x, y + 4), f"{number + 1}. {caption}", fill="black", font=font)
        strip.paste(picture, (x, y + CAPTION))
    return strip


def play(display: str) -> dict[str, Image.Image]:
    """Play the session and return a picture of each step by its caption."""
    pictures = {}
    with tempfile.TemporaryDirectory() as folder, open_session(Path(folder), display, "fine") as operator:
        operator.worker.ask("recommend", width=EYE_SIZE[0], height=EYE_SIZE[1])
        operator.worker.ask("resize_mirror", width=EYE_SIZE[0], height=EYE_SIZE[1])
        operator.worker.ask("live", frames=FRAMES_TO_RESIZE)
        for caption, step in STEPS.items():
            step(operator)
            pictures[caption] = take_picture(operator)
            print(caption)
    return pictures


def main() -> None:
    """Make the picture."""
    number, number_of_server = os.pipe()
    command = ["Xvfb", "-displayfd", str(number_of_server), "-screen", "0", "1024x768x24", "-nolisten", "tcp"]
    with subprocess.Popen(command, pass_fds=[number_of_server], stderr=subprocess.DEVNULL) as server:
        os.close(number_of_server)
        with os.fdopen(number) as answer:
            display = f":{answer.readline().strip()}"
        try:
            pictures = play(display)
        finally:
            server.terminate()
    lay_out(pictures).quantize(COLORS).save(PICTURE, optimize=True)
    print(f"{PICTURE}: {PICTURE.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
