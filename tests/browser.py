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

from handhold.app.page.guard import GuardedServer
from handhold.devices.browser.pages import PageLimits

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
"""Minimum difference of the channels of a pixel that has a colour, of 255."""
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


def open_details(page: Page) -> None:
    """Open the panel of figures and sliders."""
    page.get_by_role("button", name="Details").click()
    page.locator("[data-floating-window]").first.wait_for()


def read_in_details(page: Page, *words: str) -> None:
    """Wait until the panel of figures says some words, and close it again."""
    open_details(page)
    for one in words:
        page.get_by_text(one).wait_for()
    page.get_by_role("button", name="Details").click()
    page.locator("[data-floating-window]").first.wait_for(state="hidden")


def project(client: viser.ClientHandle, point: np.ndarray) -> np.ndarray:
    """Return where a point in world is on the page, shape ``(2,)`` [CSS pixels]; the camera's axes are OpenCV's."""
    camera = client.camera
    w, x, y, z = camera.wxyz
    rotation = viser.transforms.SO3(np.array([w, x, y, z])).as_matrix()
    in_camera = rotation.T @ (np.asarray(point, float) - camera.position)
    focal = 0.5 * SIZE["height"] / np.tan(0.5 * camera.fov)
    return np.array([0.5 * SIZE["width"], 0.5 * SIZE["height"]]) + focal * in_camera[:2] / in_camera[2]


DRAWN = """
frames => new Promise(done => {
  const next = () => { if (frames-- > 0) requestAnimationFrame(next); else done(); };
  next();
})
"""


def wait_frames(page: Page, frames: int = 4) -> None:
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
    wait_frames(page)
    page.mouse.down()


def move_to(page: Page, start: np.ndarray, end: np.ndarray, moves: int = 12) -> None:
    """Move the pressed pointer along a line."""
    for step in range(1, moves + 1):
        page.mouse.move(*(start + (end - start) * step / moves))
        wait_frames(page, 1)
    wait_frames(page)


def take_picture(page: Page) -> np.ndarray:
    """Return what the page shows, shape ``(height, width, 3)``, uint8."""
    return np.asarray(Image.open(io.BytesIO(page.screenshot(timeout=600_000))).convert("RGB"))


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


def take_stable_picture(page: Page) -> np.ndarray:
    """Return a picture once three in a row are the same: everything sent so far has been loaded and drawn."""
    last = [take_picture(page), np.zeros(0)]

    def is_stable(picture: np.ndarray) -> bool:
        same = all(np.array_equal(picture, old) for old in last)
        last[:] = [picture, last[0]]
        return same

    return wait_for_picture(page, is_stable, "nothing that changes")


HANDLE_OFFSET = 0.215
"""Where an arrow of a gizmo is taken hold of, from its centre [m]: its head; further in, an arc may lie before it."""


def grab_gizmo(page: Page, client: viser.ClientHandle, pose: np.ndarray, axis: int) -> None:
    """Press the pointer on the arrow along an axis of a gizmo at ``pose``, homogeneous ``(4, 4)`` in world."""
    pixel = project(client, pose[:3, 3] + HANDLE_OFFSET * pose[:3, axis])
    wait_for_gizmo(page, pixel)
    press_at(page, pixel)


def pull_gizmo(page: Page, client: viser.ClientHandle, pose: np.ndarray, axis: int, distance: float, moves: int = 12) -> None:
    """Move the pointer that holds an arrow of a gizmo at ``pose`` along that arrow by ``distance`` [m]."""
    handle = pose[:3, 3] + HANDLE_OFFSET * pose[:3, axis]
    move_to(page, project(client, handle), project(client, handle + distance * pose[:3, axis]), moves)
