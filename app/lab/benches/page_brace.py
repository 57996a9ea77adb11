"""How many actions of the operator lead from nothing to the first braced hand, following only what the page says."""

from __future__ import annotations

import re
import time
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from handhold.app.host.cycle import Cycle
from handhold.app.host.footholds import find_start
from handhold.app.host.surfaces import list_surfaces
from handhold.app.lab.benches.page_chromium import DRAWN, new_page, open_chromium, project, wait_frames, wait_until
from handhold.app.lab.figures import Figure
from handhold.app.link.messages import Stamp, operator_codec
from handhold.app.page.facts import name_surface
from handhold.app.page.page import Page
from handhold.app.session.config import SessionConfig
from handhold.app.station.browser_console import BrowserConsole
from handhold.devices.browser.pages import PageLimits
from handhold.retarget.mode_report import ContactState
from handhold.robots.model import load_model
from handhold.robots.simulation.engines import make_robot
from handhold.robots.worlds import load_world

if TYPE_CHECKING:
    from playwright.sync_api import Page as Tab

MUST_ACTIONS = 5.0
PERIOD = 1e-3
"""Control period [s]."""
PERIODS_A_SAMPLE = 11
SAMPLES_A_PICTURE = 4
TIMELESS = 3600.0
"""Simulated time stands still while the page draws: what it shows does not grow old meanwhile [s]."""
HANDLE_OFFSET = 0.215
"""Where an arrow is taken hold of, from the middle of its gizmo [m]."""
STEP = 0.02
"""How far the pointer drags at a time [m]."""
FARTHEST = 0.5
"""Maximum distance that a hand is dragged [m]."""
NEAR = 0.06
"""How near to the surface an operator takes a hand before he presses the button [m]: a hand's width."""
MAX_TIME = 60.0
"""Simulated time until a brace that was asked for counts as none [s]."""
SLOW = PageLimits(beat=300.0, frame=300.0)
"""Simulated time stands still while the page draws: it is there however slow it is."""


class PageSession:
    """A session in lockstep: page, device and the cycle of the host with a simulated robot, all but the link."""

    def __init__(self, config: SessionConfig) -> None:
        """Let the robot stand, and serve its page."""
        model, world = load_model(config.robot), load_world(config.world)
        self.surface = next((solid for solid in world.solids if solid.name == name_surface(world)), None)
        """What a hand may lean on."""
        self.left_hand = model.effector_of_hand("left") or 0
        """Number of the left hand's effector."""
        self._robot = make_robot(config.engine, model, world)
        self._state = self._robot.reset(find_start(config.world, model))
        self._cycle, self._surfaces = Cycle(model, self._state), list_surfaces(world)
        self._codec = operator_codec()
        self.page = Page(config, SLOW)
        self.page.load(config)
        self._console = BrowserConsole(self.page, config)
        self._samples = 0
        self.live()

    def live(self) -> None:
        """Let the robot live for a sample of the operator's."""
        raw = self._codec.encode(self._console.read(), Stamp(run=1, sequence=1, time=0.0))
        sample = self._codec.decode(raw).payload
        for _ in range(PERIODS_A_SAMPLE):
            command, self.last = self._cycle.step(sample, self._state, self._surfaces, PERIOD)
            self._robot.send(command)
            self._robot.advance(PERIOD)
            self._state = self._robot.read()
        self._console.show(self.last)
        self._samples += 1
        if self._samples % SAMPLES_A_PICTURE == 0:
            self.page.show(replace(self.last, measured_at=time.monotonic() + TIMELESS))

    def close(self) -> None:
        """End all of it."""
        self._console.close()
        self.page.close()
        self._robot.close()


def count_actions_to_brace(folder: str) -> tuple[Figure, dict[str, object]]:
    """Brace the left hand as the page says in the world that a session begins in; return the figure, and what was done.

    Raises:
        NoChromium: There is no browser.
    """
    config = SessionConfig(page_port=0, link_port=1, log_folder=folder, device="browser", world=BRACING_WORLD)
    with closing(PageSession(config)) as session, open_chromium() as browser:
        actions = ["./handhold run"]
        tab = new_page(browser)
        tab.goto(session.page.address)
        actions.append("open the address")
        wait_until(tab, session.live, lambda: tab.locator(DRAWN).count(), "the robot to be drawn")
        actions += _follow(session, tab)
        braced = session.last.left.contact is ContactState.LOADED
    figure = Figure("actions_to_brace", float(len(actions)) if braced else float("nan"), "-", must=MUST_ACTIONS)
    return figure, {"actions": actions}


BRACING_WORLD = "workshop"
"""The world that ``handhold run`` begins in."""


def _follow(session: PageSession, tab: Tab) -> list[str]:
    """Do what the first steps say until the hand is loaded; return the actions that it took."""
    steps = tab.locator(".hh-steps li").all_inner_texts()
    assert any("arrows" in words for words in steps), steps
    button = next(found[1] for words in steps if (found := re.search(r"press (.+?)\.", words)))
    done = [drag_to_surface(session, tab)]
    tab.get_by_role("button", name=f"{button}, left hand").click()
    done.append(f"press '{button}'")
    end = time.monotonic() + 300.0
    lived = 0.0
    while session.last.left.contact is not ContactState.LOADED and lived < MAX_TIME and time.monotonic() < end:
        session.live()
        lived += PERIOD * PERIODS_A_SAMPLE
    return done


class Pointer(Protocol):
    """What drags on a page: its mouse, or a finger."""

    def move(self, x: float, y: float) -> None:
        """Move to a point [CSS pixels]."""

    def down(self) -> None:
        """Press."""

    def up(self) -> None:
        """Release the hand."""


def drag_to_surface(session: PageSession, tab: Tab, pointer: Pointer | None = None) -> str:
    """Drag the arrow of the left hand that points forward the most until the hand is near what stands there."""
    pointer = pointer or tab.mouse
    size = tab.evaluate("[innerWidth, innerHeight]")
    (client,) = session.page.server.get_clients().values()
    pose = session.last.left.target.astype(float)
    axis = int(np.argmax(np.abs(pose[0, :3])))
    forward = pose[:3, axis] * np.sign(pose[0, axis])
    handle = pose[:3, 3] + HANDLE_OFFSET * pose[:3, axis]
    pointer.move(*project(client, handle, size))
    wait_frames(tab)
    pointer.down()
    wait_until(tab, session.live, lambda: session.last.left.engaged, "the hand to follow")
    moved = 0.0
    while moved < FARTHEST and measure_gap(session) > NEAR:
        moved += STEP
        pointer.move(*project(client, handle + moved * forward, size))
        for _ in range(8):
            session.live()
    pointer.up()
    wait_until(tab, session.live, lambda: not session.last.left.engaged, "the hand to be let go")
    return "drag the arrow of the left hand to the wall"


def measure_gap(session: PageSession) -> float:
    """Return how far the left hand is from what stands before the robot [m], as an operator sees it."""
    assert session.surface is not None
    return float(session.surface.position[0] - session.surface.half_size[0] - session.last.left.target[0, 3])
