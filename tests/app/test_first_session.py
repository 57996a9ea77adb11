"""An operator's first session, from putting the headset on to taking it off, and a host that falls silent meanwhile."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from first_session import STEPS, open_session
from monado import Session, free_port, open_monado
from stations import wait_until

pytestmark = pytest.mark.alone

SILENCE = 5.0  # [s] of the headset's frames
SPEAKING_PERIOD = 0.02  # [s]: speaking_host.py's
WAIT = 0.2  # [s]: console_worker.py's
REFRESH_RATE = 60.0  # [Hz] of Monado's null compositor, in the tests' own build


@pytest.mark.timeout(900)
def test_an_operator_does_everything_of_his_first_session_in_the_headset(tmp_path: Path, x_display: str) -> None:
    with open_session(tmp_path, x_display) as operator:
        for step in STEPS.values():
            step(operator)
    assert "vignette" in (tmp_path / "config" / "handhold" / "settings.json").read_text()


@pytest.mark.timeout(900)
def test_no_frame_is_missed_for_a_host_that_is_silent_and_the_picture_says_how_old_it_is(
    runtime_json: Path, tmp_path: Path
) -> None:
    port = free_port()
    with speaking_host(port) as host, open_monado(runtime_json, tmp_path, script="console_worker.py") as operator:
        operator.worker.ask("station", port=port, frames=20)
        assert wait_until(lambda: "robot" in operator.worker.ask("texts")["texts"])
        begin = time.monotonic()
        operator.worker.ask("station", port=port, frames=20)
        assert wait_until(lambda: bool(operator.worker.ask("station", port=port, frames=2)) and is_fresh(operator))

        host.send_signal(signal.SIGSTOP)
        frames = round(SILENCE * REFRESH_RATE)
        silent = operator.worker.ask("station", port=port, frames=frames)
        assert silent == {"waited": frames, "drawn": frames, "missed": 0}
        words = operator.worker.ask("texts")["texts"]
        told = re.findall(r"robot OLD: ([\d.]+) s", words)[0]
        rounding = 0.05 if "." in told else 0.5  # [s]: told to a tenth, or from 10 s on to a second
        elapsed = time.monotonic() - begin
        assert SILENCE - rounding < float(told) <= elapsed + SPEAKING_PERIOD + rounding
        assert "as it was" in words

        # What is counted is there to be counted: a loop that waits for the robot misses what is due meanwhile.
        waiting = operator.worker.ask("station", port=port, frames=5, waiting=True)
        assert waiting["missed"] >= 5 * int(WAIT * REFRESH_RATE) - 5

        host.send_signal(signal.SIGCONT)
        assert wait_until(lambda: bool(operator.worker.ask("station", port=port, frames=2)) and is_fresh(operator))


def is_fresh(session: Session) -> bool:
    """Return whether the picture does not say that it is old."""
    return "OLD" not in session.worker.ask("texts")["texts"]


@contextmanager
def speaking_host(port: int) -> Iterator[subprocess.Popen[bytes]]:
    """Run a robot's end of the link, which sends snapshots of a robot that stands."""
    with subprocess.Popen([sys.executable, str(Path(__file__).parent / "speaking_host.py"), str(port)]) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.timeout(900)
def test_frames_go_on_when_a_mode_is_refused_and_when_the_mode_changes(tmp_path: Path, x_display: str) -> None:
    with open_session(tmp_path, x_display) as operator:
        operator.live(0.2)
        before = operator.worker.ask("count")
        operator.worker.ask("offer_mode", name="flying")
        operator.live(0.1)
        operator.press_menu()
        operator.choose("Flying")
        refused = operator.worker.ask("count")["refused_commands"] - before["refused_commands"]
        assert refused == 2, "the preview, asked for by pointing, and the mode"
        assert "refused: this robot has no 'mode:flying'" in operator.read("HEAD")
        assert operator.seen["mode"] == "bracing", "the robot stays in the mode it is in"

        operator.press_menu()
        operator.choose("Walking")
        operator.live(0.3)
        assert operator.seen["mode"] == "walking"
        assert "Walking" in operator.read("AHEAD")
        after = operator.worker.ask("count")
        assert after["drawn"] - before["drawn"] == after["waited"] - before["waited"] > 30
