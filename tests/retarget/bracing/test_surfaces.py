"""Which surface an effector touches."""

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handhold.perception.surface import Surface
from handhold.retarget.bracing.contacts.surfaces import (
    BEYOND,
    FACING,
    MAX_FACING_ANGLE,
    NEAR,
    ROLL,
    find_normal,
    find_surface_ahead,
    is_at_edge,
)
from handhold.robots.polygon import is_inside

SQUARE = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
HOOK = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [1.0, 2.0], [1.0, 1.0], [0.0, 1.0]])
ROUNDING = 1e-9  # [m]


def patch(turn=(0.0, 0.0, 0.0), at=(0.0, 0.0, 0.0), boundary=SQUARE):
    pose = pin.SE3(pin.exp3(np.array(turn)), np.array(at)).homogeneous
    return Surface(pose=pose, boundary=boundary, area=4.0, quality=1.0, age=0.0)


def effector(turn=(0.0, 0.0, 0.0), at=(0.0, 0.0, 0.0)):
    return pin.SE3(pin.exp3(np.array(turn)), np.array(at)).homogeneous


def test_where_nothing_is_known_the_effectors_own_axis_is_the_normal():
    pose = effector(turn=(0.3, -0.2, 0.5))
    assert np.array_equal(find_normal(pose, ()), pose[:3, 2])


def test_the_normal_is_a_value_of_its_own():
    pose = effector()
    find_normal(pose, ())[:] = 5.0
    assert pose[2, 2] == 1.0


def test_an_effector_askew_takes_the_normal_of_the_surface_it_touches():
    tilted = patch(turn=(0.4, 0.0, 0.0))
    assert np.allclose(find_normal(effector(turn=(0.6, 0.0, 0.0)), (tilted,)), tilted.pose[:3, 2])


def test_the_nearest_of_two_surfaces_counts():
    near, far = patch(turn=(0.0, 0.1, 0.0), at=(0.0, 0.0, -0.02)), patch(at=(0.0, 0.0, -0.05))
    for surfaces in ((near, far), (far, near)):
        assert np.allclose(find_normal(effector(), surfaces), near.pose[:3, 2])


@pytest.mark.parametrize(
    "surface",
    [
        patch(turn=(0.1, 0.0, 0.0), at=(0.0, 0.0, -1.2 * NEAR)),
        patch(turn=(0.1, 0.0, 0.0), at=(1.5, 0.0, 0.0)),
        patch(turn=(1.1 * np.arccos(FACING), 0.0, 0.0)),
        patch(turn=(np.pi, 0.0, 0.0)),
    ],
    ids=["too far", "beside", "turned away", "from behind"],
)
def test_a_surface_that_cannot_be_touched_does_not_count(surface):
    assert np.array_equal(find_normal(effector(), (surface,)), [0.0, 0.0, 1.0])


@pytest.mark.parametrize(("beyond", "counts"), [(0.5 * BEYOND, True), (2.0 * BEYOND, False)])
def test_a_hand_over_the_edge_of_a_surface_still_touches_it(beyond, counts):
    tilted = patch(turn=(0.4, 0.0, 0.0))
    pose = effector(turn=(0.6, 0.0, 0.0))
    pose[:3, 3] = tilted.pose[:3, :3] @ [1.0 + beyond, 0.2, 0.0]
    assert np.allclose(find_normal(pose, (tilted,)), (tilted.pose if counts else pose)[:3, 2])


@given(st.floats(-3.0, 3.0), st.floats(-3.0, 3.0))
def test_points_are_inside_a_square_whichever_way_round_it_goes(x, y):
    off = max(abs(x), abs(y)) - 1.0
    if abs(off) > ROUNDING:
        assert is_inside(x, y, SQUARE) == is_inside(x, y, SQUARE[::-1].copy()) == (off < 0.0)


def test_the_notch_of_a_hook_is_outside():
    assert is_inside(1.5, 1.5, HOOK)
    assert is_inside(0.5, 0.5, HOOK)
    assert not is_inside(0.5, 1.5, HOOK)


@pytest.mark.parametrize(("inside", "expected"), [(1.1 * ROLL, False), (0.9 * ROLL, True), (-0.5, True)])
def test_a_ball_is_at_an_edge_where_it_would_roll_off(talos, inside, expected):
    hand = talos.effectors[talos.effector_of_hand("left")]
    pose = effector(at=(1.0 - inside * hand.radius, 0.2, hand.radius))
    assert is_at_edge(hand, pose, (patch(),)) is expected


def test_of_what_is_not_known_no_edge_is_told(talos):
    hand = talos.effectors[talos.effector_of_hand("left")]
    assert not is_at_edge(hand, effector(), ())
    assert not is_at_edge(hand, effector(at=(0.0, 0.0, 2.0 * NEAR)), (patch(),))


WITHIN, MAX_TILT = 0.15, 0.7


def look(model, pose, *surfaces, place=2):
    return find_surface_ahead(model.effectors[place], pose, pose[:3, 2], surfaces, within=WITHIN, max_tilt=MAX_TILT)


@pytest.mark.parametrize("tilt", [0.0, 0.6, 1.1])
def test_of_a_surface_ahead_the_gap_is_the_balls_along_the_normal(talos, tilt):
    table = patch()
    seen = look(talos, effector(turn=(tilt, 0.0, 0.0), at=(0.2, 0.1, talos.effectors[2].radius + 0.1)), table)
    assert seen.surface is table
    assert seen.gap == pytest.approx(0.1, abs=ROUNDING)
    assert seen.tilt == pytest.approx(tilt, abs=1e-7)
    np.testing.assert_array_equal(seen.normal, [0.0, 0.0, 1.0])


def test_of_a_tilted_sole_the_gap_is_its_lowest_corners(talos):
    long, wide = talos.effectors[0].half_lengths
    pose = effector(turn=(0.1, 0.2, 0.0), at=(0.0, 0.0, 0.1))
    corners = [pose[2, 3] + pose[2, 0] * i * long + pose[2, 1] * j * wide for i in (-1, 1) for j in (-1, 1)]
    assert look(talos, pose, patch(), place=0).gap == pytest.approx(min(corners), abs=ROUNDING)


@pytest.mark.parametrize(
    "pose",
    [
        effector(at=(0.0, 0.0, 1.5 * WITHIN)),
        effector(at=(0.0, 0.0, -2.0 * BEYOND)),
        effector(at=(1.0 + 2.0 * BEYOND, 0.0, 0.1)),
        effector(turn=(1.01 * MAX_FACING_ANGLE, 0.0, 0.0), at=(0.0, 0.0, 0.1)),
        effector(turn=(np.pi, 0.0, 0.0), at=(0.0, 0.0, 0.1)),
    ],
    ids=["too far", "behind", "beside", "turned away", "turned round"],
)
def test_a_hand_looks_at_nothing_that_it_would_not_come_to(talos, pose):
    assert look(talos, pose, patch()) is None


def test_a_hand_looks_at_the_nearest_of_what_it_faces_and_else_at_the_nearest(talos):
    pose = effector(at=(0.0, 0.0, talos.effectors[2].radius + 0.1))
    far, near, askew = patch(), patch(at=(0.0, 0.0, 0.05)), patch(turn=(1.1 * MAX_TILT, 0.0, 0.0), at=(0.0, 0.0, 0.06))
    for surfaces in ((far, near, askew), (askew, near, far)):
        assert look(talos, pose, *surfaces).surface is near
    assert look(talos, pose, far, askew).surface is far
    assert look(talos, pose, askew).surface is askew
