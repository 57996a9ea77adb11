"""Whatever is in a file: it is read, or refused in one line by an error of its family, in bounded memory and time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
MAX_SIZE = 1500
"""Memory that no reader's process exceeds [MB]: what it imports takes 200 to 450."""

COUNTS = {"robot": 60, "urdf": 60, "world": 100, "keys": 100, "motion": 60, "log": 150, "replay": 15, "settings": 100}
COUNTS |= {"mvnx": 150, "bvh": 150, "joints": 150}
"""Files a reader in the suite; 5,300 in all were tried by hand, see ``file_fuzz``."""


@pytest.mark.parametrize("reader", COUNTS)
def test_a_mutated_file_is_read_or_refused_in_one_line(reader: str) -> None:
    found = os.pathsep.join((str(TESTS), str(TESTS / "app"), os.environ.get("PYTHONPATH", "")))
    result = subprocess.run(
        [sys.executable, "-W", "ignore", str(TESTS / "file_fuzz.py"), reader, "0", str(COUNTS[reader])],
        env={**os.environ, "PYTHONPATH": found, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr[-2000:]
    outcome = json.loads(result.stdout)
    assert outcome["failures"] == []
    assert outcome["read"] + outcome["refused"] == COUNTS[reader]
    assert outcome["refused"] > 0
    assert outcome["peak_mb"] < MAX_SIZE
