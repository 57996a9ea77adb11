"""How far a robot may walk on what is known of the ground."""

import numpy as np
import pytest

from handhold.perception.surface import Surface
from handhold.retarget.walking.footsteps import LEFT, RIGHT, WalkingVelocity
from handhold.retarget.walking.ground import GroundMap
from handhold.retarget.walking.path_ahead import Walk, apply_stop_hysteresis, find_free_ratios, find_pace, find_stepping_ratio
from handhold.retarget.walking.stride import Stance

SOLE = np.array([0.10, 0.06])
CORNERS = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
FORWARD = WalkingVelocity(forward=0.5)
TIME = 1.6  # [s]: 0.8 m ahead


def level(x, height, half_lengths=(0.5, 1.0)):
    pose = np.eye(4)
    pose[:3, 3] = x, 0.0, height
    return Surface(pose=pose, boundary=CORNERS * half_lengths, area=1.0, quality=1.0, age=0.0)


FLOOR = level(0.0, 0.0, (10.0, 10.0))


def shares(*surfaces, velocity=FORWARD, yaw=0.0, height=0.0, x=0.0):
    c, s = np.cos(yaw), np.sin(yaw)
    feet = np.tile(np.eye(4), (2, 1, 1))
    feet[:, :2, :2] = [[c, -s], [s, c]]
    feet[:, :2, 3] = np.array([[-s, c], [s, -c]]) * 0.085 + [x, 0.0]
    return find_free_ratios(GroundMap(surfaces, SOLE), feet, height, velocity, TIME)


def share(*surfaces, **at):
    return shares(*surfaces, **at)[0]


def test_over_a_floor_and_over_nothing_known_it_may_go_on():
    assert shares(FLOOR) == (1.0, 1.0)
    assert shares() == (1.0, 1.0)


@pytest.mark.parametrize("height", [0.10, 0.3, 0.75])
def test_before_a_box_or_a_table_it_slows_down_and_stops(height):
    assert (
        share(FLOOR, level(1.2, height)) == 0.625
    )  # soles end 0.1 m ahead of their middle: less than 0.6 m of 0.8 m are free
    assert share(FLOOR, level(0.7, height)) == 0.0


def test_a_rail_that_is_thinner_than_a_sole_is_seen():
    assert share(FLOOR, level(0.55, 0.12, (0.02, 1.0))) == 0.5


def test_under_something_high_it_may_go_on():
    assert share(FLOOR, level(0.7, 2.0)) == 1.0


def test_steps_up_one_after_the_other_are_walked_over():
    stairs = [level(0.425 + 0.25 * k, 0.05 * (k + 1), (0.125, 1.0)) for k in range(3)]
    assert share(FLOOR, *stairs) == 1.0


def test_before_a_drop_it_stops():
    platform = level(0.0, 0.2)
    assert share(FLOOR, platform, height=0.2) == 0.375  # its edge is 0.5 m ahead: less than 0.4 m are free
    assert share(FLOOR, platform, velocity=WalkingVelocity(sideways=0.1), height=0.2) == 1.0


def test_from_under_a_table_and_from_over_an_edge_it_walks_back_but_not_on():
    back = WalkingVelocity(forward=-0.3)
    table, platform = level(0.5, 0.75), level(0.0, 0.2)
    assert share(FLOOR, table) == 0.0
    assert share(FLOOR, table, velocity=back) == 1.0
    assert share(FLOOR, platform, height=0.2, x=0.45) == 0.0
    assert share(FLOOR, platform, height=0.2, x=0.45, velocity=back) == 1.0


def test_where_it_looks_is_where_it_goes():
    box = level(1.2, 0.3, (0.5, 0.5))
    assert share(FLOOR, box, yaw=np.pi / 2) == 1.0
    assert share(FLOOR, box, velocity=WalkingVelocity(sideways=-0.5), yaw=np.pi / 2) >= 0.5


def test_it_does_not_turn_a_sole_over_an_edge():
    platform = level(0.0, 0.2, (0.11, 1.0))  # 1 cm beyond the soles' tips
    turn = WalkingVelocity(turning=0.5)
    assert shares(FLOOR, platform, height=0.2, velocity=turn) == (1.0, 0.0)
    assert shares(FLOOR, level(0.0, 0.2), height=0.2, velocity=turn) == (1.0, 1.0)


def test_a_map_that_is_a_little_too_high_or_low_changes_nothing():
    low, high = level(0.0, -0.04, (10.0, 10.0)), level(1.2, 0.02)
    assert share(low, high) == 1.0


def pace(*surfaces, velocity=FORWARD, height=0.0, x=0.0):
    feet = np.tile(np.eye(4), (2, 1, 1))
    feet[:, :2, 3] = [[x, 0.085], [x, -0.085]]
    return find_pace(GroundMap(surfaces, SOLE), feet, height, velocity, TIME)


def test_over_level_and_unknown_ground_it_goes_as_fast_as_it_can():
    assert pace() == pace(FLOOR) == pace(FLOOR, level(2.0, 0.05)) == 1.0
    assert pace(FLOOR, level(0.7, 2.0)) == 1.0


@pytest.mark.parametrize("height", [0.05, -0.05])
def test_the_more_the_ground_goes_up_and_down_ahead_the_slower_it_goes(height):
    assert pace(level(0.0, 0.0), level(1.0, height)) == pytest.approx(1.0 - 0.05 / 0.16)
    steps = [level(0.55, height, (0.2, 1.0)), level(1.0, 2.0 * height, (0.25, 1.0))]
    assert pace(level(0.0, 0.0, (0.35, 1.0)), *steps) == pytest.approx(1.0 - 0.10 / 0.16)


def test_over_any_steps_it_goes_on_slowly():
    stairs = [level(0.225 + 0.15 * k, 0.07 * (k + 1), (0.075, 1.0)) for k in range(5)]
    assert pace(level(0.0, 0.0, (0.15, 1.0)), *stairs) == 0.25


def test_a_rail_slows_it_down_wherever_it_lies_under_the_soles():
    paces = {pace(FLOOR, level(0.3 + 0.01 * k, 0.06, (0.03, 1.0))) for k in range(20)}
    assert sorted(paces) == pytest.approx([1.0 - 0.06 / 0.16])


def test_a_foot_that_has_not_climbed_yet_is_waited_for():
    assert pace(level(0.0, 0.0, (0.5, 0.3)), level(0.0, 0.05, (2.0, 0.08)), height=0.05) < 1.0


def test_who_has_stopped_before_the_ground_ahead_does_not_begin_again_for_a_little_more_of_it():
    assert apply_stop_hysteresis(0.0, 0.125) == 0.0
    assert apply_stop_hysteresis(0.0, 0.25) == 0.25
    assert apply_stop_hysteresis(0.125, 0.125) == 0.125
    assert apply_stop_hysteresis(1.0, 0.0) == 0.0


@pytest.mark.parametrize(("step", "slower"), [(1e-6, False), (0.009, False), (0.04, True)])
def test_a_robot_is_not_slower_for_ground_that_is_all_but_even(step: float, slower: bool) -> None:
    surfaces = (FLOOR, level(0.6, step))
    feet = np.tile(np.eye(4), (2, 1, 1))
    feet[:, 1, 3] = 0.1, -0.1
    pace = find_pace(GroundMap(surfaces, SOLE), feet, 0.0, WalkingVelocity(forward=0.3), TIME)
    assert (pace < 1.0) is slower


@pytest.mark.parametrize(("half_width", "share"), [(0.1, 1.0), (0.075, 0.0)])
def test_a_beam_over_a_drop_is_stepped_onto_only_where_both_feet_find_room(walking, half_width, share):
    platform, beam = level(-0.5, 0.0, (0.6, 1.0)), level(1.3, 0.0, (1.2, half_width))
    ground = GroundMap((level(0.0, -0.3, (10.0, 10.0)), platform, beam), np.array([0.10, 0.065]))
    stance = Stance(support=np.array([0.05, -0.09]), angle=0.0, height=0.0, lift_off_height=0.0)
    walk = Walk(velocity=WalkingVelocity(forward=0.3), gait=walking)
    assert find_stepping_ratio(ground, stance, RIGHT, walk) == share


@pytest.mark.parametrize("side", [LEFT, RIGHT])
@pytest.mark.parametrize("angle", [0.0, 1.1])
@pytest.mark.parametrize(
    "velocity",
    [
        WalkingVelocity(sideways=0.12),
        WalkingVelocity(sideways=-0.12),
        WalkingVelocity(sideways=0.03),
        WalkingVelocity(forward=0.1, sideways=0.1),
        WalkingVelocity(forward=-0.1, sideways=-0.1),
        WalkingVelocity(forward=0.03, turning=0.35),
        WalkingVelocity(forward=0.02, turning=-0.3),
        WalkingVelocity(sideways=0.003, turning=0.3),
        WalkingVelocity(forward=-0.02, sideways=0.02, turning=-0.35),
    ],
    ids=lambda velocity: f"{velocity.forward:g} {velocity.sideways:g} {velocity.turning:g}",
)
def test_on_a_floor_footsteps_to_any_side_find_support(walking, velocity, angle, side):
    ground = GroundMap((FLOOR,), np.array([0.10, 0.065]))
    stance = Stance(support=np.array([0.0, 0.09 * side]), angle=angle, height=0.0, lift_off_height=0.0)
    assert find_stepping_ratio(ground, stance, side, Walk(velocity=velocity, gait=walking)) == 1.0
