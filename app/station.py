"""The operator station: a device's samples go to the robot host, its snapshots to the page."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from dataclasses import replace

from handhold.app.console import Console, open_console
from handhold.app.link import StationLink
from handhold.app.page import Page
from handhold.app.priority import STATION_NICENESS, ask_for_priority
from handhold.app.process import Stop, run_process
from handhold.app.session import SessionConfig
from handhold.devices.errors import SessionEnded
from handhold.render.snapshot import Snapshot

SAMPLE_PERIOD = 1.0 / 90.0
"""Period of the samples of a device that does not pace itself [s]."""

SWITCH_INTERVAL = 1e-3
"""How long a thread of the page may hold up the samples [s]."""


class StationLoop:
    """Reads the device, sends, shows, again and again."""

    def __init__(self, console: Console, page: Page, link: StationLink, ready: Callable[[], None]) -> None:
        """Take the parts; ``ready`` is called with the first snapshot of the robot."""
        self._console = console
        self._page = page
        self._link = link
        self._ready = ready
        self._is_ready = False

    def run(self, stop: Callable[[], bool]) -> None:
        """Run until told to stop."""
        due = time.monotonic()
        while not stop():
            self._link.send(self._console.read())
            for pulse in self._link.pulses():
                self._console.pulse(pulse)
            snapshot = self._link.newest_snapshot()
            if snapshot is not None:
                self._show(self._add_link(snapshot))
            due = self._wait(due)

    def _wait(self, due: float) -> float:
        """Wait until the next sample is due, unless the device has waited for a frame of its own; return when that was."""
        now = time.monotonic()
        if self._console.paced:
            return now
        due = max(due + SAMPLE_PERIOD, now)
        time.sleep(due - now)
        return due

    def _add_link(self, snapshot: Snapshot) -> Snapshot:
        """Add to a snapshot what is known at this end: who drives, and what the operator can do about it."""
        messages = (*snapshot.messages, *self._link.describe())
        return replace(snapshot, messages=messages, switches=(*snapshot.switches, *self._link.offer()))

    def _show(self, snapshot: Snapshot) -> None:
        if not self._is_ready:
            self._is_ready = True
            self._ready()
        self._console.show(snapshot)
        self._page.show(snapshot)


def run_station(config: SessionConfig, stop: Stop, say: Callable[[str], None]) -> None:
    """Open page and device, then connect them with the robot until told to stop.

    Raises:
        AppError: The page's port is taken.
        DeviceError: The device asked for is not there.
    """
    ask_for_priority(STATION_NICENESS)
    page = Page(config)
    try:
        say("station: loading meshes")
        page.load(config)
        console = open_console(page, config, say)
        try:
            with _connect(config) as link:
                sys.setswitchinterval(SWITCH_INTERVAL)
                # Meshes and shaders stay: looking through them for garbage would cost a frame now and then.
                gc.collect()
                gc.freeze()
                loop = StationLoop(console, page, link, lambda: say(f"ready ({console.name}): open {page.address}"))
                _run_until_ended(loop, stop, say)
        finally:
            console.close()
    finally:
        page.close()


def _connect(config: SessionConfig) -> StationLink:
    return StationLink(config.link, time.monotonic, asks=not config.joins, takes_over=config.take_over)


def _run_until_ended(loop: StationLoop, stop: Stop, say: Callable[[str], None]) -> None:
    """Run until told to stop, or until the operator ends the session from within the device."""
    try:
        loop.run(stop.after(None, time.monotonic))
    except SessionEnded as ended:
        say(f"station: ended from the headset's menu ('{ended.runtime}')")


if __name__ == "__main__":
    run_process(run_station)
