"""What is said and done about a robot whose motors are warm, or whose supply is low."""

from __future__ import annotations

from dataclasses import replace

import pytest

from handhold.app.host.health_watch import CHECK_PERIOD, LASTING, HealthWatch
from handhold.robots.health import HealthLimits, RobotHealth

LIMITS = HealthLimits(warm=75.0, hot=85.0, cooling=5.0, low=45.5, empty=42.9, charging=1.0)
WELL = RobotHealth(hottest="left knee", temperature=40.0, voltage=50.0)


class Watched:
    def __init__(self) -> None:
        self.watch, self.now = HealthWatch(LIMITS), 7.0

    def be(self, health: RobotHealth, duration: float = 2.0 * LASTING) -> HealthWatch:
        for _ in range(round(duration / CHECK_PERIOD)):
            self.now += CHECK_PERIOD + 1e-9
            assert self.watch.is_due(self.now)
            self.watch.update(health, self.now)
            assert not self.watch.is_due(self.now)
        return self.watch


@pytest.fixture
def watched() -> Watched:
    return Watched()


def test_of_a_robot_that_is_well_nothing_is_said(watched: Watched) -> None:
    watch = watched.be(WELL)
    assert (watch.warning, watch.ending, watch.health) == ("", "", WELL)


def test_a_warm_motor_is_warned_of_by_its_name_until_it_has_cooled(watched: Watched) -> None:
    said = watched.be(replace(WELL, temperature=76.0)).warning
    assert said == "left knee motor at 76 C: it comes to rest at 85 C"
    assert watched.be(replace(WELL, temperature=71.0)).warning
    assert not watched.be(replace(WELL, temperature=69.0)).warning
    assert not watched.be(replace(WELL, temperature=74.0)).warning
    assert not watched.watch.ending


def test_a_low_supply_is_warned_of_until_it_has_recovered(watched: Watched) -> None:
    assert watched.be(replace(WELL, voltage=45.0)).warning == "supply at 45.0 V: it comes to rest at 42.9 V"
    assert watched.be(replace(WELL, voltage=46.0)).warning
    assert not watched.be(replace(WELL, voltage=47.0)).warning


@pytest.mark.parametrize(
    ("health", "words"),
    [
        (replace(WELL, temperature=86.0), "left knee motor at 86 C"),
        (replace(WELL, voltage=42.0), "supply at 42.0 V"),
        (replace(WELL, silent=("left elbow",)), "no state comes from left elbow"),
    ],
)
def test_past_its_limits_it_is_to_rest_for_good_with_one_reason(watched: Watched, health: RobotHealth, words: str) -> None:
    ending = watched.be(health).ending
    assert words in ending
    assert "comes to rest" in ending
    assert watched.be(WELL).ending == ending


def test_what_lasts_a_moment_only_is_nothing(watched: Watched) -> None:
    sagging, spoilt = replace(WELL, voltage=40.0), replace(WELL, temperature=120.0)
    for health in (sagging, spoilt):
        watch = watched.be(health, 0.5 * LASTING)
        assert (watch.warning, watch.ending) == ("", "")
        watched.be(WELL)
    assert watched.watch.concerns == frozenset()


def test_a_robot_that_tells_no_voltage_is_not_taken_for_empty(watched: Watched) -> None:
    watch = watched.be(replace(WELL, voltage=None))
    assert (watch.warning, watch.ending) == ("", "")
