"""How much of a sole the ground bears, and where a foot is put that would bear too little."""

import numpy as np
import pytest

from handhold.perception.surface import Surface
from handhold.retarget.walking.bearing import LEAST_RATIO
from handhold.retarget.walking.foothold_choice import Reach, choose_foothold
from handhold.retarget.walking.ground import GroundMap

SOLE = np.array([0.10, 0.065])
AHEAD = np.array([1.0, 0.0])
REACH = Reach(support=np.array([0.0, -0.1]), axes=np.eye(2), lower=np.array([-0.3, 0.16]), upper=np.array([0.5, 0.44]))
CELL = 0.013  # [m] nothing is known finer than the cells of a sole


def plane(size: tuple[float, float], middle: tuple[float, float, float]) -> Surface:
    pose = np.eye(4)
    pose[:3, 3] = middle
    corners = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]) * size
    return Surface(pose=pose, boundary=corners, area=4.0 * size[0] * size[1], quality=1.0, age=0.0)


FLOOR = plane((5.0, 5.0), (0.0, 0.0, -0.3))


def test_a_sole_over_an_edge_bears_as_far_as_the_edge() -> None:
    ground = GroundMap((plane((1.0, 1.0), (0.0, 0.0, 0.0)), FLOOR), SOLE)
    bearing = ground.find_bearing(np.array([0.94, 0.0]), 0.0, 0.0)
    assert bearing.ratio == pytest.approx(0.8, abs=0.08)
    assert bearing.displacement[0] == pytest.approx(-0.02, abs=CELL)
    assert bearing.half_lengths[0] == pytest.approx(0.08, abs=CELL)
    assert bearing.half_lengths[1] == pytest.approx(SOLE[1])
    assert ground.find_bearing(np.array([0.5, 0.0]), 0.3, 0.0).ratio == 1.0


def test_a_sole_beside_what_is_higher_does_not_bear() -> None:
    ground = GroundMap((plane((5.0, 5.0), (0.0, 0.0, 0.0)), plane((0.2, 1.0), (0.31, 0.0, 0.06))), SOLE)
    assert ground.find_bearing(np.array([0.0, 0.0]), 0.0, 0.0).ratio == 0.0  # its toes would be 1 cm before the step's face
    assert ground.find_bearing(np.array([-0.03, 0.0]), 0.0, 0.0).ratio == 1.0


def test_what_is_unknown_bears() -> None:
    assert GroundMap((), SOLE).find_bearing(np.zeros(2), 0.0, 0.0).ratio == 1.0


@pytest.mark.parametrize("gap", [0.05, 0.08])
def test_over_a_gap_a_foot_is_put_beyond_it(gap: float) -> None:
    near, far = plane((0.15, 1.0), (0.0, 0.0, 0.0)), plane((0.15, 1.0), (0.30 + gap, 0.0, 0.0))
    ground = GroundMap((near, far, FLOOR), SOLE)
    planned = np.array([0.15 + 0.5 * gap, 0.1])
    chosen = choose_foothold(ground, REACH, planned, AHEAD, 0.0, 0.0)
    assert chosen is not None
    assert chosen.place[0] > 0.15 + gap
    assert chosen.bearing.ratio >= LEAST_RATIO
    again = choose_foothold(ground, REACH, planned + 0.01, AHEAD, 0.0, 0.0, chosen.place)
    assert again is not None
    np.testing.assert_array_equal(again.place, chosen.place)


def test_where_nothing_within_reach_bears_there_is_no_foothold() -> None:
    ground = GroundMap((plane((0.15, 0.06), (0.0, -0.1, 0.0)), FLOOR), SOLE)
    assert choose_foothold(ground, REACH, np.array([0.2, 0.1]), AHEAD, 0.0, 0.0) is None
