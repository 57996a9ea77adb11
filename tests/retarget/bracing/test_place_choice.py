"""Places that are offered to the operator, and which one he takes."""

from dataclasses import replace

import numpy as np
import pytest

from handhold.perception.brace_place import BracePlace, find_place_fault
from handhold.perception.surface import Surface
from handhold.retarget.bracing.candidates.brace_site import MAX_AGE
from handhold.retarget.bracing.candidates.offers import MAX_TAKEN_AGE, MIN_GAIN, list_offers
from handhold.retarget.bracing.candidates.place_choice import TOGGLE, PlaceChoice
from handhold.robots.model import load_model

REGION = np.array([[0.2, 0.0], [0.0, 0.2], [-0.2, 0.0]])


@pytest.fixture(scope="module")
def talos():
    return load_model("talos")


@pytest.fixture(scope="module")
def hands(talos):
    return talos.effector_index("left_hand"), talos.effector_index("right_hand")


def make_place(surface, hand, gain=0.02, point=(0.7, 0.1, 1.1), **changes):
    values = {
        "surface": surface,
        "hand": hand,
        "point": np.array(point),
        "axis": np.array([0.0, 0.0, 1.0]),
        "gain": gain,
        "torque_ratio": 0.5,
        "region": REGION,
        "margin": 0.06,
        "edge": 0,
        "limit": "left foot edge",
    }
    return BracePlace(**(values | changes))


def make_wall(identity, *places, x=0.7, age=0.0):
    pose = np.eye(4)
    pose[:3, :3] = [[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    pose[:3, 3] = (x, 0.0, 1.0)
    boundary = np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])
    return Surface(pose=pose, boundary=boundary, area=4.0, quality=1.0, age=age, identity=identity, places=places)


def test_the_best_place_is_offered_first_and_what_takes_away_is_not(hands):
    left, right = hands
    walls = (
        make_wall(1, make_place(1, left, 0.01), make_place(1, right, 2.0 * MIN_GAIN)),
        make_wall(2, make_place(2, right, 0.03)),
    )
    assert [offer.key for offer in list_offers(walls, hands)] == [((right, 2),), ((left, 1),)]
    assert [offer.key for offer in list_offers(walls, (left,))] == [((left, 1),)]


def test_a_pair_is_one_offer_for_both_hands_and_needs_both(hands):
    left, right = hands
    wall = make_wall(1, make_place(1, left, 0.01, pair_gain=0.05), make_place(1, right, 0.02, pair_gain=0.05))
    offers = list_offers((wall,), hands)
    assert offers[0].hands == hands
    assert offers[0].gain == 0.05
    assert len(offers) == 3
    assert [offer.hands for offer in list_offers((wall,), (right,))] == [(right,)]


def test_nothing_is_offered_of_what_was_not_seen_for_a_while(hands):
    left, _ = hands
    assert list_offers((make_wall(1, make_place(1, left), age=1.01 * MAX_AGE),), hands) == ()


def test_the_operator_goes_through_what_is_offered_and_past_its_end_takes_none(talos, hands):
    left, right = hands
    choice = PlaceChoice(talos)
    assert choice.toggles == ()
    choice.update((make_wall(1, make_place(1, left, 0.01), make_place(1, right, 0.02)),), hands)
    assert [(toggle.name, toggle.on) for toggle in choice.toggles] == [(TOGGLE, False)]
    seen = []
    for _ in range(3):
        choice.take_next()
        seen.append(None if choice.taken is None else choice.taken.hands)
        assert choice.toggles[0].on == (choice.taken is not None)
        assert [candidate.hand for candidate in choice.candidates if candidate.chosen] == (
            [] if choice.taken is None else [talos.effectors[choice.taken.hands[0]].hand]
        )
    assert seen == [(right,), (left,), None]


def test_what_was_taken_stays_though_the_ranking_changes_or_leaves_it_out(talos, hands):
    left, right = hands
    choice = PlaceChoice(talos)
    choice.update((make_wall(1, make_place(1, left, 0.03), make_place(1, right, 0.02)),), hands)
    choice.take_next()
    assert choice.update((make_wall(1, make_place(1, right, 0.04), make_place(1, left, 0.01)),), hands) == ""
    assert choice.taken.hands == (left,)
    assert choice.update((make_wall(1, make_place(1, right, 0.04)),), hands) == ""
    assert choice.taken.hands == (left,)
    assert "1 offered" not in choice.toggles[0].title
    choice.take_next()
    assert choice.taken is None


def test_a_place_that_was_taken_on_a_surface_that_is_gone_or_old_is_given_up_and_the_operator_is_told(talos, hands):
    left, _ = hands
    for after in ((), (make_wall(1, make_place(1, left), age=1.01 * MAX_TAKEN_AGE),), (make_wall(2, make_place(2, left)),)):
        choice = PlaceChoice(talos)
        choice.update((make_wall(1, make_place(1, left)),), hands)
        choice.take_next()
        assert "not seen" in choice.update(after, hands)
        assert choice.taken is None
        assert choice.find_place(left) is None


def test_a_hand_that_has_braced_has_no_place_any_more_and_the_other_one_of_a_pair_has(talos, hands):
    left, right = hands
    wall = make_wall(1, make_place(1, left, 0.01, pair_gain=0.05), make_place(1, right, 0.02, pair_gain=0.05))
    choice = PlaceChoice(talos)
    choice.update((wall,), hands)
    choice.take_next()
    assert choice.taken.hands == hands
    assert choice.update((wall,), (right,)) == ""
    assert choice.taken.hands == (right,)
    assert choice.update((wall,), ()) == ""
    assert choice.taken is None


def test_a_place_goes_along_with_a_surface_that_is_known_better(talos, hands):
    left, _ = hands
    choice = PlaceChoice(talos)
    choice.update((make_wall(1, make_place(1, left)),), hands)
    choice.take_next()
    radius = talos.effectors[left].radius
    assert choice.find_place(left).position == pytest.approx([0.7 - radius, 0.1, 1.1])
    choice.update((make_wall(1, make_place(1, left), x=0.72),), hands)
    assert choice.find_place(left).position == pytest.approx([0.72 - radius, 0.1, 1.1])
    assert choice.describe_region(0.0).vertices == pytest.approx(REGION)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"point": np.array([np.nan, 0.0, 0.0])}, "number"),
        ({"point": np.zeros(2)}, "point"),
        ({"region": np.zeros((100, 2))}, "polygon"),
        ({"edge": 7}, "edge"),
        ({"gain": np.inf}, "number"),
        ({"pair_gain": -np.inf}, "number"),
    ],
)
def test_a_place_that_is_none_is_told_in_words(hands, changes, words):
    assert find_place_fault(make_place(1, hands[0])) == ""
    assert words in find_place_fault(replace(make_place(1, hands[0]), **changes))


def test_a_surface_of_several_parts_is_offered_once_with_its_best_place(hands):
    left, _ = hands
    places = make_place(1, left, 0.01), make_place(1, left, 0.03)
    (offer,) = list_offers((make_wall(1, *places), make_wall(1, *places)), hands)
    assert offer.gain == 0.03


def test_a_place_that_was_taken_does_not_move_while_the_ranking_goes_on(talos, hands):
    left, right = hands
    choice = PlaceChoice(talos)
    choice.update((make_wall(1, make_place(1, left, pair_gain=0.05), make_place(1, right, pair_gain=0.05)),), hands)
    choice.take_next()
    places = [make_place(1, hand, point=(0.7, 0.3, 1.4), pair_gain=0.05) for hand in hands]
    choice.update((make_wall(1, *places),), hands)
    assert choice.find_place(left).position[1:] == pytest.approx([0.1, 1.1])
    chosen = [candidate for candidate in choice.candidates if candidate.chosen]
    assert {candidate.hand for candidate in chosen} == {"left", "right"}
    assert all(candidate.pose[1:3, 3] == pytest.approx([0.1, 1.1]) for candidate in chosen)
