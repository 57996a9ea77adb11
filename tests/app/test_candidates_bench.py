"""Candidates in random rooms: the rooms, an exhaustive search and the figures."""

import json

import numpy as np
import pytest

from handhold.app.host.surfaces import list_surfaces
from handhold.app.lab.benches.candidates import LEAST_GAIN, SEED, RoomResult, compare_candidates, summarise
from handhold.app.lab.benches.exhaustive_candidates import find_nearest_gain, search_exhaustively
from handhold.app.lab.benches.random_rooms import ROOM, draw_room, list_balls, measure_room
from handhold.app.lab.benches.random_stances import draw_free_stance
from handhold.retarget.bracing.candidates.held_posture import hold_posture
from handhold.retarget.bracing.candidates.search import CandidateSearch
from handhold.retarget.bracing.margin.contact_retargeting import compute_distance_before
from handhold.robots.model import load_model
from handhold.robots.worlds import Solid

CORNERED = 46
"""A room whose best place is at the rim of the hand's reach, where an estimate promises less than elsewhere."""


@pytest.fixture(scope="module")
def talos():
    return load_model("talos")


@pytest.fixture(scope="module")
def room(talos):
    return draw_room(talos, np.random.default_rng((SEED, 0)))


def test_a_few_rooms_give_all_figures():
    outcome = compare_candidates(2, SEED)
    figures = {figure.name: figure for figure in outcome.figures}
    assert {"best_gain_ratio", "nearest_gain_ratio", "ranking_kernels", "ranking_kernels_p95", "rooms_without_gain"} <= set(
        figures
    )
    assert figures["best_gain_ratio"].must == 0.9
    assert figures["best_gain_ratio"].holds
    assert figures["best_gain_ratio"].value < 1.5
    assert figures["ranking_kernels"].value > 0.0
    assert figures["candidates"].value >= 1.0
    assert len(json.loads(json.dumps(outcome.to_json()))["rooms"]) == 2


def make_result(**changes):
    values = {
        "first": 0.05,
        "best": 0.05,
        "nearest": 0.0,
        "candidates": 5,
        "kernels": 100.0,
        "pair_kernels": 20.0,
        "driven": 0.001,
    }
    return RoomResult(**(values | changes))


def read(results):
    return {figure.name: figure.value for figure in summarise(results)}


def test_the_ratio_is_that_of_the_worst_room_and_rooms_without_gain_count_apart():
    results = [make_result(first=0.05 * k / 100.0) for k in range(50, 151)]
    nothing = [make_result(first=0.0, best=0.5 * LEAST_GAIN)] * 7
    figures = read([*results, *nothing])
    assert figures["best_gain_ratio"] == pytest.approx(0.5)
    assert figures["best_gain_ratio_p10"] == pytest.approx(0.6)
    assert figures["rooms_without_gain"] == 7.0
    assert figures["ranking_kernels_for_ten"] == pytest.approx(200.0)


def test_without_a_room_that_gains_anything_the_must_does_not_hold():
    figures = summarise([make_result(best=0.0)])
    assert not next(figure for figure in figures if figure.name == "best_gain_ratio").holds


def test_the_same_seed_draws_the_same_room_and_nothing_in_it_touches_the_robot(talos, room):
    again = draw_room(talos, np.random.default_rng((SEED, 0)))
    assert np.array_equal(again.seiko.q, room.seiko.q)
    assert again.world == room.world
    balls = list_balls(talos, room.seiko)
    assert room.world.solids
    assert all(measure_room(solid, balls) > ROOM for solid in room.world.solids)


def test_a_free_stance_is_on_all_feet_and_at_rest(talos):
    seiko = draw_free_stance(talos, np.random.default_rng(3))
    assert seiko.stance.effectors == (0, 1)
    assert np.abs(seiko.v).max() == 0.0


def test_the_room_about_a_box_is_the_distance_from_its_sides():
    box = Solid(name="box", size=(1.0, 1.0, 1.0), position=(0.0, 0.0, 0.0))
    balls = np.array([[0.9, 0.0, 0.0, 0.1], [0.8, 0.9, 0.0, 0.0]])
    assert measure_room(box, balls[:1]) == pytest.approx(0.3)
    assert measure_room(box, balls[1:]) == pytest.approx(0.5)
    assert measure_room(box, np.array([[0.0, 0.0, 0.0, 0.1]])) == pytest.approx(-0.1)


@pytest.mark.parametrize("number", [0, CORNERED])
def test_ranking_and_exhaustive_search_find_as_much_within_a_tenth(talos, number):
    room = draw_room(talos, np.random.default_rng((SEED, number)))
    posture, surfaces, search = hold_posture(room.seiko), list_surfaces(room.world), CandidateSearch(talos)
    ranked = search.rank(posture, surfaces)
    gains = search_exhaustively(search, posture, surfaces)
    # A grid misses the very best places: those that an ascent goes on to.
    assert 0.9 * ranked[0].gain < max(each.gain for each in gains) < ranked[0].gain / 0.9
    assert len({(each.hand, id(each.surface)) for each in gains}) == len(gains)
    assert find_nearest_gain(talos, room.seiko, surfaces, gains) in {0.0, *(each.gain for each in gains)}


def test_the_distance_from_a_surface_counts_from_its_boundary_and_only_in_front(room):
    floor = list_surfaces(room.world)[0]
    assert compute_distance_before(np.array([0.3, 0.2, 0.7]), floor) == pytest.approx(0.7)
    assert compute_distance_before(np.array([13.0, 0.0, 4.0]), floor) == pytest.approx(5.0)
    assert compute_distance_before(np.array([0.0, 0.0, -0.1]), floor) == np.inf
