"""A whole session in the headset in the world ``wall``; it takes minutes, and the acceptance's part ``headset`` plays it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from first_session import open_session
from wall_session import WORLD, WallSession

from handhold.app.lab.figures import Figure, Outcome
from handhold.app.session.commit import current_commit

pytestmark = [pytest.mark.alone, pytest.mark.long]


@pytest.mark.timeout(900)
def test_a_whole_session_at_the_wall_from_putting_the_headset_on_to_putting_it_on_again(
    tmp_path: Path, x_display: str, report_outcome: Callable[[Outcome], None]
) -> None:
    steps, done, start = WallSession().list_steps(), 0, time.monotonic()
    try:
        with open_session(tmp_path, x_display, world=WORLD) as operator:
            for step in steps.values():
                step(operator)
                done += 1
    finally:
        figures = (Figure("steps", float(done), "-", must=float(len(steps)), larger_is_better=True),)
        lasted = time.monotonic() - start
        report_outcome(Outcome("wall-session", "talos", "mujoco", 0, current_commit(), lasted, None, figures))
    said = (tmp_path / "worker.log").read_text()
    assert "station: click both sticks: the robot STOPS; with one hand: STOP on the wheel" in said
