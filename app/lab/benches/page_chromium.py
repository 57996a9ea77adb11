"""A Chromium without a screen that opens the page as an operator does, for the benchmarks of the page."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
import viser

from handhold.app.errors import AppError

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking")
SIZE = (1280, 720)
TIMEOUT = 300.0
"""What a page may take before it counts as hanging [s]."""
DRAWN = "#hh[data-drawn]"
"""The page says by this that the robot is drawn."""


class NoChromium(AppError):
    """There is no Chromium that a benchmark could open the page in."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"this benchmark opens the page in Chromium, and {what} is not there: install it with "
            "'apt-get install chromium' and 'pip install playwright'"
        )


@contextmanager
def open_chromium() -> Iterator[Browser]:
    """Start a Chromium with a profile of its own.

    Raises:
        NoChromium: It is not there, or what drives it is not.
    """
    program = shutil.which("chromium")
    if program is None:
        raise NoChromium("chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise NoChromium("playwright") from None
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, headless=True, args=list(FLAGS), timeout=1e3 * TIMEOUT)
        try:
            yield browser
        finally:
            browser.close()


def new_page(browser: Browser) -> Page:
    """Open an empty page of the size that figures are told for."""
    page = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]})
    page.set_default_timeout(1e3 * TIMEOUT)
    return page


def wait_until(page: Page, live: Callable[[], None], holds: Callable[[], object], what: str) -> None:
    """Let page and robot live until a condition holds.

    Raises:
        TimeoutError: It does not within ``TIMEOUT``.
    """
    end = time.monotonic() + TIMEOUT
    while not holds():
        if time.monotonic() > end:
            raise TimeoutError(f"waited {TIMEOUT:.0f} s for {what}")
        live()
        page.wait_for_timeout(1)


def wait_frames(page: Page, frames: int = 4) -> None:
    """Let the page draw some frames: by then it has done what the pointer and the server have told it."""
    page.evaluate(_DRAW, frames)


_DRAW = """
frames => new Promise(done => {
  const next = () => { if (frames-- > 0) requestAnimationFrame(next); else done(); };
  next();
})
"""


def project(client: viser.ClientHandle, point: np.ndarray, size: tuple[int, int] = SIZE) -> tuple[float, float]:
    """Return where a point in world is on a page of a size [CSS pixels]; the camera's axes are OpenCV's."""
    camera = client.camera
    rotation = viser.transforms.SO3(np.array(camera.wxyz)).as_matrix()
    in_camera = rotation.T @ (np.asarray(point, float) - camera.position)
    focal = 0.5 * size[1] / np.tan(0.5 * camera.fov)
    x, y = np.array(size) / 2.0 + focal * in_camera[:2] / in_camera[2]
    return float(x), float(y)
