"""Make docs/images/page-*.webp, sessions on a real page: ``python tests/make_page_pictures.py`` (all, or those named).

``keys``, ``mouse`` and ``touch`` are sheets of the whole session before the wall, each driven in its own way, the robot drawn
at half the resolution, which is what remains of it in a sheet; ``first`` are the pictures of docs/first-session.md, in the
world that a session begins in, and that of docs/devices/browser.md, drawn finely, for there is no multisampling.
"""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path

from contact_sheet import lay_out
from page_session import OPERATORS, Operator, list_steps, open_session
from PIL import Image
from playwright.sync_api import Browser

from handhold.app.lab.benches.page_brace import BRACING_WORLD
from handhold.app.lab.benches.page_chromium import open_chromium, wait_frames

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "images"
COLUMNS = 5
WIDTH = 512  # [pixels] of one picture in a sheet
QUALITY = 82
SETTLE_SAMPLES = 12  # samples until the page shows what has been done
FINE, SIZE = 2.0, (1280, 720)
FIRST = ("open", "drag", "lean", "push", None, None, "walk", "stop")
"""Names of the pictures of the steps, where there is one."""


def take_picture(operator: Operator) -> Image.Image:
    """Return what the operator sees, once all of it is drawn."""
    operator.live(SETTLE_SAMPLES)
    wait_frames(operator.tab)
    return Image.open(io.BytesIO(operator.tab.screenshot(timeout=600_000))).convert("RGB")


def make_sheet(browser: Browser, folder: Path, name: str) -> None:
    """Play the session before the wall and write its sheet."""
    pictures = {}
    with open_session(browser, folder, name) as operator:
        for caption, step in list_steps().items():
            step(operator)
            picture = take_picture(operator)
            pictures[caption] = picture.resize(
                (WIDTH, round(WIDTH * picture.height / picture.width)), Image.Resampling.LANCZOS
            )
            print(f"{name}: {caption}", flush=True)
    write(lay_out(pictures, COLUMNS), f"page-{name}")


def make_first(browser: Browser, folder: Path) -> None:
    """Play the first minutes of a new operator and write a picture of each step."""
    with open_session(browser, folder, "mouse", BRACING_WORLD, FINE, SIZE) as operator:
        for name, step in zip(FIRST, list_steps().values(), strict=False):
            step(operator)
            if name is not None:
                write(take_picture(operator), f"page-{name}")


def write(picture: Image.Image, name: str) -> None:
    """Write a picture of the docs."""
    file = FOLDER / f"{name}.webp"
    picture.save(file, quality=QUALITY, method=6)
    print(f"{file.name}: {file.stat().st_size / 1000:.0f} kB", flush=True)


def main() -> None:
    """Make the pictures."""
    names = sys.argv[1:] or ["first", *OPERATORS]
    with tempfile.TemporaryDirectory() as folder, open_chromium() as browser:
        for name in names:
            if name == "first":
                make_first(browser, Path(folder))
            else:
                make_sheet(browser, Path(folder), name)


if __name__ == "__main__":
    main()
