"""The centre of mass over the feet."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from handhold.retarget.whole_body.com_offset import ComOffset, apply_offset, measure_offset

LEFT, RIGHT = np.array([0.1, 0.1]), np.array([-0.05, -0.12])
numbers = st.floats(-2.0, 2.0)


def test_it_is_0_over_the_left_foot_and_1_over_the_right_one():
    assert measure_offset(LEFT, LEFT, RIGHT, 0.13) == ComOffset(along=0.0, across=0.0)
    over_right = measure_offset(RIGHT, LEFT, RIGHT, 0.13)
    assert np.allclose([over_right.along, over_right.across], [1.0, 0.0])


def test_across_is_forward():
    assert measure_offset(np.array([0.13, 0.0]), np.array([0.0, 0.1]), np.array([0.0, -0.1]), 0.13).across > 0.99


@given(numbers, numbers)
def test_what_is_put_together_is_measured_again(along, across):
    offset = ComOffset(along=along, across=across)
    again = measure_offset(apply_offset(offset, LEFT, RIGHT, 0.1), LEFT, RIGHT, 0.1)
    assert np.allclose([again.along, again.across], [along, across], atol=1e-9)
