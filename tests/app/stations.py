"""Stations as processes of their own, for the tests that kill and freeze them."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from handhold.app.link import LinkConfig

STATION = Path(__file__).parent / "scripted_station.py"

KEY = "HANDHOLD_TEST_KEY"
"""Variable that hands a test's process the key of its link."""

PATIENCE = 300.0
"""What anything may take before it counts as hanging [s]; a station's process takes 1 to 2 s to import and connect."""


def free_port() -> int:
    """Return a TCP port that nothing uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until(condition: Callable[[], bool], timeout: float = PATIENCE) -> bool:
    """Wait for an event; only what hangs makes the answer False."""
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.005)
    return condition()


@contextmanager
def station(config: LinkConfig, device: str = "scripted/1", *squeezes: float) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, str(STATION), config.robot, str(config.port), device, *map(str, squeezes)],
        env={**os.environ, KEY: config.key.hex()},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
