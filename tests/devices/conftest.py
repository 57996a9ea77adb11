"""A real OpenXR runtime for the tests of the device."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from monado import Session, find_runtime_json, open_monado


@pytest.fixture(scope="session")
def runtime_json() -> Path:
    return find_runtime_json()


@pytest.fixture
def session(runtime_json: Path, tmp_path: Path) -> Iterator[Session]:
    with open_monado(runtime_json, tmp_path) as opened:
        yield opened


@pytest.fixture(scope="module")
def x_display() -> Iterator[str]:
    """The name of a display of an X server without a screen."""
    number, number_of_server = os.pipe()
    command = ["Xvfb", "-displayfd", str(number_of_server), "-screen", "0", "640x480x24", "-nolisten", "tcp"]
    with subprocess.Popen(command, pass_fds=[number_of_server], stderr=subprocess.DEVNULL) as server:
        os.close(number_of_server)
        with os.fdopen(number) as answer:
            display = f":{answer.readline().strip()}"
        yield display
        server.terminate()
