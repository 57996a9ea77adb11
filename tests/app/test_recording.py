"""Recording: what was written comes back bit for bit; what a crash leaves can be read."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from random_values import bits
from sessions import DT, HEADER, record_session, recorded_file
from small_cycle import small_state

from handhold.app.lab.benches.timing import KernelClock
from handhold.app.logs.output import RecordingError
from handhold.app.logs.reader import End, Event, LogError, LogReader, LogTruncated
from handhold.app.logs.recording import CycleRecord, Recorder

MAX_LOST = 100
"""Cycles of 1 ms in the 0.1 s that a crash may lose."""

SLACK = 5
"""Cycles by which the share of a log's bytes and of its cycles differ: its head and its index take bytes too."""

MAX_RECORD_KERNELS = 0.5
"""CPU time that recording may cost a cycle [kernels]: 30 us of 1 ms where the kernel takes 60 us."""


def read(file: Path) -> list[CycleRecord]:
    return [entry for entry in LogReader(file).entries() if isinstance(entry, CycleRecord)]


def test_every_cycle_comes_back_bit_for_bit(tmp_path: Path) -> None:
    recorder, records = record_session(tmp_path, 500)
    recorder.close(0.5, 500, {"rate": 1000.0})
    log = LogReader(recorder.file)
    entries = list(log.entries())
    assert log.header == HEADER
    assert bits(log.start) == bits(small_state(0))
    assert [bits(entry) for entry in entries[:-1]] == [bits(record) for record in records]
    assert entries[-1] == End(500, {"rate": 1000.0})


def test_a_sample_is_written_once_however_long_it_lasts(tmp_path: Path) -> None:
    records = read(recorded_file(tmp_path))
    assert len({id(record.sample) for record in records}) == -(-500 // 11)
    assert records[10].sample is records[0].sample
    assert records[10].age == pytest.approx(0.010)


def test_events_come_back_in_their_place(tmp_path: Path) -> None:
    recorder, _ = record_session(tmp_path, 10)
    recorder.event(0.25, "station lost")
    recorder.close(0.3, 10, {})
    assert Event(0.25, "station lost") in list(LogReader(recorder.file).entries())


def test_an_existing_log_is_not_written_over(tmp_path: Path) -> None:
    first, second = recorded_file(tmp_path, 20), recorded_file(tmp_path, 30)
    assert first != second
    assert len(read(first)) == 20
    assert len(read(second)) == 30


def test_a_long_session_goes_on_in_further_files(tmp_path: Path) -> None:
    file = recorded_file(tmp_path, 1000, part_bytes=1 << 19)
    parts = list(tmp_path.iterdir())
    assert len(parts) > 2
    assert max(part.stat().st_size for part in parts) < 2 << 19
    assert [record.cycle for record in read(file)] == list(range(1000))


def test_a_log_is_finite(tmp_path: Path) -> None:
    recorder, _ = record_session(tmp_path, 1000, part_bytes=1 << 19, max_parts=2)
    recorder.close(1.0, 1000, {})
    assert "are full" in recorder.failure
    with pytest.raises(LogTruncated):
        read(recorder.file)


def test_a_full_disk_ends_the_recording_and_nothing_else(tmp_path: Path) -> None:
    script = """
        import resource, signal, sys
        sys.path.insert(0, sys.argv[1])
        from pathlib import Path
        from sessions import record_session
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
        recorder, records = record_session(Path(sys.argv[2]), 1000)
        recorder.close(1.0, 1000, {})
        print(len(records), recorder.failure)
    """
    result = run_script(script, tmp_path)
    assert result.stdout.startswith("1000 recording has ended: File too large")
    with pytest.raises(LogTruncated) as truncated:
        read(tmp_path / "session.mcap")
    assert truncated.value.cycles >= 100


def test_a_record_that_does_not_fit_ends_the_recording_and_nothing_else(tmp_path: Path) -> None:
    recorder, records = record_session(tmp_path, 200)
    whole = replace(records[-1].robot_state, q=np.arange(37))
    recorder.record(replace(records[-1], robot_state=whole))
    assert "changed its type" in recorder.failure
    recorder.record(records[-1])
    recorder.close(0.2, 200, {})
    with pytest.raises(LogTruncated):
        read(recorder.file)


def test_a_crash_loses_no_more_than_the_last_tenth_of_a_second(tmp_path: Path) -> None:
    script = """
        import os, signal, sys, time
        sys.path.insert(0, sys.argv[1])
        from pathlib import Path
        from sessions import record_session
        record_session(Path(sys.argv[2]), 950)
        time.sleep(0.5)
        os.kill(os.getpid(), signal.SIGKILL)
    """
    run_script(script, tmp_path)
    log = LogReader(tmp_path / "session.mcap")
    with pytest.raises(LogTruncated) as truncated:
        list(log.entries())
    assert 950 - MAX_LOST - 1 <= truncated.value.cycles <= 950


def run_script(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", textwrap.dedent(script), str(Path(__file__).parent), str(folder)]
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=600.0)


@pytest.mark.parametrize("part", np.linspace(0.05, 0.98, 12))
def test_a_truncated_log_is_read_up_to_its_truncation(tmp_path: Path, part: float) -> None:
    file = recorded_file(tmp_path)
    data = file.read_bytes()
    file.write_bytes(data[: int(part * len(data))])
    with pytest.raises(LogTruncated) as truncated:
        read(file)
    assert part * 500 - MAX_LOST - SLACK <= truncated.value.cycles <= part * 500 + SLACK
    assert "\n" not in str(truncated.value)
    assert f"{truncated.value.cycles} cycles could be read" in str(truncated.value)


@pytest.mark.parametrize("seed", range(10))
def test_a_damaged_log_is_read_or_refused(tmp_path: Path, seed: int) -> None:
    file = recorded_file(tmp_path)
    data = bytearray(file.read_bytes())
    random = np.random.default_rng(seed)
    for place in random.integers(0, len(data), 3):
        data[place] ^= int(random.integers(1, 256))
    file.write_bytes(data)
    with suppress(LogError):
        read(file)


@pytest.mark.parametrize("content", [b"", b"no log", bytes(10_000)])
def test_what_is_no_log_is_one_clear_line(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "notes.mcap"
    file.write_bytes(content)
    with pytest.raises(LogError, match="is no log of Handhold"):
        LogReader(file)


def test_a_log_that_is_not_there_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="there is no log"):
        LogReader(tmp_path / "session.mcap")


def test_a_folder_that_cannot_be_made_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("a file", encoding="ascii")
    with pytest.raises(RecordingError, match="choose another folder with --log"):
        Recorder(tmp_path / "logs", "session", HEADER, small_state(0))


def test_recording_costs_the_cycle_little(tmp_path: Path) -> None:
    _, records = record_session(tmp_path, 200)
    recorder = Recorder(tmp_path, "timed", HEADER, small_state(0))
    kernel, costs = KernelClock(), []
    for number, record in enumerate(records * 10):
        if number % 10 == 0:
            kernel.tick()
        before = time.thread_time()
        recorder.record(record)
        costs.append(time.thread_time() - before)
    recorder.close(2000 * DT, 2000, {})
    assert 1e6 * np.median(costs) < MAX_RECORD_KERNELS * kernel.microseconds
