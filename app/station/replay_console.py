"""A recorded operator as the operator's device."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from handhold.app.logs.reader import LogReader
from handhold.app.logs.recording import CycleRecord
from handhold.app.page.page import Page
from handhold.app.session.config import SessionConfig
from handhold.app.station.console import LogNeeded, TakeInput
from handhold.devices.device import HapticPulse
from handhold.devices.operator_input import OperatorInput
from handhold.devices.replay import ReplayDevice
from handhold.render.snapshot import Snapshot
from handhold.render.streams import CameraViews


class ReplayConsole:
    """The operator of a recorded session, played from the moment the robot is there."""

    name = "replay"
    description = "the operator of a recorded session"
    stop_control = "the stop bar of the page, or the space bar on it; Ctrl-C ends the replay"
    paced = False

    def __init__(self, _page: Page, config: SessionConfig) -> None:
        """Open the log.

        Raises:
            LogNeeded: No log is named.
            LogError: It cannot be used.
        """
        if config.played_log is None:
            raise LogNeeded
        self._device = ReplayDevice(_Samples(Path(config.played_log)), clock=time.monotonic)
        self._playing = False

    def read(self, _take_interim: TakeInput | None = None) -> OperatorInput:
        """Return the sample that is due."""
        if self._playing:
            return self._device.read()
        now = time.monotonic()
        return OperatorInput(time=now, device="replay waits", sequence=int(now * 1e3), focused=False)

    def show_views(self, _views: CameraViews) -> None:
        """Show nothing: the page does."""

    def show(self, _snapshot: Snapshot) -> None:
        """Start playing with the first snapshot."""
        if not self._playing:
            self._device.open()
            self._playing = True

    def pulse(self, _pulse: HapticPulse) -> None:
        """Send no pulse."""

    def close(self) -> None:
        """Stop playing."""
        self._device.close()


class _Samples(Iterable[OperatorInput]):
    """The samples of a log in the order in which they arrived."""

    def __init__(self, file: Path) -> None:
        LogReader(file)
        self._file = file

    def __iter__(self) -> Iterator[OperatorInput]:
        last: OperatorInput | None = None
        for entry in LogReader(self._file).entries():
            if isinstance(entry, CycleRecord) and entry.sample is not last and entry.sample.device:
                last = entry.sample
                yield last
