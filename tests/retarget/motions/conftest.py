"""The robots that motions are shipped for, and a short motion of Talos."""

import pytest
from motions import HUMANOIDS, make_step_keys

from handhold.retarget.motions.authoring.optimise import optimise_motion
from handhold.retarget.motions.loading import CheckedMotion, check_motion
from handhold.retarget.motions.motion import Motion
from handhold.robots.model import RobotModel, load_model


@pytest.fixture(scope="session")
def humanoids() -> dict[str, RobotModel]:
    return {robot: load_model(robot) for robot in HUMANOIDS}


@pytest.fixture(scope="session")
def talos(humanoids) -> RobotModel:
    return humanoids["talos"]


@pytest.fixture(scope="session")
def step(talos) -> Motion:
    return optimise_motion(talos, make_step_keys())


@pytest.fixture(scope="session")
def checked_step(talos, step) -> CheckedMotion:
    return check_motion(step, talos)
