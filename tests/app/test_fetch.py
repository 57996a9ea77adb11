"""A canister is gripped and lifted by the operator's trigger."""

from dataclasses import replace

import numpy as np
import pytest

from handhold.app.lab.scenarios.fetch import CANISTER, FETCH, LIFT, WORLD
from handhold.app.lab.scenarios.run import play
from handhold.robots.model import load_model
from handhold.robots.simulation.engines import known_engines
from handhold.robots.worlds import load_world

LIFTED = 12.8
"""When it has been lifted and nothing else was done yet [s]."""


@pytest.mark.parametrize("engine", known_engines())
def test_a_canister_is_taken_from_a_table(engine):
    trace = play(replace(FETCH, duration=LIFTED), load_model("talos"), engine, seed=0)
    assert not trace.fell
    assert not trace.missed
    number = [solid.name for solid in load_world(WORLD).solids].index(CANISTER)
    poses = np.array([poses[number] for poses in trace.solids])
    assert poses[-1, 2, 3] - poses[0, 2, 3] == pytest.approx(LIFT, abs=0.02)
    assert poses[-1, 2, 2] > np.cos(np.radians(10.0))
