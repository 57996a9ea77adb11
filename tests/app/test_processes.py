"""What the supervisor makes of processes that end."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from stations import wait_until

from handhold.app.errors import AppError
from handhold.app.main import EXIT_CODES
from handhold.app.session import processes
from handhold.app.session.config import SessionConfig
from handhold.app.session.processes import ProcessSpec, Supervisor

pytestmark = pytest.mark.alone


def test_a_station_that_ends_in_order_ends_the_session_however_long_it_lived(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "PROVEN_AFTER", 0.0)  # [s]
    (tmp_path / "waiting.py").write_text("import time\ntime.sleep(600.0)\n")
    (tmp_path / "leaving.py").write_text("")
    found = {"PYTHONPATH": str(tmp_path)}
    said: list[str] = []
    table = (
        ProcessSpec(name="robot host", module="waiting", environment=found),
        ProcessSpec(name="station", module="leaving", restarted=True, environment=found),
    )
    assert Supervisor(SessionConfig(link_port=1, log_folder=""), said.append, table).run() == 0
    assert said == []


NO_SESSION = SessionConfig(link_port=1, log_folder="")


def supervise(folder: Path, config: SessionConfig = NO_SESSION, **programs: str) -> tuple[int, list[str]]:
    """Run a session of made-up processes, and return its exit code and what it said."""
    for name, program in programs.items():
        (folder / f"{name}.py").write_text(program)
    found = {"PYTHONPATH": str(folder)}
    said: list[str] = []
    table = (
        ProcessSpec(name="robot host", module="host", environment=found),
        ProcessSpec(name="station", module="station", restarted=True, environment=found),
    )
    return Supervisor(config, said.append, table).run(), said


@pytest.mark.parametrize("death", ["raise ValueError('no')", "import os; os.kill(os.getpid(), 9)"])
def test_a_station_that_dies_again_and_again_fails_the_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, death: str
) -> None:
    monkeypatch.setattr(processes, "MAX_PAUSE", 0.0)  # [s]
    code, said = supervise(tmp_path, host="import time\ntime.sleep(600.0)\n", station=death)
    assert code == EXIT_CODES[AppError]
    assert len(said) == processes.MAX_DEATHS + 1
    assert "the session ends" in said[-1]


@pytest.mark.parametrize(
    ("end", "code"), [("raise ValueError('no')", 8), ("import os; os.kill(os.getpid(), 9)", 8), ("exit(3)", 3)]
)
def test_a_host_that_dies_fails_the_session(tmp_path: Path, end: str, code: int) -> None:
    assert supervise(tmp_path, host=end, station="import time\ntime.sleep(600.0)\n")[0] == code


def test_a_station_that_is_started_again_takes_nothing_over(tmp_path: Path) -> None:
    told = tmp_path / "told"
    station = f"""
import json, pathlib, sys
told = pathlib.Path({str(told)!r})
before = told.read_text() if told.exists() else ""
told.write_text(before + str(json.load(sys.stdin)["take_over"]) + " ")
sys.exit(0 if before else 1)
"""
    config = SessionConfig(link_port=1, log_folder="", take_over=True)
    assert supervise(tmp_path, config, host="import time\ntime.sleep(600.0)\n", station=station)[0] == 0
    assert told.read_text().split() == ["True", "False"]


@pytest.mark.parametrize(
    ("robot", "asked", "camera"),
    [("talos", "auto", "sim"), ("anymal", "auto", "perfect"), ("talos", "perfect", "perfect"), ("talos", "none", "none")],
)
def test_a_session_sees_by_its_robots_cameras_unless_it_says_otherwise(robot: str, asked: str, camera: str) -> None:
    config = SessionConfig(link_port=1, log_folder="", robot=robot, camera=asked)
    assert processes.settle_camera(config).camera == camera


STOPPED = """
import pathlib, signal, sys, time
def end(_number, _frame):
    {end}
signal.signal(signal.SIGTERM, end)
pathlib.Path({ready!r}).touch()
time.sleep(600.0)
"""


@pytest.mark.parametrize(
    ("end", "code"), [("sys.exit(0)", 0), ("sys.exit(3)", 3), ("raise ValueError('no')", 8), ("import os; os.abort()", 8)]
)
def test_a_process_that_fails_while_it_is_stopped_fails_a_session_that_ctrl_c_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str, code: int
) -> None:
    ready = tmp_path / "ready"
    (tmp_path / "host.py").write_text(STOPPED.format(end=end, ready=str(ready)))

    def interrupt(_supervisor: Supervisor) -> int:
        assert wait_until(ready.exists)
        raise KeyboardInterrupt

    monkeypatch.setattr(Supervisor, "_watch", interrupt)
    kept = {number: signal.getsignal(number) for number in (signal.SIGHUP, signal.SIGTERM)}
    table = (ProcessSpec(name="robot host", module="host", environment={"PYTHONPATH": str(tmp_path)}),)
    try:
        assert processes.supervise(NO_SESSION, lambda _words: None, table) == code
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)


@pytest.mark.parametrize(("before", "ends"), [(signal.SIG_DFL, True), (signal.SIG_IGN, False)])
def test_a_closed_terminal_ends_a_session_unless_it_was_told_to_outlive_it(
    monkeypatch: pytest.MonkeyPatch, before: signal.Handlers, ends: bool
) -> None:
    kept = {number: signal.signal(number, before) for number in (signal.SIGHUP, signal.SIGTERM)}
    monkeypatch.setattr(processes.Supervisor, "run", lambda _self: signal.getsignal(signal.SIGHUP) is not before)
    try:
        assert processes.supervise(NO_SESSION, lambda _words: None) == ends
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)
