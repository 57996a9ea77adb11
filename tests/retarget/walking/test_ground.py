"""How a sole stands on surfaces that are known: flat on one, level over an edge, and where nothing is known."""

import math

import numpy as np
import pinocchio as pin
import pytest

from handhold.perception.surface import Surface
from handhold.retarget.walking.ground import GroundMap
from handhold.retarget.walking.ground_survey import MAX_CLIMB

SOLE = np.array([0.10, 0.06])
SQUARE = 0.5 * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])


def plane(place=(0.0, 0.0, 0.0), rpy=(0.0, 0.0, 0.0)):
    pose = pin.SE3(pin.rpy.rpyToMatrix(*rpy), np.array(place)).homogeneous
    return Surface(pose=pose, boundary=SQUARE, area=1.0, quality=1.0, age=0.0)


@pytest.mark.parametrize("yaw", [0.0, 0.7, -2.5])
def test_a_sole_stands_flat_on_a_tilted_surface(yaw):
    surface = plane((0.1, 0.0, 0.02), (0.08, -0.05, 0.3))
    foothold = GroundMap((surface,), SOLE).find_foothold(np.array([0.2, 0.1]), yaw, 0.0)
    rotation = pin.rpy.rpyToMatrix(foothold.roll, foothold.pitch, 0.0)
    turned = pin.rpy.rpyToMatrix(0.0, 0.0, yaw) @ rotation
    assert turned[:, 2] == pytest.approx(surface.pose[:3, 2], abs=1e-3)  # yaw of a tilted sole is that of its shadow
    place = np.array([0.2, 0.1, foothold.height])
    assert surface.pose[:3, 2] @ (place - surface.pose[:3, 3]) == pytest.approx(0.0, abs=1e-9)


def test_over_an_edge_it_is_put_down_level_on_what_is_higher():
    low, high = plane(), plane((0.5, 0.0, 0.03))
    foothold = GroundMap((low, high), SOLE).find_foothold(np.array([-0.05, 0.0]), 0.0, 0.0)
    assert (foothold.height, foothold.roll, foothold.pitch) == pytest.approx((0.03, 0.0, 0.0))


def test_the_highest_of_surfaces_that_lie_over_each_other_counts():
    foothold = GroundMap((plane(), plane((0.0, 0.0, 0.05))), SOLE).find_foothold(np.zeros(2), 0.0, 0.0)
    assert foothold.height == pytest.approx(0.05)


@pytest.mark.parametrize("surface", [plane((0.0, 0.0, MAX_CLIMB + 0.01)), plane((5.0, 0.0, 0.0)), plane(rpy=(0.4, 0.0, 0.0))])
def test_what_is_too_high_too_far_or_too_steep_is_as_if_nothing_were_known(surface):
    foothold = GroundMap((surface,), SOLE).find_foothold(np.zeros(2), 0.0, 0.01)
    assert (foothold.height, foothold.roll, foothold.pitch) == (0.01, 0.0, 0.0)


def test_a_place_is_found_where_a_sole_is_on_no_edge():
    ground = GroundMap((plane(), plane((0.5, 0.0, 0.05))), SOLE)
    places = np.array([[0.02, 0.0], [-0.05, 0.0], [-0.15, 0.0], [0.2, 0.0]])
    assert ground.find_even(places, 0.0, 0.0) == 2
    assert ground.find_even(places[3:], 0.0, 0.0) == 0
    assert ground.find_even(places[:2], 0.0, 0.0) is None
    assert ground.find_even(np.array([[5.0, 0.0]]), 0.0, 0.0) == 0  # nothing is known there


def test_an_edge_of_a_centimetre_is_none():
    ground = GroundMap((plane(), plane((0.5, 0.0, 0.01))), SOLE)
    assert ground.find_even(np.array([[0.0, 0.0]]), 0.0, 0.0) == 0


@pytest.mark.parametrize("ahead", [-0.06, -0.02, 0.03, 0.09])
def test_at_the_foot_of_a_ramp_it_stands_as_it_comes_to_rest(ahead):
    slope = math.radians(10.0)
    ramp = plane((0.5 * math.cos(slope), 0.0, 0.5 * math.sin(slope)), (0.0, -slope, 0.0))
    foothold = GroundMap((plane((-0.3, 0.0, 0.0)), ramp), SOLE).find_foothold(np.array([ahead, 0.0]), 0.0, 0.0)
    heel, toe = (foothold.height - math.tan(foothold.pitch) * x for x in (-SOLE[0], SOLE[0]))
    assert heel == pytest.approx(max(0.0, math.tan(slope) * (ahead - SOLE[0])), abs=1e-6)
    assert toe == pytest.approx(math.tan(slope) * (ahead + SOLE[0]), abs=1e-6)
    assert foothold.roll == pytest.approx(0.0, abs=1e-9)
