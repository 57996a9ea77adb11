"""G1, whose soles are narrow, walks: for long enough that an error which grows from step to step has grown."""

from __future__ import annotations

import pytest

from handhold.app.lab.scenarios.run import run_scenario
from handhold.app.lab.scenarios.walk_straight import WALK_STRAIGHT
from handhold.robots.simulation.engines import known_engines

DURATION = 25.0
"""With the wrong insets it fell after 15 to 17 s [s]."""

MAX_OFF_PLAN = 0.012
"""How far the centre of mass may be off the plan [m]; 7 mm are measured in a minute."""


@pytest.mark.timeout(900)
@pytest.mark.parametrize("engine", known_engines())
def test_it_walks_straight_on_and_stays_near_the_plan(engine: str) -> None:
    outcome, trace = run_scenario(WALK_STRAIGHT, "g1", engine, 0, duration=DURATION)
    assert not trace.fell
    figures = {figure.name: figure.value for figure in outcome.figures}
    assert figures["com_error_max"] < MAX_OFF_PLAN
