"""A robot that stands in for a real one, and what drives it: two processes, by the maker's compiled protocol."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from handhold.app.lab.live.posture_driver import REFUSED
from handhold.robots.model import load_model
from handhold.robots.unitree.command_guard import LATCH

pytestmark = [pytest.mark.alone, pytest.mark.timeout(600)]

DRIVER = "handhold.app.lab.live.posture_driver"
HANDHOLD = Path(sys.executable).parent / "handhold"
INTERFACE = "lo"


@contextmanager
def running(*words: str | Path) -> Iterator[subprocess.Popen[str]]:
    """Run a program whose words are read from here, and end it."""
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def read_until(process: subprocess.Popen[str], pattern: str) -> re.Match[str]:
    """Return the first line of a process that matches; the maker's library says much besides."""
    assert process.stdout is not None
    for line in process.stdout:
        if found := re.search(pattern, line):
            return found
    raise AssertionError(f"it ended without '{pattern}'")


@contextmanager
def stand_in() -> Iterator[subprocess.Popen[str]]:
    with running(HANDHOLD, "stand-in", "g1", "--interface", INTERFACE) as robot:
        read_until(robot, "held by its maker's controller")
        yield robot


@contextmanager
def driver(folder: Path) -> Iterator[subprocess.Popen[str]]:
    with running(sys.executable, "-m", DRIVER, INTERFACE, folder / "motors") as driver:
        guard = int(read_until(driver, r"guard (\d+)")[1])
        try:
            yield driver
        finally:
            with suppress(ProcessLookupError):
                os.kill(guard, signal.SIGKILL)


def find_guard(process: subprocess.Popen[str]) -> int:
    """Return the process that the driver has started to guard the robot."""
    return int(Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[0])


def test_its_base_and_the_load_on_its_soles_are_estimated_and_its_guard_damps_it_when_its_driver_dies(tmp_path: Path) -> None:
    weight = load_model("g1").weight
    with stand_in() as robot, driver(tmp_path) as driving:
        told = [float(word) for word in read_until(driving, r"state (.*)")[1].split()]
        assert told[2] == pytest.approx(0.75, abs=0.02), "height of the base [m]"
        assert told[3:5] == pytest.approx([0.0, 0.0], abs=0.02), "it stands upright"
        assert sum(told[7:9]) == pytest.approx(weight, rel=0.15), "the hoist bears a part"
        read_until(robot, "stand-in: commanded")
        driving.send_signal(signal.SIGKILL)
        read_until(driving, "guard: nobody commands the robot any more")
        read_until(robot, "stand-in: damped")


def test_it_damps_itself_when_its_guard_dies(tmp_path: Path) -> None:
    with stand_in() as robot, driver(tmp_path) as driving:
        read_until(robot, "stand-in: commanded")
        os.kill(find_guard(driving), signal.SIGKILL)
        read_until(robot, "stand-in: damped")


def test_a_driver_that_stood_still_finds_the_robot_damped_and_does_not_move_it_again(tmp_path: Path) -> None:
    with stand_in() as robot, driver(tmp_path) as driving:
        read_until(robot, "stand-in: commanded")
        driving.send_signal(signal.SIGSTOP)
        read_until(driving, "guard: nobody commands the robot any more")
        read_until(robot, "stand-in: damped")
        time.sleep(2.0 * LATCH)
        driving.send_signal(signal.SIGCONT)
        read_until(driving, "driver: damped")


def test_a_robot_that_somebody_else_commands_is_not_taken_over(tmp_path: Path) -> None:
    (tmp_path / "rival").mkdir()
    with stand_in() as robot, driver(tmp_path):
        read_until(robot, "stand-in: commanded")
        with driver(tmp_path / "rival") as rival:
            assert "something else commands the robot" in read_until(rival, "refused (.*)")[1]
            assert rival.wait(60) == REFUSED


def test_where_no_robot_is_it_is_told_so(tmp_path: Path) -> None:
    with driver(tmp_path) as driving:
        assert "no state of a robot has arrived" in read_until(driving, "refused (.*)")[1]
