"""Whether one sole carries a robot, whatever posture it takes."""

from copy import copy

import numpy as np
import pytest

from handhold.app.lab.authoring.one_foot import describe_one_foot_lack, find_com_over_sole
from handhold.app.lab.authoring.robot_findings import list_lacks
from handhold.app.lab.scenarios.scenario import RobotUnfit
from handhold.app.lab.scenarios.switch_foot import SWITCH_FOOT
from handhold.robots.model import load_model

LEFT = 0


@pytest.fixture(scope="module")
def talos():
    return load_model("talos")


def stiffen(model):
    """Return the model with nothing but knees, hips and ankles that pitch."""
    stiff = copy(model)
    stiff.lower, stiff.upper = model.lower.copy(), model.upper.copy()
    for k, name in enumerate(model.joint_names):
        if not name.startswith("leg") or name.endswith(("_1_joint", "_2_joint", "_6_joint")):
            stiff.lower[k], stiff.upper[k] = model.q_nominal[7 + k] + np.array([-1e-3, 1e-3])
    return stiff


@pytest.mark.parametrize("name", ["talos", "g1", "icub"])
def test_shipped_humanoids_stand_on_either_foot(name):
    model = load_model(name)
    assert describe_one_foot_lack(model) == ""
    np.testing.assert_allclose(find_com_over_sole(model, LEFT), 0.0, atol=1e-3)


def test_a_quadruped_is_not_asked_to():
    assert describe_one_foot_lack(load_model("anymal")) == ""


def test_a_robot_whose_legs_do_not_roll_cannot_lift_a_foot_and_is_told_so(talos):
    stiff = stiffen(talos)
    lack = describe_one_foot_lack(stiff)
    assert lack.startswith("over left_foot its centre of mass stays")
    assert any(lack in finding.text for finding in list_lacks(stiff))
    with pytest.raises(RobotUnfit, match="one at a time"):
        SWITCH_FOOT.check(stiff)
