"""Whether a simulated robot's clock keeps up with the wall clock, and what holds it up, in words for the operator."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

WINDOW = 2.0
"""Wall time over which the rate is measured [s]."""

SAMPLE_PERIOD = 0.25
"""Time between two measurements [s]."""

SLOW_BELOW = 0.95
"""Ratio of simulated to wall time below which it is reported to the operator [-]."""

FAST_ABOVE = 0.98
"""Ratio from which on it is reported no more [-]."""

CROWDED_BELOW = 0.75
"""Ratio of the loop's CPU time to wall time below which it is others that hold it up [-]."""

SIMULATION, COMMANDS = "simulation at {:.0f} % of real time", "the robot is commanded at {:.0f} % of its rate"
"""What is said of the ratio, in percent, of a robot whose clock waits for us and of one whose clock does not."""

_STAGES = {
    "read": "reading the operator and the surroundings",
    "estimate": "estimating where the robot is",
    "operator": "the operator's input",
    "retarget": "the retargeting",
    "controller": "the controller",
    "send": "sending commands",
    "physics": "the physics",
    "record": "the log",
    "report": "the report",
    "tell": "telling the viewers",
}


@dataclass(frozen=True, eq=False, slots=True)
class _Sample:
    time: float
    cycles: int
    stages: Mapping[str, float]


class Slowness:
    r"""Measures how fast the robot's clock runs, :math:`r = n \Delta t / T` with n cycles in the last ``WINDOW``.

    Attributes:
        message: ``"simulation at 54 % of real time: the controller takes 38 %"``; empty while the machine is fast enough.
            The ratio is CPU time of that stage over wall time.
    """

    def __init__(self, dt: float, words: str) -> None:
        """Begin with nothing measured.

        Args:
            dt: Control period [s].
            words: What is said of the ratio, in percent.
        """
        self.message = ""
        self._dt, self._words = dt, words
        self._samples: deque[_Sample] = deque()

    def is_due(self, now: float) -> bool:
        """Whether the next measurement is due at a time [s]."""
        return not self._samples or now - self._samples[-1].time >= SAMPLE_PERIOD

    def update(self, now: float, cycles: int, stages: Mapping[str, float]) -> None:
        """Measure once more.

        Args:
            now: Wall clock [s].
            cycles: Cycles so far.
            stages: CPU time of every stage so far [s].
        """
        self._samples.append(_Sample(now, cycles, stages))
        while now - self._samples[0].time > WINDOW + SAMPLE_PERIOD:
            self._samples.popleft()
        first = self._samples[0]
        wall = now - first.time
        if wall < WINDOW:
            return
        ratio = (cycles - first.cycles) * self._dt / wall
        if ratio < (FAST_ABOVE if self.message else SLOW_BELOW):
            spent = {stage: (time - first.stages.get(stage, 0.0)) / wall for stage, time in stages.items()}
            self.message = f"{self._words.format(100.0 * ratio)}: {_explain(spent)}"
        else:
            self.message = ""


def _explain(spent: Mapping[str, float]) -> str:
    """Say what holds the loop up: its largest stage, or other programs where it gets too little of a core."""
    total = sum(spent.values())
    if total < CROWDED_BELOW:
        return f"it gets {100.0 * total:.0f} % of a core, other programs have the rest"
    stage = max(spent, key=lambda name: spent[name])
    return f"{_STAGES.get(stage, stage)} takes {100.0 * spent[stage]:.0f} %"
