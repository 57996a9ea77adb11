"""The tail of a log: memory that outlives the host that filled it."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from contextlib import suppress
from pathlib import Path

import pytest
from random_values import bits
from sessions import record_session
from stations import wait_until

from handhold.app.logs import tail as log_tail
from handhold.app.logs.reader import CycleRecord, End, Event, LogReader, LogTruncated
from handhold.app.logs.tail import MAX_LEFT_TAILS, LogTail, read_tail, remove_old_tails

ENTRY = bytes(1000)


def leave(tail: LogTail) -> None:
    """Let go of a tail as a kill does: the lock goes, the file stays."""
    tail._memory.close()
    tail._stream.close()


def numbers(tail: LogTail, after: int | None, folder: Path) -> list[int]:
    """Return the numbers that were told as host time."""
    return [int(host_time) for _, host_time, _ in read_tail(tail.name, after, folder)]


def read_left(log: Path) -> list[CycleRecord | Event | End]:
    """Return what can be read of a log that was not closed."""
    found = []
    with suppress(LogTruncated):
        for entry in LogReader(log).entries():
            found.append(entry)
    return found


def test_entries_come_back_in_order_until_the_first_that_is_missing(tmp_path: Path) -> None:
    tail = LogTail(1, 1, tmp_path)
    for number in (1, 2, 3, 5):
        tail.append(number, 4, float(number), bytes([number]) * number)
    leave(tail)
    assert list(read_tail(tail.name, 1, tmp_path)) == [(4, 2.0, b"\x02\x02"), (4, 3.0, b"\x03\x03\x03")]
    assert list(read_tail(tail.name, 5, tmp_path)) == []
    assert numbers(tail, None, tmp_path) == [1, 2, 3]


def test_a_tail_whose_entries_are_written_goes_on_for_ever(tmp_path: Path) -> None:
    tail = LogTail(1, 1, tmp_path)
    entries = 3 * 2 * log_tail.REGION_BYTES // len(ENTRY)
    for number in range(1, entries + 1):
        tail.append(number, 0, float(number), ENTRY)
        tail.written = max(0, number - 300)
    leave(tail)
    assert numbers(tail, entries - 300, tmp_path) == list(range(entries - 299, entries + 1))


def test_a_tail_that_was_full_recovers_once_its_entries_are_written(tmp_path: Path) -> None:
    tail = LogTail(1, 1, tmp_path)
    number = 0
    for _ in range(3 * log_tail.REGION_BYTES // len(ENTRY)):
        number += 1
        tail.append(number, 0, float(number), ENTRY)
    tail.written = number
    for _ in range(10):
        number += 1
        tail.append(number, 0, float(number), ENTRY)
    leave(tail)
    assert numbers(tail, number - 10, tmp_path) == list(range(number - 9, number + 1))


def test_the_tail_of_a_live_host_and_what_is_no_tail_are_left_alone(tmp_path: Path) -> None:
    tail = LogTail(1, 1, tmp_path)
    tail.append(1, 0, 1.0, ENTRY)
    assert numbers(tail, 0, tmp_path) == []
    (tmp_path / "handhold-2-2.tail").write_bytes(b"notes")
    assert list(read_tail("handhold-2-2.tail", 0, tmp_path)) == []
    assert list(read_tail("../handhold-1-1.tail", 0, tmp_path)) == []
    assert list(read_tail("", 0, tmp_path)) == []
    tail.close()
    assert [file.name for file in tmp_path.iterdir()] == ["handhold-2-2.tail"]


def test_of_left_tails_the_newest_stay_and_those_of_live_hosts(tmp_path: Path) -> None:
    live = LogTail(1, 0, tmp_path)
    for number in range(1, MAX_LEFT_TAILS + 3):
        tail = LogTail(1, number, tmp_path)
        leave(tail)
        os.utime(tmp_path / tail.name, (number, number))
    remove_old_tails(tmp_path)
    left = {file.name for file in tmp_path.iterdir()}
    assert left == {live.name, *(f"handhold-1-{number}.tail" for number in range(3, MAX_LEFT_TAILS + 3))}


def test_a_system_without_such_memory_records_without_a_tail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tail = LogTail(1, 1, tmp_path / "none")
    tail.append(1, 0, 1.0, ENTRY)
    tail.close()
    assert tail.name == ""

    def refuse(*_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", refuse)
    assert LogTail(1, 1, tmp_path).name == ""
    assert list(tmp_path.iterdir()) == []


def test_a_host_whose_writing_thread_never_ran_loses_nothing(tmp_path: Path) -> None:
    script = """
        import os, signal, sys
        sys.path.insert(0, sys.argv[1])
        from pathlib import Path
        from handhold.app.logs.recording import Recorder
        Recorder._write = lambda self: None
        from sessions import record_session
        recorder, _ = record_session(Path(sys.argv[2]), 400)
        recorder.event(0.4, "the last")
        os.kill(os.getpid(), signal.SIGKILL)
    """
    command = [sys.executable, "-c", textwrap.dedent(script), str(Path(__file__).parent), str(tmp_path)]
    subprocess.run(command, check=False, timeout=600.0)
    with pytest.raises(LogTruncated) as truncated:
        list(LogReader(tmp_path / "session.mcap").entries())
    assert truncated.value.cycles == 400


def test_cycles_of_file_and_tail_join_bit_for_bit_and_none_twice(tmp_path: Path) -> None:
    recorder, records = record_session(tmp_path, 300)
    recorder.event(0.3, "the last")
    assert wait_until(lambda: recorder._tail.written >= 200)
    leave(recorder._tail)
    found = read_left(recorder.file)
    assert [bits(entry) for entry in found[:-1]] == [bits(record) for record in records]
    assert isinstance(found[-1], Event)
    assert found[-1].text == "the last"
    (log_tail.TAIL_FOLDER / recorder._tail.name).unlink()
    recorder._tail.name = ""
    recorder.close(0.3, 300, {})
