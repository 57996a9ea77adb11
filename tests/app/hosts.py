"""The real robot host as a process of its own."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from stations import wait_until

from handhold.app.lab.safety.rig import robot_host
from handhold.app.link import StationLink
from handhold.app.session.config import SessionConfig
from handhold.render.snapshot import Snapshot

FRESH = 0.05
"""Age of a sample that has come just now [s]."""


class Watcher:
    """Looks at the robot through the link, as any viewer may."""

    def __init__(self, link: StationLink) -> None:
        self._link = link
        self.snapshot: Snapshot | None = None

    def look(self) -> Snapshot | None:
        """Return the newest snapshot."""
        self.snapshot = self._link.newest_snapshot() or self.snapshot
        return self.snapshot

    def wait_for(self, seconds: float) -> None:
        """Wait until the robot has gone on for a time of its own clock [s], which is never ahead of the host's."""
        begin = self.robot_time
        assert wait_until(lambda: self.robot_time >= begin + seconds)

    def wait_for_samples(self, seconds: float) -> None:
        """Wait until samples of the operator reach the robot again, and have done so for a time of its own clock [s]."""
        assert wait_until(self._is_heard)
        self.wait_for(seconds)

    def _is_heard(self) -> bool:
        snapshot = self.look()
        return snapshot is not None and snapshot.input_age < FRESH

    @property
    def robot_time(self) -> float:
        """Clock of the robot at the newest snapshot [s]."""
        snapshot = self.look()
        return -1.0 if snapshot is None else snapshot.time

    @property
    def engaged(self) -> bool:
        """Whether the right hand is engaged."""
        snapshot = self.look()
        return snapshot is not None and snapshot.right.engaged


@contextmanager
def host(config: SessionConfig) -> Iterator[Watcher]:
    """Run a robot host; its log is closed when the block ends."""
    with robot_host(config) as process, StationLink(config.link, time.monotonic) as link:
        watcher = Watcher(link)
        assert wait_until(lambda: watcher.look() is not None or process.poll() is not None)
        yield watcher
    assert process.returncode == 0


def log_of(config: SessionConfig) -> Path:
    """Return the one log that a session has left."""
    (file,) = Path(config.log_folder).glob("*.mcap")
    return file
