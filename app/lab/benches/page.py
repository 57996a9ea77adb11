"""``bench page``: how soon the page says something and shows the robot, how fast it draws, and whether the robot is seen.

The page is opened as a newcomer does who has just started the browser, in the world that ``handhold run`` begins in; times are
told for a machine on which the kernel takes 60 us (``KernelClock``), in proportion elsewhere. Frames are compared in one run,
in turns, with the viewer's own scene with the same robot. ``worlds_without_robot`` counts the shipped worlds in whose first
picture the robot is not seen (``page_sight``).
"""

from __future__ import annotations

import tempfile
import time
from contextlib import closing
from typing import Any

import numpy as np

from handhold.app.lab.benches.page_brace import BRACING_WORLD, PageSession
from handhold.app.lab.benches.page_chromium import DRAWN, new_page, open_chromium, wait_until
from handhold.app.lab.benches.page_frames import compare_frames
from handhold.app.lab.benches.page_sight import is_robot_visible
from handhold.app.lab.benches.timing import REFERENCE_KERNEL, KernelClock
from handhold.app.lab.figures import Figure, Outcome
from handhold.app.session.commit import current_commit
from handhold.app.session.config import SessionConfig
from handhold.robots.model import load_model
from handhold.robots.worlds import known_worlds

ROBOT = "talos"
MUST_READ, MUST_ROBOT, MUST_RATIO = 2.0, 10.0, 1.0
OPENINGS = 3
"""How often the page is opened for its times, of which the median counts."""
SOLVES = 50
"""How often the kernel is timed before and after each."""
PAINTED = "(performance.getEntriesByName('first-contentful-paint')[0] || {startTime: NaN}).startTime"


def run_page_bench() -> Outcome:
    """Open the page in Chromium, again and again.

    Raises:
        NoChromium: There is no browser.
    """
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        with closing(PageSession(_configure(folder, BRACING_WORLD))) as session:
            read, robot, kernels = np.transpose([_time_opening(session) for _ in range(OPENINGS)])
        with open_chromium() as browser:
            with closing(PageSession(_configure(folder, "flat"))) as session:
                ours, plain = compare_frames(browser, session.page, session.last, load_model(ROBOT))
            unseen = []
            for world in known_worlds():
                with closing(PageSession(_configure(folder, world))) as session:
                    unseen += [] if is_robot_visible(browser, session) else [world]
    extra: dict[str, Any] = {
        "kernel_us": float(np.median(kernels)),
        "robot_after_here": robot.tolist(),
        "unseen_in": unseen,
        "frames": ours,
        "frames_of_viewer": plain,
    }
    figures = [
        Figure("read_after", float(np.median(read * REFERENCE_KERNEL / kernels)), "s", must=MUST_READ),
        Figure("robot_after", float(np.median(robot * REFERENCE_KERNEL / kernels)), "s", must=MUST_ROBOT),
        Figure("frame_ratio", ours / plain, "-", must=MUST_RATIO, larger_is_better=True),
        Figure("worlds_without_robot", float(len(unseen)), "-", must=0.0),
    ]
    return Outcome("page", ROBOT, None, 0, current_commit(), time.perf_counter() - start, None, figures, extra)


def _configure(folder: str, world: str) -> SessionConfig:
    return SessionConfig(robot=ROBOT, world=world, page_port=0, link_port=1, log_folder=folder, device="browser")


def _time_opening(session: PageSession) -> tuple[float, float, float]:
    """Return after what times something was to be read, and the robot [s], in a browser of its own; and the kernel [us]."""
    clock = KernelClock()
    _tick(clock)
    with open_chromium() as browser:
        tab = new_page(browser)
        begin = time.monotonic()
        tab.goto(session.page.address)
        wait_until(tab, session.live, lambda: tab.locator(DRAWN).count(), "the robot to be drawn")
        robot_after = time.monotonic() - begin
        read_after = 1e-3 * float(tab.evaluate(PAINTED))
    _tick(clock)
    return read_after, robot_after, clock.microseconds


def _tick(clock: KernelClock) -> None:
    for _ in range(SOLVES):
        clock.tick()
