"""A whole session on the page before a wall, by mouse, keys or touch: reach, lean, push, walk, stop, leave, come back."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import ClassVar

import numpy as np
from playwright.sync_api import Browser, CDPSession, Locator, Page

from handhold.app.lab.benches.page_brace import NEAR, PageSession, drag_to_surface, measure_gap
from handhold.app.lab.benches.page_chromium import DRAWN, TIMEOUT, wait_until
from handhold.app.session.config import SessionConfig
from handhold.devices.stop import Stop

WORLD = "wall"
HALF = 0.5
"""Resolution that the robot is drawn in [pixels of the picture in one of the page]: there is no graphics card."""
PUSHED = 40.0  # [N]: by how much more a hand presses that pushes, for as long as the button is held
WALKED = 0.1  # [m]: what the robot walks back before it is stopped
REST_TOLERANCE = 0.005  # [m]: what a robot that holds may move
HOLDING = 20  # samples during which it is looked whether it does
STANDING = 100  # samples of rest after which a robot that was stopped has made its last footstep and has risen
NOTICING = 10  # samples until an operator has seen what came about


class Operator:
    """Somebody at the page, with a mouse."""

    name = "mouse"
    size: ClassVar[tuple[int, int]] = (1024, 640)

    def __init__(
        self, browser: Browser, session: PageSession, resolution: float = HALF, size: tuple[int, int] | None = None
    ) -> None:
        self.session = session
        self._resolution = resolution
        width, height = size or self.size
        viewport = {"width": width, "height": height}
        self._context = browser.new_context(viewport=viewport, has_touch=isinstance(self, TouchOperator))
        self._context.set_default_timeout(1e3 * TIMEOUT)
        self.open()

    def open(self) -> None:
        """Open the page and wait for the robot."""
        self.tab = self._context.new_page()
        self.tab.goto(f"{self.session.page.address}&fixedDpr={self._resolution}")
        self.until(lambda: self.tab.locator(DRAWN).count(), "the robot to be drawn")
        self.until(self.session.page.server.pages.is_present, "the page to drive")

    def until(self, holds: Callable[[], object], what: str) -> None:
        """Let page and robot live until a condition holds."""
        wait_until(self.tab, self.session.live, holds, what)

    def live(self, samples: int) -> None:
        """Let page and robot live."""
        for _ in range(samples):
            self.session.live()
            self.tab.wait_for_timeout(1)

    def reach(self) -> None:
        """Bring the left hand near the wall."""
        drag_to_surface(self.session, self.tab)

    def find(self, name: str) -> Locator:
        """Return the button whose name begins so, in capitals where it does: *STOP* is not *Stopped*."""
        return self.tab.get_by_role("button", name=re.compile(f"^{re.escape(name)}")).first

    def press(self, name: str) -> None:
        """Press a button, also one that says that it would be refused: Playwright would wait until it is not."""
        self.find(name).click(force=True)

    @contextmanager
    def holding(self, name: str) -> Iterator[None]:
        """Hold a button down."""
        self.find(name).hover()
        self.tab.mouse.down()
        yield
        self.tab.mouse.up()

    def close(self) -> None:
        """Leave."""
        self._context.close()


class KeyOperator(Operator):
    """Somebody with a keyboard; modes have no key, and are reached as every button is: by Tab and Enter."""

    name = "keys"
    pressed: ClassVar[dict[str, str]] = {
        "Lean on, left hand": "l",
        "Let go, left hand": "l",
        "STOP": "Space",
        "Resume": "g",
    }
    held: ClassVar[dict[str, str]] = {"Push, left hand": "p", "Walk back": "s"}

    def reach(self) -> None:
        self.tab.keyboard.press("1")
        self.tab.keyboard.down("ArrowUp")
        self.until(lambda: measure_gap(self.session) < NEAR, "the hand to be near the wall")
        self.tab.keyboard.up("ArrowUp")
        self.until(lambda: not self.session.last.left.engaged, "the hand to be let go")

    def press(self, name: str) -> None:
        if name in self.pressed:
            self.tab.keyboard.press(self.pressed[name])
            return
        self.find(name).focus()
        self.tab.keyboard.press("Enter")

    @contextmanager
    def holding(self, name: str) -> Iterator[None]:
        self.tab.keyboard.down(self.held[name])
        yield
        self.tab.keyboard.up(self.held[name])


class Finger:
    """A finger on a tab, moved as Playwright's mouse is."""

    def __init__(self, tab: Page) -> None:
        self._line: CDPSession = tab.context.new_cdp_session(tab)
        self._at = (0.0, 0.0)
        self._down = False

    def move(self, x: float, y: float) -> None:
        self._at = (x, y)
        if self._down:
            self._dispatch_touch("touchMove", self._at)

    def down(self) -> None:
        self._down = True
        self._dispatch_touch("touchStart", self._at)

    def up(self) -> None:
        self._down = False
        self._dispatch_touch("touchEnd")

    def _dispatch_touch(self, kind: str, *points: tuple[float, float]) -> None:
        touches = [{"x": x, "y": y} for x, y in points]
        self._line.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})


class TouchOperator(Operator):
    """Somebody with a small tablet."""

    name = "touch"
    size: ClassVar[tuple[int, int]] = (800, 600)

    def reach(self) -> None:
        drag_to_surface(self.session, self.tab, Finger(self.tab))

    def press(self, name: str) -> None:
        self.find(name).tap(force=True)

    @contextmanager
    def holding(self, name: str) -> Iterator[None]:
        box = self.find(name).bounding_box()
        assert box is not None
        finger = Finger(self.tab)
        finger.move(box["x"] + box["width"] / 2.0, box["y"] + box["height"] / 2.0)
        finger.down()
        yield
        finger.up()


OPERATORS = {one.name: one for one in (Operator, KeyOperator, TouchOperator)}
Step = Callable[[Operator], None]


def list_steps() -> dict[str, Step]:
    """Return what an operator does in a session, by its caption; each step looks whether it has worked."""
    return {
        "Open the page": look_around,
        "Bring the left hand to the wall": reach,
        "Lean on": brace,
        "Push": push,
        "Walking is refused: a hand bears": be_refused,
        "Let go": unload,
        "Walk back": walk,
        "Stop": stop,
        "Resume": resume,
        "Leave, and come back": come_back,
    }


def look_around(operator: Operator) -> None:
    steps = operator.tab.locator(".hh-steps li")
    assert steps.count() == 3
    assert operator.tab.locator(".hh-done").count() == 0


def reach(operator: Operator) -> None:
    operator.reach()
    assert operator.session.last.left.contact == "free"
    operator.until(lambda: operator.tab.locator(".hh-done").count() == 1, "the first step to be ticked off")


def brace(operator: Operator) -> None:
    operator.press("Lean on, left hand")
    operator.until(lambda: operator.session.last.left.contact == "loaded", "the brace")
    operator.until(lambda: operator.tab.locator(".hh-done").count() == 2, "the second step to be ticked off")


def push(operator: Operator) -> None:
    operator.live(NOTICING)
    before = measure_force(operator.session)
    with operator.holding("Push, left hand"):
        operator.until(lambda: measure_force(operator.session) > before + PUSHED, "the push")


def be_refused(operator: Operator) -> None:
    operator.press("Walking")
    operator.until(lambda: "release" in operator.tab.locator("#hh-board").inner_text(), "the reason")
    assert operator.session.last.mode == "bracing"


def unload(operator: Operator) -> None:
    operator.press("Let go, left hand")
    operator.until(lambda: operator.session.last.left.contact == "free", "letting go of the wall")


def walk(operator: Operator) -> None:
    operator.press("Walking")
    operator.until(lambda: operator.session.last.mode == "walking", "walking")
    operator.live(NOTICING)
    start = operator.session.last.q[0]
    with operator.holding("Walk back"):
        operator.until(lambda: start - operator.session.last.q[0] > WALKED, "walking back")
    operator.until(lambda: operator.tab.locator(".hh-done").count() == 3, "the third step to be ticked off")


def stop(operator: Operator) -> None:
    operator.press("STOP")
    operator.until(lambda: operator.session.last.stop == Stop.HOLD, "the stop")
    operator.until(lambda: operator.tab.get_by_role("button", name="Resume").count(), "the page to say so")
    operator.until(lambda: measure_motion(operator, STANDING) < REST_TOLERANCE, "the robot to stand")


def resume(operator: Operator) -> None:
    operator.press("Resume")
    operator.until(lambda: not operator.session.last.stop, "going on")
    assert_it_stays(operator)


def come_back(operator: Operator) -> None:
    operator.tab.close()
    while operator.session.page.server.pages.is_present():
        operator.session.live()
    for _ in range(HOLDING):
        operator.session.live()
    operator.open()
    assert operator.tab.locator(".hh-done").count() == 3, "what has been done is kept"
    assert not operator.session.last.left.engaged
    assert_it_stays(operator)


def assert_it_stays(operator: Operator) -> None:
    assert measure_motion(operator) < REST_TOLERANCE


def measure_motion(operator: Operator, samples: int = HOLDING) -> float:
    """Return how far the robot's base moves meanwhile [m]."""
    before = operator.session.last.q[:3].copy()
    operator.live(samples)
    return float(np.abs(operator.session.last.q[:3] - before).max())


def measure_force(session: PageSession) -> float:
    """Return how hard the left hand presses [N]."""
    return float(np.linalg.norm(session.last.contact_wrenches[session.left_hand, :3]))


@contextmanager
def open_session(
    browser: Browser,
    folder: Path,
    name: str,
    world: str = WORLD,
    resolution: float = HALF,
    size: tuple[int, int] | None = None,
) -> Iterator[Operator]:
    """Put up a robot in lockstep with its page, and sit down at it; ``size`` of the page is the operator's by default."""
    config = SessionConfig(page_port=0, link_port=1, log_folder=str(folder), device="browser", world=world)
    with closing(PageSession(config)) as session, closing(OPERATORS[name](browser, session, resolution, size)) as operator:
        yield operator
