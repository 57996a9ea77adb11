"""Whether a newcomer sees the robot in the first picture of a page: read back, beside a picture that the robot is not in."""

from __future__ import annotations

import io
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from handhold.app.lab.benches.page_brace import TIMELESS, PageSession
from handhold.app.lab.benches.page_chromium import DRAWN, new_page, project, wait_until
from handhold.render.snapshot import Snapshot
from handhold.robots.model import load_model

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from playwright.sync_api import Page as Tab

FAR_AWAY = 60.0
"""Where the robot is put for the picture without it [m]."""
CHANGED = 12
"""Minimum difference of a channel of a pixel that has changed, of 255."""
NEAR = 2
"""How far about a joint a pixel may lie that has changed, in rows and columns."""
VISIBLE_RATIO = 0.6
"""Minimum ratio of the robot's joints about which the picture changes: some lie behind its own limbs."""
COARSE = "&fixedDpr=0.25"
"""The page is drawn at a quarter of the resolution, which shows the robot as well and is there sooner."""


def is_robot_visible(browser: Browser, session: PageSession, wait: float = 60.0) -> bool:
    """Open the page of a session for the first time and return whether its first picture shows the robot.

    Args:
        browser: What the page is opened in, as one who has never seen it.
        session: The session.
        wait: How long the page may take until the robot has gone from it [s].
    """
    tab = new_page(browser)
    tab.goto(f"{session.page.address}{COARSE}")
    wait_until(tab, session.live, lambda: tab.locator(DRAWN).count(), "the robot to be drawn")
    first = _take_picture(tab)
    pixels = _find_pixels(session)
    away = send_away(session.last)
    visible, end = 0.0, time.monotonic() + wait
    while visible < VISIBLE_RATIO and time.monotonic() < end:
        session.page.show(replace(away, measured_at=time.monotonic() + TIMELESS))
        tab.wait_for_timeout(100)
        changed = (np.abs(first.astype(int) - _take_picture(tab)) > CHANGED).any(axis=2)
        visible = float(np.mean([_is_about(changed, column, row) for column, row in pixels]))
    tab.close()
    return visible >= VISIBLE_RATIO


def send_away(snapshot: Snapshot) -> Snapshot:
    """Return a snapshot of the same robot elsewhere, where no page looks."""
    q = snapshot.q.copy()
    q[1] += FAR_AWAY
    return replace(snapshot, q=q, reference=replace(snapshot.reference, q=q))


def _find_pixels(session: PageSession) -> list[tuple[int, int]]:
    """Return the columns and rows at which the robot's joints are on the page."""
    from handhold.render.elements.stage import Stage

    (client,) = session.page.server.get_clients().values()
    joints = Stage(load_model(session.last.robot)).compute_joints(session.last.q)[1:, :3, 3]
    return [(round(x), round(y)) for x, y in (project(client, point) for point in joints)]


def _is_about(changed: np.ndarray, column: int, row: int) -> bool:
    around = changed[max(row - NEAR, 0) : row + NEAR + 1, max(column - NEAR, 0) : column + NEAR + 1]
    return bool(around.any())


def _take_picture(tab: Tab) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(tab.screenshot())).convert("RGB"))
