"""``handhold run``: starts, says where to look, survives its station, stops clean."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hosts import host, log_of
from stations import PATIENCE, station, wait_until

from handhold.app.lab.benches.timing import REFERENCE_KERNEL, KernelClock
from handhold.app.lab.figures import Figure, Outcome
from handhold.app.logs.reader import End, LogReader
from handhold.app.logs.recording import CycleRecord
from handhold.app.main import run
from handhold.app.session.commit import current_commit
from handhold.app.session.config import SessionConfig, find_free_port

pytestmark = pytest.mark.alone

FIRST_COMMAND = 15.0
"""Time from a second start to the first command that the robot accepts [s], without what its processes waited for a core.

Where the kernel takes ``REFERENCE_KERNEL``; in proportion elsewhere."""

KERNELS_TIMED = 200
"""How often the kernel is timed before and after the start."""

TIME_UP_EARLY = 8
"""Exit code of a session whose time was over before its station had started."""


MARK = "HANDHOLD_TEST_LOG"
"""Variable by which a session's processes are found."""


def start(*words: str, log: Path) -> subprocess.Popen[str]:
    """Start ``handhold run`` as a shell would: in a process group of its own."""
    return subprocess.Popen(
        ["handhold", "run", "--log", str(log), *words],
        executable=Path(sys.executable).parent / "handhold",
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
        env={**os.environ, MARK: str(log)},
    )


@contextmanager
def running(*words: str, log: Path) -> Iterator[subprocess.Popen[str]]:
    """Run a session that is ready; whatever happens nothing of it stays."""
    process = start(*words, log=log)
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("ready"):
                break
        yield process
    finally:
        process.kill()
        process.wait()


def processes_of(log: Path) -> list[int]:
    """Return the processes of the session that writes its log to this folder."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                variables = (folder / "environ").read_bytes()
            except OSError:
                continue
            if f"{MARK}={log}".encode() in variables.split(b"\0"):
                found.append(int(folder.name))
    return found


def find_station(log: Path) -> int:
    """Return the number of a session's station process."""
    (number,) = (n for n in processes_of(log) if b"handhold.app.station.program" in Path(f"/proc/{n}/cmdline").read_bytes())
    return number


def is_complete(log: Path) -> bool:
    """Return whether a session has closed its log."""
    (file,) = log.glob("*.mcap")
    return isinstance(list(LogReader(file).entries())[-1], End)


def test_a_session_ends_by_itself_and_leaves_nothing_behind(tmp_path: Path) -> None:
    for duration in (3, 30, 300):
        port, log = find_free_port(), tmp_path / str(duration)
        process = start("--duration", str(duration), "--port", str(port), "--device", "browser", log=log)
        out, err = process.communicate(timeout=PATIENCE)
        if process.returncode != TIME_UP_EARLY:
            break
        assert "no station has connected within" in err
    assert process.returncode == 0, err
    assert re.search(rf"open http://127\.0\.0\.1:{port}/\?token=[0-9a-f]{{64}}$", out, re.MULTILINE)
    assert f"cycles in {duration:.1f} s" in out
    assert "over budget" in out
    assert err == ""
    assert processes_of(log) == []
    assert is_complete(log)


def test_a_session_whose_station_never_came_is_no_success(tmp_path: Path) -> None:
    config = SessionConfig(link_port=find_free_port(), log_folder=str(tmp_path), duration=0.1)
    words = [sys.executable, "-W", "ignore", "-m", "handhold.app.host.program"]
    told = msgspec.json.encode(config).decode()
    result = subprocess.run(words, input=told, capture_output=True, text=True, timeout=PATIENCE, check=False)
    (line,) = result.stderr.splitlines()
    assert result.returncode == TIME_UP_EARLY
    assert "no station has connected within the 0.1 s" in line
    assert "longer --duration" in line
    assert is_complete(tmp_path)


@pytest.mark.parametrize("duration", ["nan", "inf", "-1"])
def test_a_duration_that_is_none_is_refused(duration: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run", "--log", str(tmp_path / "log"), "--duration", duration]) == 2
    assert "--duration" in capsys.readouterr().err
    assert not (tmp_path / "log").exists()


def assert_interrupted_in_order(process: subprocess.Popen[str], number: signal.Signals, log: Path) -> None:
    """Interrupt a session as a terminal does with Ctrl-C, its whole group, and assert that it ends in order."""
    os.killpg(process.pid, number)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    assert "Hz" in out
    assert err == ""
    assert processes_of(log) == []
    assert is_complete(log)


def test_an_interrupt_stops_everything(tmp_path: Path) -> None:
    with running("--port", str(find_free_port()), "--device", "browser", log=tmp_path) as process:
        assert_interrupted_in_order(process, signal.SIGTERM, tmp_path)


def test_a_dead_station_is_started_again_while_the_robot_goes_on_until_it_is_interrupted(tmp_path: Path) -> None:
    with running("--port", str(find_free_port()), "--device", "browser", log=tmp_path) as process:
        first = find_station(tmp_path)
        os.kill(first, signal.SIGKILL)
        assert process.stdout is not None
        lines = iter(process.stdout)
        assert any("starting it again" in line for line in lines)
        assert any(line.startswith("ready") for line in lines)
        assert find_station(tmp_path) != first
        assert_interrupted_in_order(process, signal.SIGINT, tmp_path)


def test_nothing_survives_the_death_of_the_supervisor(tmp_path: Path) -> None:
    with running("--port", str(find_free_port()), "--device", "browser", log=tmp_path) as process:
        process.kill()
        process.wait()
        assert wait_until(lambda: processes_of(tmp_path) == [])
    assert is_complete(tmp_path)


def test_a_busy_port_is_one_clear_line(tmp_path: Path) -> None:
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        process = start("--port", str(port), log=tmp_path)
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode != 0
    (line,) = err.splitlines()
    assert str(port) in line
    assert "choose another port with --port" in line
    assert processes_of(tmp_path) == []


@pytest.mark.parametrize(
    ("words", "mend"),
    [
        (["--robot", "tallos"], "take one of"),
        (["--world", "moon"], "flat"),
        (["--engine", "ode"], "mujoco"),
        (["--device", "mouse"], "browser"),
        (["--suit", "moon"], "take none, headset"),
        (["--suit", "headset", "--device", "browser"], "connect one"),
        (["--play", "/nowhere/session.mcap"], "there is no log"),
    ],
)
def test_a_wrong_word_is_one_clear_line_at_once(
    words: list[str], mend: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = run(["run", "--log", str(tmp_path), *words])
    captured = capsys.readouterr()
    (line,) = captured.err.splitlines()
    assert code != 0
    assert captured.out == ""
    assert mend in line
    assert list(tmp_path.iterdir()) == []


def test_a_headset_that_is_asked_for_and_not_there_is_one_clear_line(tmp_path: Path) -> None:
    environment = {**os.environ, "XR_RUNTIME_JSON": str(tmp_path / "none.json")}
    words = ["handhold", "run", "--device", "openxr", "--port", str(find_free_port()), "--log", str(tmp_path)]
    result = subprocess.run(
        words,
        executable=Path(sys.executable).parent / "handhold",
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert result.returncode != 0
    (line,) = result.stderr.splitlines()
    assert "OpenXR" in line


@pytest.fixture(scope="module")
def reach(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The log of a session whose operator has reached for a second."""
    folder = tmp_path_factory.mktemp("reach")
    config = SessionConfig(link_port=find_free_port(), log_folder=str(folder))
    with host(config) as watcher, station(config.link, "scripted/1", -1.0, 0.5):
        assert wait_until(lambda: watcher.engaged)
        watcher.wait_for(1.0)
    return log_of(config)


def test_the_ground_of_the_simulated_world_is_known_and_recorded(reach: Path) -> None:
    first = next(entry for entry in LogReader(reach).entries() if isinstance(entry, CycleRecord))
    (floor,) = first.surfaces
    # As the robot has it, which estimates where it is: its level is known to some milliradians.
    assert np.abs(floor.pose[:3, 3]).max() < 0.01
    assert floor.pose[2, 2] > 0.9999


def test_a_recorded_session_is_replayed_bit_for_bit(reach: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["replay", str(reach)]) == 0
    assert "came back bit for bit" in capsys.readouterr().out


def read_wait(process: int) -> float:
    """Return how long the main thread of a process has waited for a core so far [s]; 0 for one that is gone."""
    try:
        return 1e-9 * int(Path(f"/proc/{process}/schedstat").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return 0.0


def follow_waits(session: subprocess.Popen[str], log: Path) -> list[tuple[float, float]]:
    """Follow a session to its end; return when one looked [s], and how long the one that waited most had waited [s]."""
    followed: list[tuple[float, float]] = []
    while session.poll() is None:
        followed.append((time.monotonic(), max((read_wait(process) for process in processes_of(log)), default=0.0)))
        time.sleep(0.25)
    return followed


def play_session(recorded: Path, folder: Path) -> tuple[float, float]:
    """Play a recorded operator; return the time from the start to the first command accepted, and what it waited [s]."""
    for duration in (8, 80, 300):
        log, began = folder / str(duration), time.monotonic()
        process = start("--play", str(recorded), "--port", str(find_free_port()), "--duration", str(duration), log=log)
        followed = follow_waits(process, log)
        _, err = process.communicate()
        assert process.returncode in (0, TIME_UP_EARLY), err
        (file,) = log.glob("*.mcap")
        records = (entry for entry in LogReader(file).entries() if isinstance(entry, CycleRecord))
        accepted = next((record.host_time for record in records if record.engaged[1]), None)
        if accepted is not None:
            return accepted - began, max((waited for moment, waited in followed if moment <= accepted), default=0.0)
    raise AssertionError("no command is accepted")


def time_kernel(clock: KernelClock) -> None:
    for _ in range(KERNELS_TIMED):
        clock.tick()


def test_a_second_start_accepts_a_command_in_time(
    reach: Path, tmp_path: Path, report_outcome: Callable[[Outcome], None]
) -> None:
    began = time.monotonic()
    clock = KernelClock()
    time_kernel(clock)
    taken, waited = play_session(reach, tmp_path)
    time_kernel(clock)
    taken_there = (taken - waited) * REFERENCE_KERNEL / clock.microseconds
    figure = Figure("first_command", taken_there, "s", must=FIRST_COMMAND)
    outcome = Outcome(
        name="second-start",
        robot="talos",
        engine="mujoco",
        seed=0,
        commit=current_commit(),
        duration_s=time.monotonic() - began,
        fell=None,
        figures=[figure, Figure("kernel", clock.microseconds, "us")],
    )
    report_outcome(outcome)
    assert figure.holds, outcome.to_json()
