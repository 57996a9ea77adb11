"""A robot that stands in loses who drives it: killed, or frozen, at any moment; how soon it is damped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import numpy as np

from handhold.app.lab.live.live_session import PROGRAM, STARTING
from handhold.app.lab.live.told_process import LiveRunFailed, ToldProcess

INTERFACE = "lo"
"""Network interface that the robot is reached by."""

LASTING = "600"
"""After how long a robot that stands in ends by itself [s], whatever becomes of who started it."""

DRIVEN = (0.2, 1.0)
"""For how long it is driven before it loses its driver, between these times [s]."""

DAMPING = 30.0
"""How long it is waited for the robot to say that it is damped [s]."""

SIGNALS = {"killed": signal.SIGKILL, "frozen": signal.SIGSTOP}
"""What befalls the driver."""


def lose_driver(befalls: str, seed: int) -> float:
    """Let a robot be driven, lose its driver, and return after how long a silence it was damped [ms]; infinite for never.

    Args:
        befalls: What befalls the driver, one of ``SIGNALS``.
        seed: Of the moment, and of the robot's sensors.

    Raises:
        LiveRunFailed: Robot or driver did not start.
    """
    random = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory(prefix="handhold-") as folder, ExitStack() as ending:
        robot = ending.enter_context(_told("stand-in", "-c", PROGRAM, "stand-in", "g1", *_list_words(seed)))
        robot.wait_for("held by its maker's controller", STARTING)
        words = ("-m", "handhold.app.lab.live.posture_driver", INTERFACE, str(Path(folder) / "motors"))
        driver = ending.enter_context(_told("driver", *words))
        _, guard = driver.wait_for(r"guard (\d+)", STARTING)
        ending.callback(_kill, int(guard[1]))
        robot.wait_for("stand-in: commanded", STARTING)
        time.sleep(float(random.uniform(*DRIVEN)))
        since = time.monotonic()
        driver.process.send_signal(SIGNALS[befalls])
        try:
            _, damped = robot.wait_for(r"damped at .* after ([\d.]+) ms", DAMPING, since=since)
        except LiveRunFailed:
            return float("inf")
    return float(damped[1])


def _list_words(seed: int) -> tuple[str, ...]:
    return ("--interface", INTERFACE, "--seed", str(seed), "--duration", LASTING)


@contextmanager
def _told(name: str, *words: str) -> Iterator[ToldProcess]:
    """Run a program of ours, and kill it in the end."""
    process = subprocess.Popen(
        [sys.executable, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    )
    try:
        yield ToldProcess(name, process, time.monotonic)
    finally:
        process.kill()
        process.wait()


def _kill(process: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)
