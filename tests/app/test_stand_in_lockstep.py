"""Somebody else's G1 behind its maker's protocol, in lockstep: it is driven as it will be the first time."""

from __future__ import annotations

import pytest

from handhold.app.lab.scenarios.deviation import STAND_IN, Deviation
from handhold.app.lab.scenarios.first_tour import FIRST_TOUR, WALKED
from handhold.app.lab.scenarios.run import run_scenario

MIN_BRACE = 20.0
"""Force with which the hand leans on the table, at least [N]."""


@pytest.mark.timeout(900)
def test_it_reaches_leans_on_a_table_and_walks_back_though_it_weighs_more_and_its_motors_are_late() -> None:
    outcome, trace = run_scenario(FIRST_TOUR, "g1", "mujoco", 0, deviation=Deviation(body=STAND_IN))
    figures = {figure.name: figure.value for figure in outcome.figures}
    assert not trace.fell
    assert trace.missed == ()
    assert figures["walked"] > WALKED
    assert figures["brace_force"] > MIN_BRACE
    assert outcome.holds
