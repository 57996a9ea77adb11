"""What the operator is told of the surface that a hand comes near."""

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handhold.perception.surface import Surface
from handhold.retarget.bracing.contacts.approach import NEAR_A_SURFACE, KnownSurfaces, find_approach
from handhold.retarget.bracing.contacts.contact_making import AT_EDGE
from handhold.retarget.bracing.contacts.contact_making_parameters import choose_contact_making
from handhold.retarget.bracing.contacts.surfaces import MAX_FACING_ANGLE, find_surface_ahead

ROUNDING = 1e-9  # [m], [rad]
SQUARE = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
LEFT_FOOT, LEFT_HAND = 0, 2


def place(turn=(0.0, 0.0, 0.0), at=(0.0, 0.0, 0.0)):
    return pin.SE3(pin.exp3(np.array(turn)), np.array(at)).homogeneous


def surface(pose=None, boundary=SQUARE):
    return Surface(pose=place() if pose is None else pose, boundary=boundary, area=4.0, quality=1.0, age=0.0)


def find(model, pose, *surfaces, effector=LEFT_HAND):
    return find_approach(model.effectors[effector], pose, KnownSurfaces(surfaces), choose_contact_making(model, effector))


@given(tilt=st.floats(0.0, 1.2), spin=st.floats(-3.0, 3.0), height=st.floats(0.05, 0.3), seed=st.integers(0, 99))
def test_a_hand_is_told_its_distance_and_tilt_in_the_surfaces_own_axes_wherever_it_stands(talos, tilt, spin, height, seed):
    world = pin.SE3.Random() if seed else pin.SE3.Identity()
    hand = world.homogeneous @ place((0.0, 0.0, spin)) @ place((tilt, 0.0, 0.0), (0.0, 0.0, height))
    found = find(talos, hand, surface(world.homogeneous))
    assert found.distance == pytest.approx(height - talos.effectors[LEFT_HAND].radius, abs=1e-6)
    assert found.tilt == pytest.approx(tilt, abs=1e-6)  # an arc cosine near 1
    assert found.pose[:3, 2] == pytest.approx(world.rotation[:, 2], abs=ROUNDING)
    assert found.pose[:3, 3] == pytest.approx(world.translation, abs=1e-6)
    assert found.pose[:3, :3] @ found.pose[:3, :3].T == pytest.approx(np.eye(3), abs=ROUNDING)
    assert bool(found.obstacle) == (tilt > found.max_tilt)


def test_a_hand_that_would_be_refused_is_told_the_same_words(talos):
    assert find(talos, place((0.9, 0.0, 0.0), (0.0, 0.0, 0.2)), surface()).obstacle == "turn the hand, 52 deg off"


def test_a_hand_at_an_edge_is_told_so_once_it_is_near(talos):
    at_edge = (0.99, 0.0, 0.09)
    assert find(talos, place(at=at_edge), surface()).obstacle == AT_EDGE
    assert find(talos, place(at=(0.8, 0.0, 0.09)), surface()).obstacle == ""


@pytest.mark.parametrize(
    "pose", [place(at=(0.0, 0.0, NEAR_A_SURFACE + 0.1)), place((MAX_FACING_ANGLE + 0.01, 0.0, 0.0), (0, 0, 0.1))]
)
def test_nothing_is_told_of_what_is_far_or_not_looked_at(talos, pose):
    assert find(talos, pose, surface()) is None


def test_a_ball_touches_with_a_circle_and_a_sole_with_its_own_shape(talos):
    above = place(at=(0.0, 0.0, 0.1))
    ball, sole = find(talos, above, surface()), find(talos, above, surface(), effector=LEFT_FOOT)
    assert ball.is_round
    assert ball.half_lengths == (talos.effectors[LEFT_HAND].radius,) * 2
    assert not sole.is_round
    assert sole.half_lengths == talos.effectors[LEFT_FOOT].half_lengths


@given(seed=st.integers(0, 2**31))
def test_of_many_surfaces_the_one_that_an_approach_would_go_to_is_among_the_few_that_are_looked_at(talos, seed):
    random = np.random.default_rng(seed)
    poses = [place(random.uniform(-3, 3, 3), random.uniform(-0.3, 0.3, 3)) for _ in range(20)]
    surfaces = tuple(surface(pose) for pose in poses)
    for effector in (LEFT_FOOT, LEFT_HAND):
        pose, about = place(random.uniform(-3, 3, 3)), talos.effectors[effector]
        found = find_surface_ahead(about, pose, pose[:3, 2], surfaces, within=NEAR_A_SURFACE, max_tilt=0.7)
        if found is not None:
            assert found.surface in KnownSurfaces(surfaces).select(about, pose, pose[:3, 2])
