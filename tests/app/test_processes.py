"""What the supervisor makes of processes that end."""

from __future__ import annotations

from pathlib import Path

import pytest

from handhold.app import processes
from handhold.app.processes import ProcessSpec, Supervisor
from handhold.app.session import SessionConfig

pytestmark = pytest.mark.alone


def test_a_station_that_ends_in_order_ends_the_session_however_long_it_lived(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "PROVEN_AFTER", 0.0)  # [s]
    (tmp_path / "waiting.py").write_text("import time\ntime.sleep(60.0)\n")
    (tmp_path / "leaving.py").write_text("")
    found = {"PYTHONPATH": str(tmp_path)}
    said: list[str] = []
    table = (
        ProcessSpec(name="robot host", module="waiting", environment=found),
        ProcessSpec(name="station", module="leaving", restarted=True, environment=found),
    )
    assert Supervisor(SessionConfig(link_port=1, log_folder=""), said.append, table).run() == 0
    assert said == []
