"""The page in the browser, which shows the robot whatever the operator's device."""

from __future__ import annotations

import math
import threading
import time
from dataclasses import replace
from functools import partial

from handhold.app.link.seal import derive
from handhold.app.page.facts import gather_facts
from handhold.app.page.server import make_server, stop_server
from handhold.app.session.config import SessionConfig
from handhold.app.session.session_choice import SessionChoice, list_choices
from handhold.devices.browser.page_server import Action
from handhold.devices.browser.pages import PageLimits
from handhold.devices.browser.stop import StopControls
from handhold.render.browser.view import BrowserView
from handhold.render.snapshot import Snapshot
from handhold.render.streams import NO_VIEWS, CameraViews
from handhold.robots.model import load_model
from handhold.robots.worlds import load_world

VIEW_PERIOD = 1.0 / 30.0
"""Least period at which the page is told of the robot [s]."""

SILENT_PERIOD = 0.1
"""Period at which it is told how old everything is while no snapshot comes [s]."""


class Page:
    """Shows the newest snapshot and how old it is, in a thread of its own: an update takes 6 to 14 ms, too long for a sample.

    While no snapshot comes it goes on telling how old the last one is, so that a silent host is no robot that stands still.
    """

    def __init__(self, config: SessionConfig, limits: PageLimits | None = None) -> None:
        """Serve the page; it is empty until ``load``.

        Args:
            config: The session.
            limits: From when on a page does not count as alive.

        Raises:
            PortBusy: The port is taken.
        """
        key = derive(config.link_key, "page")
        facts = gather_facts(config)
        self.server = make_server(port=config.page_port, key=key, limits=limits, facts=facts)
        self.stop = StopControls(self.server.actions, resumes=False)
        """The stop of a page that only watches; the browser's device, which drives, puts its own in its place."""
        self.chosen: SessionChoice | None = None
        """The session that the operator has chosen instead of this one."""
        if config.choice_pipe is not None:
            for choice in list_choices():
                self.server.actions.add(choice.action, Action(take=partial(self._choose, choice)))
        self.server.notify("session", {"id": facts.session, "choice": config.choice_pipe is not None})
        self.address = self.server.address
        self._newest: Snapshot | None = None
        self._views = NO_VIEWS
        self._woken = threading.Event()
        self._closed = False
        self._failure: Exception | None = None
        self._thread: threading.Thread | None = None

    def load(self, config: SessionConfig) -> None:
        """Load the robot's meshes and put robot and world on the page.

        Raises:
            RobotError: Robot or world cannot be had.
        """
        self._publish_progress("Loading the robot", 0.1)
        model, world = load_model(config.robot), load_world(config.world)
        view = BrowserView(
            self.server,
            model,
            world,
            progress=lambda what, ratio: self._publish_progress(f"Loading {what}", 0.1 + 0.8 * ratio),
        )
        self._publish_progress("Waiting for the robot to stand", 0.95)
        self._thread = threading.Thread(target=self._follow, args=(view,), name="page", daemon=True)
        self._thread.start()

    def show(self, snapshot: Snapshot) -> None:
        """Let the page show a snapshot, unless a newer one comes first; what failed in showing the last is raised here."""
        if self._failure is not None:
            raise self._failure
        self.stop.notify(snapshot.stop)
        has_time = math.isfinite(snapshot.measured_at)
        self._newest = snapshot if has_time else replace(snapshot, measured_at=time.monotonic())
        self._woken.set()

    def show_views(self, views: CameraViews) -> None:
        """Let the page show what the robot's cameras see."""
        self._views = views

    def close(self) -> None:
        """Stop serving."""
        self._closed = True
        self._woken.set()
        if self._thread is not None:
            self._thread.join()
        stop_server(self.server)

    def _choose(self, choice: SessionChoice, _page: int) -> None:
        self.chosen = choice

    def _publish_progress(self, words: str, ratio: float) -> None:
        self.server.notify("progress", {"words": words, "share": ratio})

    def _follow(self, view: BrowserView) -> None:
        try:
            while not self._closed:
                self._woken.wait(SILENT_PERIOD)
                self._woken.clear()
                if self._newest is not None:
                    _show(view, self._newest, self._views)
                    time.sleep(VIEW_PERIOD)
        except Exception as error:
            self._failure = error


def _show(view: BrowserView, snapshot: Snapshot, views: CameraViews) -> None:
    now = time.monotonic()
    view.show(snapshot, views.to_streams(max(0.0, now - snapshot.measured_at), now))
