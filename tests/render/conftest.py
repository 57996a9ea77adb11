"""The robot that these tests draw; makes the modules that they share importable (pytest's importlib mode does not)."""

import sys
from pathlib import Path

import pytest

from handhold.render.elements.stage import Stage
from handhold.robots.model import RobotModel, load_model

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="module")
def model() -> RobotModel:
    return load_model("talos")


@pytest.fixture(scope="module")
def stage(model: RobotModel) -> Stage:
    return Stage(model)
