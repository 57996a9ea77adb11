"""What plays a scenario in real processes: what a process says, what a host's share is, a description that was weighed."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from handhold.app.lab.live.live_run import HostParts, find_host_parts
from handhold.app.lab.live.live_session import LiveOptions, write_description
from handhold.app.lab.live.told_process import LiveRunFailed, ToldProcess
from handhold.robots.model import load_model, weigh
from handhold.robots.unitree.stand_in_motors import MotorFlaws

PATIENCE = 600.0  # [s]: only what hangs reaches it


def tell(*lines: str, linger: float = 0.0) -> ToldProcess:
    """Start a process that says some lines."""
    words = f"import time\nfor line in {lines!r}: print(line, flush=True)\ntime.sleep({linger})"
    process = subprocess.Popen([sys.executable, "-c", words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return ToldProcess("teller", process, time.monotonic)


def test_a_line_is_waited_for_and_found_with_its_time() -> None:
    told = tell("one", "two 7", linger=PATIENCE)
    when, found = told.wait_for(r"two (\d)", PATIENCE)
    assert found[1] == "7"
    assert told.find("one") is not None
    assert told.find("two", since=when + 1e-6) is None
    told.stop()


def test_a_process_that_ends_without_it_is_told_with_its_last_line() -> None:
    with pytest.raises(LiveRunFailed, match="it said last: over"):
        tell("begun", "over").wait_for("never", PATIENCE)


def test_the_hosts_share_is_what_is_around_the_cycle_and_its_estimates() -> None:
    stages = "read 5 %, estimate 15 %, operator 10 %, retarget 35 %, controller 20 %, send 10 %, record 5 %"
    parts = find_host_parts(tell(f"robot host: CPU time: {stages}"))
    assert parts == HostParts(host=pytest.approx(0.2), estimate=pytest.approx(0.15))


def test_a_weighed_robot_is_described_by_a_file_that_gives_the_same_model(tmp_path: Path) -> None:
    model = load_model("g1")
    heavier = weigh(model, model.mass + 2.0)
    file = write_description(model.description, heavier.description.attachments, tmp_path)
    again = load_model(str(file))
    assert again.mass == pytest.approx(heavier.mass)
    assert again.description.attachments == heavier.description.attachments


def test_flaws_are_passed_to_what_stands_in() -> None:
    words = LiveOptions(flaws=MotorFlaws(delay=4e-3, torque_error=0.3)).list_words()
    assert words == ("--interface", "lo", "--delay", "4.0", "--torque-error", "0.3")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("far-reach", "--body", "ghost"), "no body 'ghost'"),
        (("far-reach", "--body", "stand-in", "--engine", "pybullet"), "leave --engine pybullet out"),
        (("far-reach", "--body", "stand-in", "--imperfect", "2"), "has flaws and sensors of its own"),
        (("far-reach", "--motors", "4,0.3"), "leave --motors out"),
        (("far-reach", "--body", "stand-in", "--motors", "late"), "such as 4,0.3"),
        (("walk-straight", "--robot", "g1", "--body", "unitree"), "play it in lockstep"),
        (("brace-hand", "--robot", "g1", "--body", "unitree"), "begins elsewhere"),
        (("stand-in", "--body", "unitree", "--camera", "sim"), "leave --duration, --plot"),
        (("far-reach", "--body", "stand-in"), "nothing stands in for 'talos'"),
    ],
)
def test_bodies_and_motors_that_there_are_not_are_told_in_one_line(words: tuple[str, ...], told: str) -> None:
    handhold = str(Path(sys.executable).parent / "handhold")
    done = subprocess.run([handhold, "scenario", *words], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode != 0
    assert told in done.stderr
    assert len(done.stderr.splitlines()) == 1
