"""The cap over all logs: what goes, and what never does."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from sessions import HEADER, record_session, recorded_file
from small_cycle import small_state

from handhold.app.logs import lock as log_lock
from handhold.app.logs.limits import LogLimits
from handhold.app.logs.lock import is_in_use, lock_for_writing
from handhold.app.logs.reader import LogReader
from handhold.app.logs.recording import Recorder
from handhold.app.logs.store import KEPT, CapUnusable, LogCap, find_left_log, list_logs, to_bytes
from handhold.app.main import run


def log(folder: Path, day: int, robot: str = "talos") -> Path:
    """Record a short session of a day of January."""
    return recorded_file(folder, 100, name=f"{robot}-202601{day:02}-120000")


def days(folder: Path) -> list[str]:
    return [entry.started[0][6:8] for entry in list_logs(folder)]


def test_the_oldest_logs_go_first_whatever_robot_they_are_of(tmp_path: Path) -> None:
    for day, robot in ((3, "anymal"), (1, "talos"), (2, "g1")):
        size = log(tmp_path, day, robot).stat().st_size
    LogCap(tmp_path, round(2.0 * size)).make_room(0)
    assert days(tmp_path) == ["03"]


def test_nothing_goes_while_there_is_room(tmp_path: Path) -> None:
    size = sum(log(tmp_path, day).stat().st_size for day in (1, 2))
    LogCap(tmp_path, 2 * size).make_room(0)
    assert days(tmp_path) == ["01", "02"]


def test_all_parts_of_a_log_go_together(tmp_path: Path) -> None:
    recorded_file(tmp_path, 1000, part_bytes=1 << 19, name="talos-20260101-120000")
    assert len(list(tmp_path.iterdir())) > 2
    LogCap(tmp_path, 0).make_room(0)
    assert list(tmp_path.iterdir()) == []


def test_what_is_foreign_half_written_renamed_linked_or_kept_stays(tmp_path: Path) -> None:
    kept = tmp_path / KEPT
    kept.mkdir()
    shutil.move(log(tmp_path, 1), kept)
    log(tmp_path, 2).rename(tmp_path / "a good day.mcap")
    (tmp_path / "talos-20260103-120000.mcap").write_bytes(b"\x89MCAP0\r\n" + bytes(1000))
    (tmp_path / "talos-20260104-120000.mcap").write_bytes(b"\x89MC")
    (tmp_path / "talos-20260105-120000.mcap").write_text("notes\n" * 1000)
    (tmp_path / "talos-20260106-120000.mcap").mkdir()
    (tmp_path / "talos-20260107-120000.mcap").symlink_to(tmp_path / "a good day.mcap")
    foreign = (tmp_path / "a good day.mcap").read_bytes().replace(b"handhold", b"somebody", 1)
    (tmp_path / "talos-20260108-120000.mcap").write_bytes(foreign)
    before = sorted(tmp_path.rglob("*"))
    log(tmp_path, 9)
    LogCap(tmp_path, 0).make_room(0)
    assert sorted(tmp_path.rglob("*")) == before


def test_the_log_that_is_written_stays_and_makes_room_as_it_grows(tmp_path: Path) -> None:
    old = [log(tmp_path, day) for day in (1, 2)]
    cap = 6 * old[0].stat().st_size
    recorder, _ = record_session(tmp_path, 100, name="talos-20260103-120000", cap_bytes=cap)
    assert all(file.exists() for file in old)
    _, records = record_session(tmp_path, 2000, name="source")
    for record in records:
        recorder.record(record)
    recorder.close(2.0, 100, {})
    assert recorder.file.exists()
    assert not recorder.failure
    assert not any(file.exists() for file in old)


def test_a_log_that_another_live_host_writes_stays_until_it_is_killed(tmp_path: Path) -> None:
    script = """
        import sys, time
        sys.path.insert(0, sys.argv[1])
        from pathlib import Path
        from sessions import record_session
        session = record_session(Path(sys.argv[2]), 100, name="talos-20260101-120000")
        print("recorded", flush=True)
        sys.stdin.read()
    """
    command = [sys.executable, "-c", textwrap.dedent(script), str(Path(__file__).parent), str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "recorded\n"
        LogCap(tmp_path, 0).make_room(0)
        assert days(tmp_path) == ["01"]
        assert find_left_log(tmp_path, "talos", "20260101-000000") is None
        other.kill()
        other.wait()
    left = find_left_log(tmp_path, "talos", "20260101-000000")
    assert left is not None
    assert left.name == "talos-20260101-120000.mcap"
    assert find_left_log(tmp_path, "talos", "20260102-000000") is None
    assert find_left_log(tmp_path, "g1", "20260101-000000") is None
    LogCap(tmp_path, 0).make_room(0)
    assert days(tmp_path) == []


def test_a_log_that_is_read_stays(tmp_path: Path) -> None:
    entries = LogReader(log(tmp_path, 1)).entries()
    next(entries)
    LogCap(tmp_path, 0).make_room(0)
    assert days(tmp_path) == ["01"]
    list(entries)
    LogCap(tmp_path, 0).make_room(0)
    assert days(tmp_path) == []


def test_room_is_made_before_a_log_is_begun(tmp_path: Path) -> None:
    log(tmp_path, 1)
    recorder = Recorder(tmp_path, "talos-20260102-120000", HEADER, small_state(0), LogLimits(cap_bytes=0))
    assert days(tmp_path) == ["02"]
    recorder.close(0.0, 0, {})


@pytest.mark.parametrize("cap", [float("nan"), float("inf"), -1.0])
def test_a_cap_that_is_no_size_is_refused(cap: float) -> None:
    with pytest.raises(CapUnusable, match="--log-cap"):
        to_bytes(cap)


def test_a_cap_that_is_no_size_is_one_clear_line_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run", "--log", str(tmp_path), "--log-cap", "nan"]) != 0
    (line,) = capsys.readouterr().err.splitlines()
    assert "--log-cap" in line
    assert list(tmp_path.iterdir()) == []


def test_a_writer_waits_while_somebody_asks_whether_its_file_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "log.mcap"
    file.touch()
    with file.open("rb") as other, file.open("rb") as asked:
        fcntl.flock(other, fcntl.LOCK_EX)
        monkeypatch.setattr(log_lock.time, "sleep", lambda _duration: fcntl.flock(other, fcntl.LOCK_UN))
        lock_for_writing(asked)
        assert is_in_use(file)
