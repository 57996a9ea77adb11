"""A hand is drawn to the place that the operator has taken."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handhold.retarget.bracing.candidates.places import Place
from handhold.retarget.bracing.margin.contact_retargeting import CAPTURED, RELEASED, snap

PLACE = Place(position=np.array([0.7, 0.1, 1.1]), normal=np.array([-0.8, 0.0, 0.6]))
TANGENT = np.array([0.6, 0.0, 0.8])
SPEED, DT = 0.08, 2e-3
coordinates = st.floats(-2.0, 2.0)


def settle(desired):
    offset = np.zeros(3)
    for _ in range(3000):
        offset = snap(offset, desired, PLACE, DT, SPEED)
    return offset


def test_a_hand_near_the_line_through_the_place_comes_to_be_on_it_at_its_own_distance():
    desired = PLACE.position + 0.3 * PLACE.normal + 0.9 * CAPTURED * TANGENT
    assert desired + settle(desired) == pytest.approx(PLACE.position + 0.3 * PLACE.normal, abs=1e-9)


def test_a_hand_that_is_taken_away_is_let_go():
    assert settle(PLACE.position + 1.001 * RELEASED * TANGENT) == pytest.approx(np.zeros(3), abs=1e-12)
    between = settle(PLACE.position + 0.5 * (CAPTURED + RELEASED) * TANGENT)
    assert 0.0 < np.linalg.norm(between) < CAPTURED


@given(st.tuples(coordinates, coordinates, coordinates), st.tuples(coordinates, coordinates, coordinates))
def test_nothing_is_added_along_the_normal_and_nothing_jumps(desired, offset):
    lateral = np.array(offset) - (PLACE.normal @ np.array(offset)) * PLACE.normal
    after = snap(lateral, np.array(desired), PLACE, DT, SPEED)
    assert PLACE.normal @ after == pytest.approx(0.0, abs=1e-9)
    assert np.linalg.norm(after - lateral) <= DT * SPEED + 1e-12
