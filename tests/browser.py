"""A real browser for tests: headless Chromium that opens the page, projects points of the world on it and drags them."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import viser
from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from handhold.app.page_guard import GuardedServer
from handhold.devices.browser_pages import PageLimits

CHROMIUM = "/usr/bin/chromium"
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
WITHOUT_MULTISAMPLING = """
const original = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function (kind, options) {
  return original.call(this, kind, {...options, antialias: false});
};
"""
"""On software GL it is the multisampling that costs: ten times the frame rate without it."""
COLOURED = 60
"""Least difference of the channels of a pixel that has a colour, of 255."""
SIZE = {"width": 1280, "height": 800}
PAGE_TIMEOUT = 300.0
"""What a page may take before it counts as hanging [s]; it is there in 1 to 6 s on two idle cores."""
PATIENT = PageLimits(beat=PAGE_TIMEOUT, frame=PAGE_TIMEOUT)
"""For tests of other things: a page that draws without a GPU beside other tests is slow, and alive all the same."""


@contextmanager
def open_chromium() -> Iterator[Browser]:
    """Start a Chromium with a profile of its own."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, headless=True, args=list(FLAGS), timeout=1e3 * PAGE_TIMEOUT
        )
        try:
            yield browser
        finally:
            browser.close()


def open_page(browser: Browser | BrowserContext, server: GuardedServer) -> tuple[Page, viser.ClientHandle]:
    """Open the server's page and wait until it has told its camera and lives."""
    before = set(server.get_clients())
    page = browser.new_page(viewport=SIZE) if isinstance(browser, Browser) else browser.new_page()
    page.set_default_timeout(1e3 * PAGE_TIMEOUT)
    page.add_init_script(WITHOUT_MULTISAMPLING)
    page.goto(f"{server.address}&fixedDpr=0.5")
    wait_until(page, lambda: set(server.get_clients()) - before, "the page to connect")
    (number,) = set(server.get_clients()) - before
    client = server.get_clients()[number]
    start = server.initial_camera.position
    wait_until(page, lambda: np.allclose(client.camera.position, start, atol=1e-3), "the page to take the first view")
    wait_until(page, lambda: server.pages.is_present() or server.pages.driver not in {None, number}, "the page to live")
    return page, client


def wait_until(page: Page, condition: Callable[[], object], what: str, timeout: float = PAGE_TIMEOUT) -> None:
    """Let the page run until the condition holds.

    Raises:
        TimeoutError: It did not within ``timeout`` [s].
    """
    end = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"waited {timeout:.0f} s for {what}")
        page.wait_for_timeout(30)


UNFOLDED = """
name => {
  const button = [...document.querySelectorAll("button")].find(one => one.innerText.trim() === name);
  if (!button) return false;
  const box = button.getBoundingClientRect();
  const shown = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  const moves = document.getAnimations().some(one => one instanceof CSSTransition && one.playState === "running");
  return button.contains(shown) && !moves;
}
"""


def unfold(page: Page, folder: str, button: str) -> None:
    """Open a folder of the panel and wait until a button of it is seen and stands still.

    A click while the folder unfolds is lost: the button moves on between the pointer's going down and up.
    """
    page.get_by_text(folder).click()
    page.wait_for_function(UNFOLDED, arg=button, timeout=1e3 * PAGE_TIMEOUT)


def project(client: viser.ClientHandle, point: np.ndarray) -> np.ndarray:
    """Return where a point in world is on the page, shape ``(2,)`` [CSS pixels]; the camera's axes are OpenCV's."""
    camera = client.camera
    w, x, y, z = camera.wxyz
    rotation = viser.transforms.SO3(np.array([w, x, y, z])).as_matrix()
    seen = rotation.T @ (np.asarray(point, float) - camera.position)
    focal = 0.5 * SIZE["height"] / np.tan(0.5 * camera.fov)
    return np.array([0.5 * SIZE["width"], 0.5 * SIZE["height"]]) + focal * seen[:2] / seen[2]


DRAWN = """
frames => new Promise(done => {
  const next = () => { if (frames-- > 0) requestAnimationFrame(next); else done(); };
  next();
})
"""


def let_draw(page: Page, frames: int = 4) -> None:
    """Let the page draw some frames: by then it has done what the pointer and the server have told it."""
    page.evaluate(DRAWN, frames)


def wait_for_gizmo(page: Page, pixel: np.ndarray) -> None:
    """Wait until a coloured arrow is drawn about a point of the page, shape ``(2,)``; all else about the hands is grey."""
    column, row = np.round(pixel).astype(int)

    def is_coloured(picture: np.ndarray) -> bool:
        around = picture[row - 6 : row + 7, column - 6 : column + 7].astype(int)
        return bool((around.max(axis=2) - around.min(axis=2)).max() > COLOURED)

    wait_for_picture(page, is_coloured, "a gizmo")


def press_at(page: Page, pixel: np.ndarray) -> None:
    """Hover over a point of the page, then press the button."""
    page.mouse.move(*pixel)
    let_draw(page)
    page.mouse.down()


def move_to(page: Page, start: np.ndarray, end: np.ndarray, moves: int = 12) -> None:
    """Move the pressed pointer along a line."""
    for step in range(1, moves + 1):
        page.mouse.move(*(start + (end - start) * step / moves))
        let_draw(page, 1)
    let_draw(page)


def take_picture(page: Page) -> np.ndarray:
    """Return what the page shows, shape ``(height, width, 3)``, uint8."""
    return np.asarray(Image.open(io.BytesIO(page.screenshot(timeout=120_000))).convert("RGB"))


def wait_for_picture(
    page: Page, accept: Callable[[np.ndarray], object], what: str, timeout: float = PAGE_TIMEOUT
) -> np.ndarray:
    """Return the first picture of the page that is accepted.

    Raises:
        TimeoutError: There was none within ``timeout`` [s].
    """
    end = time.monotonic() + timeout
    while not accept(picture := take_picture(page)):
        if time.monotonic() > end:
            raise TimeoutError(f"waited {timeout:.0f} s for a picture that shows {what}")
        page.wait_for_timeout(100)
    return picture


def take_settled_picture(page: Page) -> np.ndarray:
    """Return a picture once three in a row are the same: everything sent so far has been loaded and drawn."""
    last = [take_picture(page), np.zeros(0)]

    def settled(picture: np.ndarray) -> bool:
        same = all(np.array_equal(picture, old) for old in last)
        last[:] = [picture, last[0]]
        return same

    return wait_for_picture(page, settled, "nothing that changes")


GRIP = 0.215
"""Where an arrow of a gizmo is taken hold of, from its centre [m]: its head; further in, an arc may lie before it."""


def grab_gizmo(page: Page, client: viser.ClientHandle, pose: np.ndarray, axis: int) -> None:
    """Press the pointer on the arrow along an axis of a gizmo at ``pose``, homogeneous ``(4, 4)`` in world."""
    pixel = project(client, pose[:3, 3] + GRIP * pose[:3, axis])
    wait_for_gizmo(page, pixel)
    press_at(page, pixel)


def pull_gizmo(page: Page, client: viser.ClientHandle, pose: np.ndarray, axis: int, distance: float, moves: int = 12) -> None:
    """Move the pointer that holds an arrow of a gizmo at ``pose`` along that arrow by ``distance`` [m]."""
    grip = pose[:3, 3] + GRIP * pose[:3, axis]
    move_to(page, project(client, grip), project(client, grip + distance * pose[:3, axis]), moves)
