"""What is left, and what is said, when the robot host dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from sessions import DT, record_session, recorded_file
from stations import PATIENCE
from test_run import processes_of, running

from handhold.app.host.program import describe_fault
from handhold.app.lab.safety.log_kills import LogBroken, kill_logs, read_without_cycles
from handhold.app.logs.reader import CycleRecord, End, Event, LogReader
from handhold.app.main import run
from handhold.app.session.config import SessionConfig, find_free_port
from handhold.app.session.lost_host import describe_lost_host, find_last_mode
from handhold.app.session.processes import SESSION_FAILED

pytestmark = pytest.mark.alone

MAX_LOG_LOST = 0.1
"""What a log may lose to a kill [s]."""


def test_a_kill_at_any_moment_loses_at_most_a_tenth_of_a_second_beside_a_busy_disk(tmp_path: Path) -> None:
    killed = kill_logs(10, 16, tmp_path, busy_disk=True)
    assert len(killed.losses) == 10
    assert killed.worst <= MAX_LOG_LOST
    assert list(tmp_path.iterdir()) == []


def test_the_log_of_a_host_killed_before_its_first_cycle_has_none_and_says_that_it_was_cut_off(tmp_path: Path) -> None:
    read_without_cycles(tmp_path / "never-made.mcap")
    recorded = recorded_file(tmp_path)
    with pytest.raises(LogBroken, match="a host that had not begun any"):
        read_without_cycles(recorded)


def test_a_killed_host_is_told_with_what_ran_and_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with running("--port", str(find_free_port()), "--device", "browser", log=tmp_path) as process:
        (host,) = (
            n for n in processes_of(tmp_path) if b"handhold.app.host.program" in Path(f"/proc/{n}/cmdline").read_bytes()
        )
        os.kill(host, signal.SIGKILL)
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == SESSION_FAILED
    assert err == ""
    (file,) = tmp_path.glob("*.mcap")
    lines = [line for line in out.splitlines() if line.startswith("robot host:")]
    assert lines[-3] == "robot host: died (signal 9); the session ends"
    assert "it ran talos in mujoco, world workshop, mode bracing; the simulated robot is gone with it" in lines[-2]
    assert f"'handhold replay {file} --incomplete' computes it again" in lines[-1]
    assert run(["replay", str(file), "--incomplete"]) == 0
    assert "came back bit for bit" in capsys.readouterr().out


def test_a_cycle_that_raises_leaves_a_closed_log_that_names_the_fault(tmp_path: Path) -> None:
    script = """
        from handhold.app.host import program as host
        whole = host.ControlLoop._run_cycle
        def fail(self, now):
            if self._cycles == 300:
                raise RuntimeError("made up")
            whole(self, now)
        host.ControlLoop._run_cycle = fail
        host.run_process(host.run_host)
    """
    config = msgspec.json.encode(SessionConfig(link_port=find_free_port(), log_folder=str(tmp_path))).decode()
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(script)],
        input=config,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    (file,) = tmp_path.glob("*.mcap")
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1] == "RuntimeError: made up"
    assert f"its log is closed: {file}" in result.stdout
    entries = list(LogReader(file).entries())
    assert sum(isinstance(entry, CycleRecord) for entry in entries) == 300
    fault = "cycle 300 raised RuntimeError: made up"
    assert any(isinstance(entry, Event) and entry.text.startswith(fault) for entry in entries)
    assert isinstance(entries[-1], End)
    assert entries[-1].report["fault"].startswith(fault)
    assert run(["replay", str(file)]) == 0
    ran, left = describe_lost_host(SessionConfig(link_port=1, log_folder=str(tmp_path)), "20000101-000000")
    assert "mode bracing" in ran
    assert "its log is closed: 'handhold replay" in left


def test_a_fault_is_told_in_one_line_with_its_place() -> None:
    try:
        raise ValueError("two\nlines")
    except ValueError as error:
        words = describe_fault(7, error)
    assert words.startswith("cycle 7 raised ValueError: two lines (test_host_loss.py, line ")


def test_a_host_that_left_no_log_leaves_nothing_to_say(tmp_path: Path) -> None:
    assert describe_lost_host(SessionConfig(link_port=1, log_folder=str(tmp_path / "none")), "20000101-000000") == ()


def test_the_last_mode_is_found_in_whichever_part_it_was_begun(tmp_path: Path) -> None:
    recorder, records = record_session(tmp_path, 100, part_bytes=1 << 18)
    recorder.event(0.1, "begin in mode bracing")
    recorder.event(0.1, "mode walking")
    recorder.event(0.1, "message: mode motions is far")
    for number, record in enumerate(records * 9):
        recorder.record(replace(record, host_time=0.1 + number * DT))
    recorder.close(1.0, recorder.cycles, {})
    parts = sorted(tmp_path.iterdir(), key=lambda file: (len(file.name), file.name))
    assert len(parts) > 2
    assert find_last_mode(parts) == "walking"


def test_a_damaged_log_does_not_keep_what_else_is_known_from_being_said(tmp_path: Path) -> None:
    recorder, _ = record_session(tmp_path, 100, name="talos-20260101-120000")
    recorder.event(0.1, "mode walking")
    recorder.close(0.1, 100, {})
    data = bytearray(recorder.file.read_bytes())
    data[len(data) // 4 :: 97] = bytes(len(data[len(data) // 4 :: 97]))
    recorder.file.write_bytes(data)
    ran, left = describe_lost_host(SessionConfig(link_port=1, log_folder=str(tmp_path)), "20000101-000000")
    assert "it ran talos" in ran
    assert str(recorder.file) in left


def test_a_log_that_ended_before_its_host_did_says_how_long_before(tmp_path: Path) -> None:
    file = recorded_file(tmp_path, 50, name="talos-20260101-120000")
    file.write_bytes(file.read_bytes()[:-100])
    config = SessionConfig(link_port=1, log_folder=str(tmp_path))
    written = file.stat().st_mtime
    for later, words in ((0.1, "its log ends within 0.1 s of it"), (600.0, "recording had ended 600 s before")):
        lines = describe_lost_host(config, "20250101-000000", lambda later=later: written + later)
        assert words in lines[-1]
