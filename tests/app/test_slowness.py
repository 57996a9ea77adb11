"""What the operator is told of a machine that is too slow, from clocks of our own."""

from __future__ import annotations

import re

import pytest

from handhold.app.host.slowness import SAMPLE_PERIOD, SIMULATION, WINDOW, Slowness

DT = 1e-3


class Machine:
    """A machine whose loop runs at a ratio of real time, its stages taking parts of the wall time."""

    def __init__(self) -> None:
        self.slowness = Slowness(DT, SIMULATION)
        self.now, self.cycles = 50.0, 0.0
        self.stages = {"retarget": 0.0, "controller": 0.0, "physics": 0.0}
        self.measure()

    def measure(self) -> None:
        assert self.slowness.is_due(self.now)
        self.slowness.update(self.now, round(self.cycles), dict(self.stages))

    def run(self, duration: float, ratio: float, **parts: float) -> str:
        """Run for a duration [s]; return what is said then."""
        for _ in range(round(duration / SAMPLE_PERIOD)):
            self.now += SAMPLE_PERIOD
            self.cycles += ratio * SAMPLE_PERIOD / DT
            for stage, part in parts.items():
                self.stages[stage] += part * SAMPLE_PERIOD
            self.measure()
        return self.slowness.message


def test_a_machine_that_keeps_up_says_nothing() -> None:
    assert Machine().run(10.0, 1.0, controller=0.3, retarget=0.2) == ""


def test_a_slow_machine_says_how_slow_and_what_takes_most() -> None:
    said = Machine().run(4.0, 0.54, controller=0.38, retarget=0.33, physics=0.27)
    assert said == "simulation at 54 % of real time: the controller takes 38 %"


def test_a_loop_that_gets_no_core_blames_no_stage_of_its_own() -> None:
    said = Machine().run(4.0, 0.5, controller=0.2, retarget=0.1, physics=0.1)
    assert said == "simulation at 50 % of real time: it gets 40 % of a core, other programs have the rest"


def test_nothing_is_said_before_a_whole_window_was_measured() -> None:
    assert Machine().run(WINDOW - SAMPLE_PERIOD, 0.3, controller=0.9) == ""


def test_a_rate_between_both_thresholds_says_what_was_said_before() -> None:
    machine = Machine()
    assert machine.run(5.0, 0.965, controller=0.9) == ""
    assert machine.run(5.0, 0.90, controller=0.9) != ""
    assert machine.run(5.0, 0.965, controller=0.9) != ""
    assert machine.run(5.0, 1.0, controller=0.9) == ""


@pytest.mark.parametrize("ratio", [0.2, 0.7, 0.94])
def test_the_ratio_is_that_of_the_last_window_whatever_was_before(ratio: float) -> None:
    machine = Machine()
    machine.run(30.0, 1.0, controller=0.4)
    found = re.search(r"at (\d+) %", machine.run(WINDOW + SAMPLE_PERIOD, ratio, controller=0.9))
    assert found is not None
    assert float(found.group(1)) == pytest.approx(100.0 * ratio, abs=1.0)
