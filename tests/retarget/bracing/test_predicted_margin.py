"""What a hand would gain elsewhere on its surface: predicted by SEIKO itself, and differentiated."""

import numpy as np
import pytest
from stances import ask, stand

from handhold.retarget.bracing.margin.margin_slope import MarginSlope, find_tangents
from handhold.retarget.bracing.margin.predicted_margin import STEPS, PredictedMargin
from handhold.retarget.stability.simplex import Status
from handhold.retarget.stability.support_region import NoRegion

LEFT_HAND = 2
BACK = np.array([-1.0, 0.0, 0.0])
"""Normal of a wall ahead."""

AGREE = 6e-3
"""By how much predictions in long steps differ from those in steps of the reference's own length [m]."""


def predict(margin, displacement):
    values = list(margin.predict(LEFT_HAND, BACK, displacement))
    assert values[:-1] == [None] * (STEPS - 1)
    return values[-1]


@pytest.fixture
def standing(talos):
    return stand(talos)


def test_a_few_long_steps_predict_what_many_short_ones_do(talos, standing, monkeypatch):
    places = [np.array([0.05, y, 0.0]) for y in (-0.06, 0.0, 0.06)]
    long = [predict(PredictedMargin(talos, standing, 0.06), place) for place in places]
    module = "handhold.retarget.bracing.margin.predicted_margin"
    monkeypatch.setattr(f"{module}.STEP", 0.002)
    monkeypatch.setattr(f"{module}.STEPS", 600)
    margin = PredictedMargin(talos, standing, 0.06)
    short = []
    for place in places:
        short.append(list(margin.predict(LEFT_HAND, BACK, place))[-1])
    assert np.abs(np.array(long) - short).max() < AGREE
    assert np.argmax(long) == np.argmax(short)


def test_a_prediction_leaves_the_reference_alone_and_begins_where_it_is_each_time(talos, standing):
    before, wrenches = standing.q.copy(), standing.wrenches.copy()
    margin = PredictedMargin(talos, standing, 0.06)
    first = predict(margin, np.array([0.05, 0.0, 0.0]))
    assert first > 0.0
    # The second one takes over where the first one forked.
    assert predict(margin, np.array([0.05, 0.0, 0.0])) == pytest.approx(first, abs=1e-9)
    assert np.array_equal(standing.q, before)
    assert np.array_equal(standing.wrenches, wrenches)


def test_taking_over_is_as_good_as_a_fork(talos, standing):
    other = standing.fork()
    for _ in range(50):
        assert standing.step(ask(standing, velocity_com=(0.03, 0.01, np.nan)), 0.002).solved
    other.copy_state(standing)
    fork, targets = standing.fork(), ask(standing)
    for seiko in (other, fork):
        for _ in range(20):
            assert seiko.step(targets, 0.002).solved
    assert np.abs(other.q - fork.q).max() < 1e-9
    assert np.abs(other.wrenches - fork.wrenches).max() < 1e-6


class Bowl:
    """Predicts a margin that is a quadratic function of the place, at the third step."""

    slope, curvature = np.array([0.0, 0.3, -0.1]), 2.0

    def predict(self, _hand, _normal, displacement):
        yield from (None, None)
        yield float(self.slope @ displacement + self.curvature * displacement @ displacement)


class Cliff(Bowl):
    """One that holds nothing up on one side."""

    def predict(self, hand, normal, displacement):
        if displacement[1] > 0.01:
            raise NoRegion("nothing holds", Status.INFEASIBLE)
        yield from super().predict(hand, normal, displacement)


def look_round(margin, count=12):
    slope = MarginSlope(margin, 0.06)
    for _ in range(count):
        slope.update(LEFT_HAND, BACK, np.array([0.1, 0.0, 0.0]))
    return slope


def test_the_slope_is_that_of_central_differences_after_one_round():
    assert look_round(Bowl(), 5).gradient == pytest.approx(np.zeros(3))
    slope = look_round(Bowl())
    assert slope.gradient == pytest.approx([0.0, 0.3, -0.1])
    slope.reset()
    assert not slope.gradient.any()


def test_where_nothing_would_hold_the_robot_up_there_is_no_slope_that_way():
    assert look_round(Cliff(), 16).gradient == pytest.approx([0.0, 0.0, -0.1])


@pytest.mark.parametrize("normal", [[-1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.6, 0.0, 0.8]])
def test_tangents_lie_in_the_surface(normal):
    first, second = find_tangents(np.array(normal))
    assert np.stack([first, second, normal]) @ np.stack([first, second, normal]).T == pytest.approx(np.eye(3))


def test_contacts_that_change_meanwhile_end_a_prediction(talos, standing):
    prediction = PredictedMargin(talos, standing, 0.06).predict(LEFT_HAND, BACK, np.array([0.05, 0.0, 0.0]))
    assert next(prediction) is None
    standing.add_contact(LEFT_HAND, BACK)
    with pytest.raises(NoRegion):
        next(prediction)


def test_another_surface_has_a_slope_of_its_own():
    slope = look_round(Bowl())
    slope.update(LEFT_HAND, np.array([0.0, 0.0, 1.0]), np.zeros(3))
    assert not slope.gradient.any()
