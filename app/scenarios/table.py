"""All scenarios: a new one is a file and a line here."""

from __future__ import annotations

from handhold.app.scenarios.far_reach import FAR_REACH
from handhold.app.scenarios.scenario import Scenario

SCENARIOS: tuple[Scenario, ...] = (FAR_REACH,)
