"""What the operator is told of what a robot bears."""

import numpy as np
import pytest

from handhold.app.host.weight_words import MIN_MASS, MIN_OFFSET, say_weight
from handhold.robots.estimation.centroid import AVERAGING, Centroid
from handhold.robots.model import load_model


@pytest.fixture
def model():
    return load_model("talos")


def learnt(model, mass=0.0, offset=(0.0, 0.0)):
    centroid = Centroid(model)
    centroid.mass, centroid.offset, centroid.learnt_for = model.mass + mass, np.array(offset), AVERAGING
    return centroid


def test_a_robot_that_is_as_it_is_described_has_nothing_told(model):
    assert say_weight(learnt(model, 0.9 * MIN_MASS, (0.9 * MIN_OFFSET, 0.0)), model) == ""


def test_nothing_is_told_before_it_has_stood_for_a_while(model):
    centroid = learnt(model, 10.0)
    centroid.learnt_for = 0.9 * AVERAGING
    assert say_weight(centroid, model) == ""


@pytest.mark.parametrize(
    ("mass", "offset", "told"),
    [
        (4.0, (0.0, 0.0), "the robot bears 4.0 kg more than its description says"),
        (-4.0, (0.0, 0.0), "the robot bears 4.0 kg less than its description says"),
        (0.0, (0.03, 0.0), "the robot has its centre of mass 3 cm further ahead than its description says"),
        (
            5.0,
            (-0.03, -0.02),
            "the robot bears 5.0 kg more and has its centre of mass 3 cm further back and 2 cm further right than its "
            "description says",
        ),
    ],
)
def test_what_it_bears_is_told_and_where(model, mass, offset, told):
    assert say_weight(learnt(model, mass, offset), model) == told
