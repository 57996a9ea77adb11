"""The operator station: a device's samples go to the robot host, its snapshots to the page."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import replace

from handhold.app.link import StationLink
from handhold.app.link.view_link import ViewLink
from handhold.app.page.page import Page
from handhold.app.session.config import SessionConfig
from handhold.app.session.priority import STATION_NICENESS, ask_for_priority
from handhold.app.session.process import Stop, run_process
from handhold.app.session.session_choice import CHOSEN, send_choice
from handhold.app.station.console import Console, open_console
from handhold.app.station.worn_suit import WornSuit, check_wearer, make_suit
from handhold.devices.errors import SessionEnded
from handhold.devices.operator_input import OperatorInput
from handhold.devices.stop import choose_stop
from handhold.render.snapshot import Snapshot

SAMPLE_PERIOD = 1.0 / 90.0
"""Period of the samples of a device that does not pace itself [s]."""

SWITCH_INTERVAL = 1e-3
"""How long a thread of the page may hold up the samples [s]."""


class StationLoop:
    """Reads the device, sends, shows, again and again."""

    def __init__(
        self,
        console: Console,
        page: Page,
        link: StationLink,
        ready: Callable[[], None],
        views: ViewLink | None = None,
        suit: WornSuit | None = None,
    ) -> None:
        """Take the parts.

        Args:
            console: The device.
            page: The page.
            link: To the robot.
            ready: Called with the first snapshot of the robot.
            views: To its cameras; None where it has none.
            suit: What the operator wears besides; None for nothing, or what a recording has of it.
        """
        self._suit = suit
        self._views, self._seen = views, None if views is None else views.newest()
        self._console = console
        self._page = page
        self._link = link
        self._ready = ready
        self._is_ready = False

    def run(self, stop: Callable[[], bool]) -> None:
        """Run until a stop is requested."""
        due = time.monotonic()
        while not stop():
            self._send(self._console.read(self._send))
            for pulse in self._link.pulses():
                self._console.pulse(pulse)
            snapshot = self._link.newest_snapshot()
            if snapshot is not None:
                self._show(self._add_link(snapshot))
            self._show_views()
            due = self._wait(due)

    def _send(self, sample: OperatorInput) -> None:
        """Send a sample of the device with what the page's stop asks for and what the suit tells, whatever the device."""
        stop = choose_stop(sample.stop, self._page.stop.read(time.monotonic()))
        sample = sample if stop is sample.stop else replace(sample, stop=stop)
        self._link.send(sample if self._suit is None else replace(sample, human=self._suit.read()))

    def _wait(self, due: float) -> float:
        """Wait until the next sample is due, unless the device has waited for a frame of its own; return when that was."""
        now = time.monotonic()
        if self._console.paced:
            return now
        due = max(due + SAMPLE_PERIOD, now)
        time.sleep(due - now)
        return due

    def _add_link(self, snapshot: Snapshot) -> Snapshot:
        """Add to a snapshot what is known at this end: who drives, what the operator can do about it, why no picture comes."""
        camera = () if self._views is None or not self._views.message else (f"camera: {self._views.message}",)
        suit = () if self._suit is None or not self._suit.message else (self._suit.message,)
        messages = (*snapshot.messages, *self._link.describe(), *camera, *suit)
        report = replace(snapshot.report, toggles=(*snapshot.report.toggles, *self._link.offer()))
        return replace(snapshot, messages=messages, report=report)

    def _show(self, snapshot: Snapshot) -> None:
        if not self._is_ready:
            self._is_ready = True
            self._ready()
        self._console.show(snapshot)
        self._page.show(snapshot)

    def _show_views(self) -> None:
        """Show what the robot's cameras see, once for all that has come."""
        views = None if self._views is None else self._views.newest()
        if views is not None and views is not self._seen:
            self._seen = views
            self._console.show_views(views)
            self._page.show_views(views)


def run_station(config: SessionConfig, stop: Stop, say: Callable[[str], None]) -> None:
    """Open page and device, then connect them with the robot until a stop is requested.

    Raises:
        AppError: The page's port is taken, or nobody can wear the headset that is to be the suit.
        DeviceError: The device asked for is not there.
    """
    ask_for_priority(STATION_NICENESS)
    page = Page(config)
    try:
        page.load(config)
        console = open_console(page, config, say)
        try:
            check_wearer(config.suit, console.name)
            with _connect(config) as link, _look(config) as views, _wear(config) as suit:
                sys.setswitchinterval(SWITCH_INTERVAL)
                # Meshes and shaders stay: looking through them for garbage would cost a frame now and then.
                gc.collect()
                gc.freeze()
                loop = StationLoop(console, page, link, lambda: say_ready(console, page.address, say), views, suit)
                _run_until_ended(loop, stop, page, say)
        finally:
            console.close()
    finally:
        page.close()
    if page.chosen is not None and config.choice_pipe is not None:
        send_choice(config.choice_pipe, page.chosen)
        raise SystemExit(CHOSEN)


def say_ready(console: Console, address: str, say: Callable[[str], None]) -> None:
    """Tell people all that they need: where the page is, what drives, what stops, and how to end."""
    say(f"ready ({console.name}): open {address}")
    say(f"  drive with  {console.description}")
    say(f"  stop with   {console.stop_control} (software: it is no emergency stop)")
    say("  end with    Ctrl-C in this terminal")


def _connect(config: SessionConfig) -> StationLink:
    return StationLink(config.link, time.monotonic, asks=not config.joins, takes_over=config.take_over)


def _look(config: SessionConfig) -> AbstractContextManager[ViewLink | None]:
    return nullcontext() if config.view_link is None else closing(ViewLink(config.view_link, time.monotonic))


def _wear(config: SessionConfig) -> AbstractContextManager[WornSuit | None]:
    """Open the operator's suit.

    Raises:
        DeviceError: It cannot be had.
    """
    suit = make_suit(config.suit, time.monotonic)
    if suit is None:
        return nullcontext()
    worn = WornSuit(suit, time.monotonic)
    worn.open()
    return closing(worn)


def _run_until_ended(loop: StationLoop, stop: Stop, page: Page, say: Callable[[str], None]) -> None:
    """Run until a stop is requested, or until the operator ends the session from within the device."""
    must_stop = stop.after(None, time.monotonic)
    try:
        loop.run(lambda: must_stop() or page.chosen is not None)
    except SessionEnded as ended:
        say(f"station: ended from the headset's menu ('{ended.runtime}')")


if __name__ == "__main__":
    run_process(run_station)
