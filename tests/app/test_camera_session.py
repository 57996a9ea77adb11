"""A session whose robot sees: the camera's process, the link, the log."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from stations import PATIENCE

from handhold.app.logs.reader import LogReader
from handhold.app.logs.recording import CycleRecord
from handhold.app.main import run
from handhold.app.session.config import find_free_port

pytestmark = pytest.mark.alone


def test_a_session_sees_its_world_unless_it_is_told_otherwise_and_a_replay_sees_the_same(tmp_path: Path) -> None:
    port = find_free_port()
    words = ["handhold", "run", "--device", "browser", "--port", str(port), "--log", str(tmp_path)]
    process = subprocess.Popen(
        words, executable=Path(sys.executable).parent / "handhold", stdout=subprocess.PIPE, text=True, process_group=0
    )
    try:
        assert process.stdout is not None
        said = []
        for line in process.stdout:
            said.append(line)
            if announced := re.match(r"robot host: (\d+) surfaces? seen by its camera", line):
                break
        assert announced is not None
        assert any("simulated D455" in line for line in said)
        os.killpg(process.pid, signal.SIGINT)
        process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
        process.wait()
    (file,) = tmp_path.glob("*.mcap")
    seen = [record.surfaces for record in LogReader(file).entries() if isinstance(record, CycleRecord)]
    assert seen[0] == ()
    assert int(announced[1]) in {len(surfaces) for surfaces in seen}
    assert int(announced[1]) >= 1  # of the camera that was first; the others follow
    assert run(["replay", str(file)]) == 0


def test_a_camera_that_there_is_not_is_refused_before_anything_starts(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run", "--camera", "telescope"]) == 8
    assert "take one of" in capsys.readouterr().err
