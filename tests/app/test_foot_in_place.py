"""A foot that was unloaded and never lifted is put down where it stands, in both physics engines."""

import pytest

from handhold.app.lab.scenarios.phrases import take
from handhold.app.lab.scenarios.run import play
from handhold.app.lab.scenarios.scenario import Scenario
from handhold.app.lab.scenarios.score import ScoredOperator, contact_is, press, wait
from handhold.robots.model import load_model

PAUSE = 0.9  # [s] until the operator wants the foot to bear again
UNLOADING, TOUCHING = 8.0, 2.0  # [s] more than either takes


def script(model, _poses, _random):
    return ScoredOperator(
        [
            wait(0.3),
            *take(model, "right", model.effector_index("right_foot")),
            press("right", "primary"),
            contact_is("right", "free", UNLOADING),
            wait(PAUSE),
            press("right", "primary"),
            contact_is("right", "loading", TOUCHING),
        ]
    )


@pytest.mark.parametrize("engine", ["mujoco", "pybullet"])
def test_a_foot_that_stands_on_the_ground_is_not_stopped_by_it(engine):
    scenario = Scenario(
        name="foot-in-place", title="", world="flat", duration=15.0, script=script, measure=lambda _model, _trace: ()
    )
    trace = play(scenario, load_model("talos"), engine, 0)
    assert trace.missed == ()
    assert not trace.fell
