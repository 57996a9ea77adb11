"""An operator's first session, from putting the headset on to taking it off, and a host that falls silent meanwhile."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from first_session import STEPS, open_session

SILENCE = 5.0  # [s]
REFRESH_RATE = 60.0  # [Hz] of Monado's null compositor, in the tests' own build


@pytest.mark.timeout(900)
def test_an_operator_does_everything_of_his_first_session_in_the_headset(tmp_path: Path, x_display: str) -> None:
    with open_session(tmp_path, x_display) as operator:
        for step in STEPS.values():
            step(operator)
    assert "vignette" in (tmp_path / "config" / "handhold" / "settings.json").read_text()


@pytest.mark.timeout(300)
def test_frames_go_on_and_say_how_old_the_robot_is_while_its_host_is_silent(tmp_path: Path, x_display: str) -> None:
    with open_session(tmp_path, x_display) as operator:
        operator.live(1.0)
        assert "OLD" not in operator.read("HEAD")
        running = operator.worker.ask("live_for", seconds=SILENCE)
        operator.worker.ask("freeze", frozen=True)
        silent = operator.worker.ask("live_for", seconds=SILENCE)
        assert silent["drawn"] == silent["waited"], "every frame that was waited for was drawn"
        # A processor draws here, with others beside it, so that frames are missed anyway; a silent host must not add any.
        assert silent["waited"] > 0.5 * running["waited"]
        # The times at which the headset showed a frame, and those at which it had none, are all there are.
        shown = silent["waited"] + silent["missed"]
        assert abs(shown / REFRESH_RATE - SILENCE) < 0.05 * SILENCE
        operator.live(0.02)
        age = float(re.findall(r"robot OLD: ([\d.]+) s", operator.read("HEAD"))[0])
        assert SILENCE <= age < SILENCE + 2.0
        assert "as it was" in operator.read("WORLD")

        operator.worker.ask("freeze", frozen=False)
        operator.live(0.1)
        assert "OLD" not in operator.read("HEAD")
