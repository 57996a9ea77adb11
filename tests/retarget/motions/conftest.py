"""Talos, and a short motion of it."""

import pytest
from motions import make_step_keys

from handhold.retarget.motions.loading import CheckedMotion, check_motion
from handhold.retarget.motions.motion import Motion
from handhold.retarget.motions.optimise import optimise_motion
from handhold.robots.model import RobotModel, load_model


@pytest.fixture(scope="session")
def talos() -> RobotModel:
    return load_model("talos")


@pytest.fixture(scope="session")
def step(talos) -> Motion:
    return optimise_motion(talos, make_step_keys())


@pytest.fixture(scope="session")
def checked_step(talos, step) -> CheckedMotion:
    return check_motion(step, talos)
