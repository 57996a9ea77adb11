"""Timing in thread CPU time, and the kernel that a shared machine's mood is divided out by."""

from __future__ import annotations

import time
from importlib import resources
from pathlib import Path

import daqp
import numpy as np

from handhold.app.lab.figures import Figure
from handhold.robots.qp import QuadraticProgram

# DAQP's marks for kinds of constraints.
_EQUALITY = 5
_SOFT = 8

KERNEL_FILE = "saturated_reach.npz"

REFERENCE_KERNEL = 60.0
"""What the kernel takes on the machine that bounds in seconds are for [us]; elsewhere they hold in proportion."""


def load_kernel() -> QuadraticProgram:
    """Load the recorded calibration problem: SEIKO on Talos in a saturated far reach, in the textbook form of eq. 15."""
    with resources.as_file(resources.files("handhold.benchmarks") / KERNEL_FILE) as file:
        stored = np.load(file)
        arrays = {key: np.ascontiguousarray(stored[key]) for key in ("H", "f", "A", "lower", "upper")}
        return QuadraticProgram(**arrays, equalities=int(stored["equalities"]), soft=int(stored["soft"]))


def save_kernel(program: QuadraticProgram, file: Path) -> None:
    """Write a problem as ``load_kernel`` reads it."""
    np.savez_compressed(
        file,
        H=program.H,
        f=program.f,
        A=program.A,
        lower=program.lower,
        upper=program.upper,
        equalities=program.equalities,
        soft=program.soft,
    )


class Stopwatch:
    """Collects the thread CPU time of named stages, tick by tick.

    Attributes:
        stages: Times of every stage [ns], a list a stage.
    """

    def __init__(self) -> None:
        self.stages: dict[str, list[int]] = {}
        self._last = time.thread_time_ns()

    def start(self) -> None:
        """Begin a tick."""
        self._last = time.thread_time_ns()

    def mark(self, stage: str) -> None:
        """End a stage that began at the last mark or start."""
        now = time.thread_time_ns()
        self.stages.setdefault(stage, []).append(now - self._last)
        # The stopwatch's own work is no stage's.
        self._last = time.thread_time_ns()


class KernelClock:
    """Times one cold solve of the calibration problem now and then during a run.

    It is DAQP as it comes, whatever our own solver asks of it: a unit that became smaller with what is measured by it would
    tell nothing.
    """

    def __init__(self) -> None:
        self._program = load_kernel()
        bounded, rows = len(self._program.f), len(self._program.A)
        self._sense = np.zeros(bounded + rows, dtype=np.int32)
        self._sense[bounded : bounded + self._program.equalities] = _EQUALITY
        self._sense[bounded + rows - self._program.soft :] |= _SOFT if self._program.soft else 0
        self._times: list[int] = []
        for _ in range(20):
            self._solve()

    def _solve(self) -> None:
        p = self._program
        daqp.solve(p.H, p.f, p.A, p.upper, p.lower, self._sense.copy(), primal_tol=1e-9, rho_soft=1e-6, iter_limit=1000)

    def tick(self) -> None:
        """Time one solve."""
        start = time.thread_time_ns()
        self._solve()
        self._times.append(time.thread_time_ns() - start)

    @property
    def microseconds(self) -> float:
        """Median of the solves so far [us]."""
        return float(np.median(self._times)) / 1e3

    def spread_over(self, ticks: int, neighbours: int = 10) -> np.ndarray:
        """Return what the kernel took about each of the ticks it was timed evenly among.

        A shared core runs for seconds at a time at half its speed; what is to be compared from tick to tick is divided by the
        kernel of that while. It is a median of many solves, so that no single slow tick can be excused by a slow solve.

        Args:
            ticks: How many ticks there were.
            neighbours: How many solves are taken together.

        Returns:
            Shape ``(ticks,)`` [us].
        """
        times = np.array(self._times) / 1e3
        first = np.clip(np.arange(len(times)) - neighbours // 2, 0, max(0, len(times) - neighbours))
        medians = np.array([np.median(times[start : start + neighbours]) for start in first])
        return medians[np.arange(ticks) * len(medians) // ticks]


def measure_ticks(
    stages: dict[str, list[int]],
    kernel: float,
    must: tuple[float, float],
    aim: tuple[float, float],
    name: str = "tick",
) -> list[Figure]:
    """Turn stage times into figures; of the two bounds, [us] and [kernels], either will do.

    Args:
        stages: Times of every stage [ns], one a tick.
        kernel: Kernel [us].
        must: Bounds on the median tick, in us and in kernels.
        aim: What we would like them to be.
        name: What a tick is called in the figures' names.

    Returns:
        Median and p99 of a tick, its multiple of the kernel, the kernel, and every stage's median.
    """
    ticks = np.sum([np.array(times) for times in stages.values()], axis=0) / 1e3
    median, p99 = float(np.median(ticks)), float(np.percentile(ticks, 99))
    kernels = median / kernel
    # A bound that is kept in the one unit is not asked for in the other.
    in_time, in_kernels = median <= must[0], kernels <= must[1]
    return [
        Figure(f"{name}_median", median, "us", must=None if in_kernels and not in_time else must[0], aim=aim[0]),
        Figure(f"{name}_p99", p99, "us"),
        Figure(f"{name}_kernels", kernels, "-", must=None if in_time and not in_kernels else must[1], aim=aim[1]),
        Figure("kernel", kernel, "us"),
        *(Figure(f"stage_{name}", float(np.median(times)) / 1e3, "us") for name, times in stages.items()),
    ]
