"""Starts the guard of a maker's robot for a command that drives it, outside of a session, and ends it after."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from handhold.app.errors import AppError
from handhold.app.session.config import UNITREE, SessionConfig, default_log_folder, find_free_port
from handhold.app.session.motors_file import motors_file
from handhold.app.session.processes import GUARD, STOP_TIME
from handhold.robots.unitree.guarded_link import GuardedLink
from handhold.robots.unitree.shared_motors import SharedMotors


class GuardEnded(AppError):
    """The guard of a robot has ended while the robot was driven."""

    def __init__(self) -> None:
        super().__init__("the robot's guard has ended: see above why; the robot is damped once it hears nothing any more")


@contextmanager
def guard_motors(robot: str, interface: str) -> Iterator[GuardedLink]:
    """Start the guard of a robot, and yield the way to its motors; with the guard ends what the robot is commanded.

    Args:
        robot: Its name, or the file of its description.
        interface: Network interface that leads to it.

    Raises:
        GuardEnded: The guard does not start, or does not stay.
        GuardSilent: It says nothing.
    """
    with motors_file(UNITREE) as shared:
        config = SessionConfig(
            robot=robot,
            body=UNITREE,
            interface=interface,
            motors_file=shared,
            link_port=find_free_port(),
            log_folder=str(default_log_folder()),
        )
        guard = GUARD.start(config)

        def sleep(duration: float) -> None:
            if guard.poll() is not None:
                raise GuardEnded
            time.sleep(duration)

        try:
            yield GuardedLink(interface, SharedMotors(Path(shared)), sleep=sleep)
        finally:
            _stop(guard)


def _stop(guard: subprocess.Popen[bytes]) -> None:
    guard.terminate()
    try:
        guard.wait(STOP_TIME)
    except subprocess.TimeoutExpired:
        guard.kill()
        guard.wait()
