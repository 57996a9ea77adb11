"""Options and fixtures of all tests."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from handhold.app.lab.figures import Outcome

# No test fails for being slow: the first example compiles, and the cores are shared.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

# A shell lets what it starts in the background ignore Ctrl-C, and so would every session that a test starts and interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--repeats", type=int, default=3, help="How often tests that repeat an accident do so (default 3).")
    parser.addoption("--busy", action="store_true", help="Keep every core busy with another process meanwhile.")
    parser.addoption("--long", action="store_true", help="Run what takes minutes as well; the acceptance does.")
    parser.addoption("--operators", default="keys", help="Who plays the session on the page: of keys, mouse, touch.")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what takes minutes, unless it is asked for."""
    if config.getoption("--long"):
        return
    long = [item for item in items if item.get_closest_marker("long")]
    if long:
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if item not in long]


@pytest.fixture(scope="session")
def operators(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """Who plays the session on the page."""
    return tuple(str(request.config.getoption("--operators")).split(","))


@contextlib.contextmanager
def _busy_cores() -> Iterator[None]:
    """Keep every core busy with a process of ordinary priority."""
    command = [sys.executable, "-c", "while True: pass"]
    processes = [subprocess.Popen(command) for _ in range(os.cpu_count() or 1)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


@pytest.fixture
def busy(request: pytest.FixtureRequest) -> Iterator[None]:
    """Keep every core busy meanwhile, where that is asked for."""
    with _busy_cores() if request.config.getoption("--busy") else contextlib.nullcontext():
        yield


@pytest.fixture
def repeats(request: pytest.FixtureRequest) -> int:
    """How often a test that repeats an accident should do so."""
    return int(request.config.getoption("--repeats"))


@pytest.fixture(scope="session")
def report_outcome() -> Callable[[Outcome], None]:
    """Write an outcome as JSON to the file that HANDHOLD_RESULTS names, where it does (`./handhold acceptance`)."""

    def report(outcome: Outcome) -> None:
        file = os.environ.get("HANDHOLD_RESULTS")
        if file:
            Path(file).write_text(json.dumps(outcome.to_json(), allow_nan=False), encoding="utf-8")

    return report


@pytest.fixture(scope="session")
def runtime_json() -> Path:
    from monado import find_runtime_json  # found on pytest's path, which a run of made-up tests has not

    return find_runtime_json()


@pytest.fixture(scope="session")
def service_json() -> Path:
    """A runtime in a process of its own."""
    from monado import find_service_json

    return find_service_json()


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
