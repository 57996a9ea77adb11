"""How well the control loop kept its rate: CPU time by stage, cycles over their budget, simulated against wall time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

UNCOUNTED = frozenset({"physics"})
"""Stages that a real robot does not have: they are timed, but no part of a cycle's budget."""

REPORTED_LAG = 0.1
"""Time by which the robot's clock must have fallen behind to be reported to people [s]: hiccups are no slow machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CadenceReport:
    """What the control loop did in one session.

    Attributes:
        cycles: Cycles that ran.
        wall_time: Wall time they took [s].
        rate: Cycles a second of wall time [Hz].
        wanted_rate: Cycles a second that the control period asks for [Hz].
        over_budget: Cycles that took more CPU time than the control period.
        longest_run: Maximum number of cycles over budget in a row.
        worst: CPU time of the worst cycle [s].
        worst_cycle: Its number.
        lag: Wall time by which the robot's clock has fallen behind in all [s].
        shares: Ratio of each stage to all CPU time, stage by stage.
    """

    cycles: int
    wall_time: float
    rate: float
    wanted_rate: float
    over_budget: int
    longest_run: int
    worst: float
    worst_cycle: int
    lag: float
    shares: dict[str, float]

    def to_json(self) -> dict[str, Any]:
        """Return the report as a JSON object."""
        return asdict(self)

    def to_lines(self) -> list[str]:
        """Return the report for people."""
        shares = ", ".join(f"{stage} {100.0 * ratio:.0f} %" for stage, ratio in self.shares.items())
        lines = [
            f"{self.cycles} cycles in {self.wall_time:.1f} s: {self.rate:.0f} of {self.wanted_rate:.0f} Hz",
            f"over budget: {self.over_budget} cycles, at most {self.longest_run} in a row; "
            f"the worst took {1e3 * self.worst:.2f} ms (cycle {self.worst_cycle})",
            f"CPU time: {shares}",
        ]
        if self.lag >= REPORTED_LAG:
            lines.append(f"the machine is slower than the robot: its clock fell behind by {self.lag:.1f} s")
        return lines


class Cadence:
    """Times every cycle of one thread.

    Attributes:
        over_budget: Cycles so far that took more CPU time than the control period.
        spent: CPU time of the present cycle so far, uncounted stages left out [s].
    """

    def __init__(self, dt: float, cpu_clock: Callable[[], float] = time.thread_time) -> None:
        """Begin with no cycle.

        Args:
            dt: Control period, which is also the budget of a cycle [s].
            cpu_clock: CPU time of the calling thread [s].
        """
        self.over_budget = 0
        self.spent = 0.0
        self._dt = dt
        self._clock = cpu_clock
        self._stages: dict[str, float] = {}
        self._before = 0.0
        self._cycles = 0
        self._longest_run = self._over_in_a_row = 0
        self._worst = 0.0
        self._worst_cycle = 0

    def begin(self) -> None:
        """Begin a cycle."""
        self.spent = 0.0
        self._before = self._clock()

    def mark(self, stage: str) -> None:
        """End a stage: what was spent since the last mark was spent on it."""
        now = self._clock()
        spent = now - self._before
        self._before = now
        self._stages[stage] = self._stages.get(stage, 0.0) + spent
        if stage not in UNCOUNTED:
            self.spent += spent

    def end(self) -> None:
        """End a cycle."""
        if self.spent > self._worst:
            self._worst, self._worst_cycle = self.spent, self._cycles
        over = self.spent > self._dt
        self.over_budget += over
        self._over_in_a_row = self._over_in_a_row + 1 if over else 0
        self._longest_run = max(self._longest_run, self._over_in_a_row)
        self._cycles += 1

    @property
    def totals(self) -> dict[str, float]:
        """CPU time of every stage so far, in the order of the cycle [s]."""
        return dict(self._stages)

    def report(self, wall_time: float, lag: float) -> CadenceReport:
        """Return the report of all cycles, which took ``wall_time`` [s] while the robot's clock fell behind by ``lag`` [s]."""
        total = sum(self._stages.values()) or 1.0
        return CadenceReport(
            cycles=self._cycles,
            wall_time=wall_time,
            rate=self._cycles / wall_time if wall_time > 0.0 else 0.0,
            wanted_rate=1.0 / self._dt,
            over_budget=self.over_budget,
            longest_run=self._longest_run,
            worst=self._worst,
            worst_cycle=self._worst_cycle,
            lag=lag,
            shares={stage: spent / total for stage, spent in self._stages.items()},
        )
