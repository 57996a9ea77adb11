"""Robots and a person for the tests of whole-body retargeting."""

import pytest

from handhold.app.lab.scenarios.kinematic_human import HumanPose, make_human
from handhold.retarget.whole_body.body_mapping import find_mapping
from handhold.retarget.whole_body.calibration import calibrate
from handhold.robots.model import load_model


@pytest.fixture(scope="session", params=["talos", "g1", "icub"])
def model(request):
    return load_model(request.param)


@pytest.fixture(scope="session")
def mapping(model):
    return find_mapping(model)


@pytest.fixture(scope="session")
def calibration():
    return calibrate([make_human(HumanPose(), k / 30.0, k) for k in range(95)])
