"""How much of a sole the ground bears, and where a foot is put that would bear too little."""

from dataclasses import replace

import numpy as np
import pytest

from handhold.perception.surface import Surface
from handhold.retarget.walking.contact_area import MIN_FOOTHOLD_RATIO
from handhold.retarget.walking.foothold_choice import ChosenFoothold, choose_foothold
from handhold.retarget.walking.ground import GroundMap
from handhold.retarget.walking.stride import Stance, Stride

SOLE = np.array([0.10, 0.065])
AHEAD = np.array([1.0, 0.0])
SUPPORT = np.array([0.0, -0.1])
STANCE = Stance(support=SUPPORT, angle=0.0, height=0.0, lift_off_height=0.0)
CELL = 0.013  # [m] nothing is known finer than the cells of a sole


def plane(size: tuple[float, float], middle: tuple[float, float, float]) -> Surface:
    pose = np.eye(4)
    pose[:3, 3] = middle
    corners = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]) * size
    return Surface(pose=pose, boundary=corners, area=4.0 * size[0] * size[1], quality=1.0, age=0.0)


def stride(x: float, side: float = 1.0, y: float = 0.2) -> Stride:
    """Return what is asked of a footstep to the left or else to the right."""
    near, far = 0.16 * side, 0.44 * side
    lower, upper = np.array([-0.3, min(near, far)]), np.array([0.5, max(near, far)])
    return Stride(desired=np.array([x, side * y]), lower=lower, upper=upper, direction=AHEAD, angle=0.0)


def choose(
    ground: GroundMap, planned: np.ndarray, stance: Stance = STANCE, kept: ChosenFoothold | None = None
) -> ChosenFoothold | None:
    displacement = planned - stance.support
    return choose_foothold(ground, stance, (stride(displacement[0], y=displacement[1]), stride(0.2, -1.0)), kept)


FLOOR = plane((5.0, 5.0), (0.0, 0.0, -0.3))


def test_a_sole_over_an_edge_bears_as_far_as_the_edge() -> None:
    ground = GroundMap((plane((1.0, 1.0), (0.0, 0.0, 0.0)), FLOOR), SOLE)
    bearing = ground.find_contact_area(np.array([0.94, 0.0]), 0.0, 0.0)
    assert bearing.ratio == pytest.approx(0.8, abs=0.08)
    assert bearing.displacement[0] == pytest.approx(-0.02, abs=CELL)
    assert bearing.half_lengths[0] == pytest.approx(0.08, abs=CELL)
    assert bearing.half_lengths[1] == pytest.approx(SOLE[1])
    assert ground.find_contact_area(np.array([0.5, 0.0]), 0.3, 0.0).ratio == 1.0


@pytest.mark.parametrize(("rise", "ratio"), [(0.0, 1.0), (0.07, 0.5)])
def test_the_unknown_supports_a_sole_on_the_level_of_the_ground_and_on_no_other(rise: float, ratio: float) -> None:
    ground = GroundMap((plane((1.0, 1.0), (1.0, 0.0, rise)),), SOLE)
    area = ground.find_contact_area(np.array([0.0, 0.0]), 0.0, 0.0)
    assert area.ratio == pytest.approx(ratio, abs=0.08)
    ratios, _, _ = ground.rate_footholds(np.array([[0.0, 0.0]]), 0.0, 0.0)
    assert ratios[0] == pytest.approx(ratio, abs=0.08) or ratio < MIN_FOOTHOLD_RATIO


def test_the_unknown_before_lower_ground_supports_nothing() -> None:
    near, below = plane((1.0, 1.0), (-1.0, 0.0, 0.0)), plane((1.0, 1.0), (1.04, 0.0, -0.07))
    sole = np.array([[-0.02, 0.0]])
    for surfaces, ratio in (((near,), 1.0), ((near, below), 0.6), ((near, FLOOR), 0.6)):
        ground = GroundMap(surfaces, SOLE)
        assert ground.find_contact_area(sole[0], 0.0, 0.0).ratio == pytest.approx(ratio, abs=0.01)
        ratios, _, _ = ground.rate_footholds(sole, 0.0, 0.0)
        assert ratios[0] == pytest.approx(ratio, abs=0.08)


@pytest.mark.parametrize("drop", [0.07, 0.3])
@pytest.mark.parametrize("hidden", [0.12, 0.2])
@pytest.mark.parametrize("x", [0.0, 0.02, 0.05])
def test_an_edge_hides_lower_ground_as_far_as_a_camera_cannot_see(x: float, hidden: float, drop: float) -> None:
    near, below = plane((1.0, 1.0), (-1.0, 0.0, 0.0)), plane((1.0, 1.0), (1.0 + hidden, 0.0, -drop))
    area = GroundMap((near, below), SOLE).find_contact_area(np.array([x, 0.0]), 0.0, 0.0)
    assert area.ratio == pytest.approx((0.1 - x) / 0.2, abs=0.01)


def test_beyond_what_is_unknown_level_ground_goes_on() -> None:
    near, far = plane((1.0, 1.0), (-1.0, 0.0, 0.0)), plane((1.0, 1.0), (1.2, 0.0, 0.0))
    assert GroundMap((near, far), SOLE).find_contact_area(np.array([0.0, 0.0]), 0.0, 0.0).ratio == 1.0


def test_a_sole_beside_what_is_higher_does_not_bear() -> None:
    ground = GroundMap((plane((5.0, 5.0), (0.0, 0.0, 0.0)), plane((0.2, 1.0), (0.31, 0.0, 0.06))), SOLE)
    assert (
        ground.find_contact_area(np.array([0.0, 0.0]), 0.0, 0.0).ratio == 0.0
    )  # its toes would be 1 cm before the step's face
    assert ground.find_contact_area(np.array([-0.03, 0.0]), 0.0, 0.0).ratio == 1.0


def test_what_is_unknown_bears() -> None:
    assert GroundMap((), SOLE).find_contact_area(np.zeros(2), 0.0, 0.0).ratio == 1.0


@pytest.mark.parametrize("gap", [0.05, 0.08])
def test_over_a_gap_a_foot_is_put_beyond_it(gap: float) -> None:
    near, far = plane((0.15, 1.0), (0.0, 0.0, 0.0)), plane((0.15, 1.0), (0.30 + gap, 0.0, 0.0))
    ground = GroundMap((near, far, FLOOR), SOLE)
    planned = np.array([0.15 + 0.5 * gap, 0.1])
    chosen = choose(ground, planned)
    assert chosen is not None
    assert chosen.position[0] > 0.15 + gap
    assert chosen.contact_area.ratio >= MIN_FOOTHOLD_RATIO
    again = choose(ground, planned + 0.01, kept=chosen)
    assert again is not None
    np.testing.assert_array_equal(again.position, chosen.position)


def test_where_nothing_within_reach_bears_there_is_no_foothold() -> None:
    ground = GroundMap((plane((0.15, 0.06), (0.0, -0.1, 0.0)), FLOOR), SOLE)
    assert choose(ground, np.array([0.2, 0.1])) is None


BEAM = plane((5.0, 0.1), (0.0, 0.0, 0.06))


@pytest.mark.parametrize(("half_width", "ratio"), [(0.1, 0.654), (0.09, 0.577)])
def test_what_bears_is_measured_finer_than_the_cells_of_a_sole(half_width: float, ratio: float) -> None:
    ground = GroundMap((plane((5.0, half_width), (0.0, 0.0, 0.0)), FLOOR), SOLE)
    bearing = ground.find_contact_area(np.array([0.0, 0.08]), 0.0, 0.0)
    assert bearing.ratio == pytest.approx(ratio, abs=0.005)
    assert bearing.displacement[1] - bearing.half_lengths[1] == pytest.approx(-SOLE[1])
    assert bearing.displacement[1] + bearing.half_lengths[1] == pytest.approx(half_width - 0.08, abs=0.0005)


def test_on_a_beam_a_foot_leaves_room_for_the_other() -> None:
    ground = GroundMap((BEAM, plane((5.0, 5.0), (0.0, 0.0, 0.0))), SOLE)
    stance = Stance(
        support=np.array([0.0, -0.08]), angle=0.0, height=0.06, lift_off_height=0.06, lateral_offset=np.array([0.0, 0.02])
    )
    chosen = choose(ground, np.array([0.24, 0.12]), stance)
    assert chosen is not None
    # On the whole of its sole, nearer the middle, it would keep the other from the beam.
    assert chosen.position[1] == pytest.approx(0.082, abs=0.003)
    assert chosen.contact_area.height == pytest.approx(0.06)
    assert chosen.following is not None
    assert -0.085 < chosen.following[1] <= chosen.position[1] - 0.16


def test_a_beam_is_not_walked_astride() -> None:
    ground = GroundMap((BEAM, plane((5.0, 5.0), (0.0, 0.0, 0.0))), SOLE)
    stance = Stance(
        support=np.array([0.0, -0.19]), angle=0.0, height=0.0, lift_off_height=0.06, lateral_offset=np.array([0.0, -0.09])
    )
    chosen = choose(ground, np.array([0.24, 0.01]), stance)
    assert chosen is not None
    assert not chosen.is_free
    assert chosen.position[1] > 0.077


def test_on_even_ground_a_footstep_is_free() -> None:
    chosen = choose(GroundMap((plane((5.0, 5.0), (0.0, 0.0, 0.0)),), SOLE), np.array([0.24, 0.1]))
    assert chosen is not None
    assert chosen.is_free


@pytest.mark.parametrize(("half_width", "stays"), [(0.1, True), (0.098, True), (0.092, False)])
def test_a_foot_on_its_way_stays_aimed_where_a_little_less_bears(half_width: float, stays: bool) -> None:
    floor = plane((5.0, 5.0), (0.0, 0.0, 0.0))
    stance = Stance(
        support=np.array([0.0, -0.08]), angle=0.0, height=0.06, lift_off_height=0.06, lateral_offset=np.array([0.0, 0.02])
    )
    planned = np.array([0.24, 0.12])
    chosen = choose(GroundMap((BEAM, floor), SOLE), planned, stance)
    assert chosen is not None
    narrower = GroundMap((plane((5.0, half_width), (0.0, 0.0, 0.06)), floor), SOLE)
    again = choose(narrower, planned, stance, kept=chosen)
    assert again is not None
    assert np.array_equal(again.position, chosen.position) is stays


def test_the_other_foot_is_not_sent_off_a_beam_that_this_one_stays_on() -> None:
    ground = GroundMap((BEAM, plane((5.0, 5.0), (0.0, 0.0, 0.0))), SOLE)
    # The operator steers to the left, and the robot is 5 cm to the right of where that leads.
    stance = Stance(
        support=np.array([0.0, 0.0833]), angle=0.0, height=0.06, lift_off_height=0.0, lateral_offset=np.array([0.005, -0.048])
    )
    direction = np.array([0.994, 0.105])
    strides = replace(stride(0.238, -1.0, 0.173), direction=direction), replace(stride(0.24, 1.0, 0.225), direction=direction)
    chosen = choose_foothold(ground, stance, strides)
    assert chosen is not None
    assert chosen.following is not None
    assert chosen.following[1] < 0.085
