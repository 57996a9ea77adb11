"""Which hand is looked at: a cone below the head's axis, with hysteresis."""

from __future__ import annotations

import math

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handhold.devices.operator_sample import HandSample, OperatorSample
from handhold.render.interface.gaze import DOWNWARD, HIDES_BEYOND, SHOWS_WITHIN, step_gaze
from handhold.render.interface.view_state import ViewState
from handhold.render.interface.view_step import step

HEAD = pin.SE3(pin.rpy.rpyToMatrix(0.0, 0.1, 0.7), np.array([0.3, -0.2, 1.65])).homogeneous


def hold_at(angle: float, around: float, distance: float = 0.5) -> np.ndarray:
    """Return a hand so far off the gaze [rad], in a direction around it."""
    aside = math.sin(angle) * np.array([math.cos(around), math.sin(around)])
    down = pin.rpy.rpyToMatrix(0.0, DOWNWARD, 0.0)
    hand = np.eye(4)
    hand[:3, 3] = HEAD[:3, 3] + distance * (HEAD[:3, :3] @ down @ np.array([math.cos(angle), *aside]))
    return hand


@given(st.floats(0.0, math.pi), st.floats(0.0, math.tau), st.floats(0.1, 1.0), st.booleans())
def test_it_is_shown_within_one_angle_and_hidden_beyond_another(
    angle: float, around: float, distance: float, before: bool
) -> None:
    hand = hold_at(angle, around, distance)
    limit = HIDES_BEYOND if before else SHOWS_WITHIN
    if abs(angle - limit) > 1e-6:
        assert step_gaze(before, HEAD, hand) == (angle < limit)


def test_a_hand_that_shakes_between_both_angles_does_not_flicker() -> None:
    between = hold_at(0.5 * (SHOWS_WITHIN + HIDES_BEYOND), 1.0)
    assert step_gaze(True, HEAD, between)
    assert not step_gaze(False, HEAD, between)


@pytest.mark.parametrize(("head", "hand"), [(None, HEAD), (HEAD, None), (HEAD, np.full((4, 4), np.nan)), (HEAD, HEAD)])
def test_nothing_is_looked_at_that_is_not_there(head: np.ndarray | None, hand: np.ndarray | None) -> None:
    assert not step_gaze(True, head, hand)


def test_the_interface_follows_the_gaze_by_samples() -> None:
    near, far = hold_at(0.1, 0.0), hold_at(1.0, 0.0)

    def sample(left: np.ndarray, right: np.ndarray) -> OperatorSample:
        return OperatorSample(
            time=0.0, head=pin.SE3(HEAD), left=HandSample(pose=pin.SE3(left)), right=HandSample(pose=pin.SE3(right))
        )

    state = step(ViewState(), sample(near, far), None, 0.01)
    assert state.looked_at == {"left"}
    assert step(state, sample(far, near), None, 0.01).looked_at == {"right"}
