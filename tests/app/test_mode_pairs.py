"""Every ordered pair of modes is changed between, and the way through all of them is short."""

from itertools import pairwise

import numpy as np
import pytest

from handhold.app.lab.acceptance_parts import find_part
from handhold.app.lab.scenarios.mode_changes import MODE_CHANGES
from handhold.app.lab.scenarios.mode_pairs import ModePairs
from handhold.app.lab.scenarios.run import run_scenario

MODES = ("bracing", "walking", "motions", "whole-body")
SHORT = 14.0  # [s] simulated: a hand braces, walking is refused for it, and asked for again
DETOURS = 1  # changes more than there are pairs, at most


def go_through(pairs: ModePairs, mode: str) -> list[str]:
    """Return the modes in the order in which they are in charge until no pair is left."""
    taken = [mode]
    while not pairs.all_tried:
        chosen = pairs.choose(taken[-1])
        pairs.note_made((taken[-1], chosen))
        taken.append(chosen)
    return taken


@pytest.mark.parametrize("count", [2, 3, 4])
def test_one_walk_leads_along_every_ordered_pair(count):
    for seed in range(50):
        pairs = ModePairs(MODES[:count], np.random.default_rng(seed))
        taken = go_through(pairs, MODES[0])
        expected = {(before, after) for before in MODES[:count] for after in MODES[:count] if before != after}
        assert set(pairs.made) == expected == set(pairwise(taken))
        assert len(taken) - 1 <= len(expected) + DETOURS


def test_the_order_of_the_pairs_hangs_on_the_seed():
    orders = {tuple(go_through(ModePairs(MODES, np.random.default_rng(seed)), "bracing")) for seed in range(25)}
    assert len(orders) > 5


def test_a_pair_that_was_asked_for_in_vain_is_not_asked_for_again_and_not_made():
    pairs = ModePairs(MODES[:2], np.random.default_rng(0))
    pairs.give_up(("bracing", "walking"))
    assert not pairs.any_open("bracing")
    assert pairs.choose("bracing") == "walking"
    pairs.note_made(("bracing", "walking"))
    assert pairs.made == ()


def test_modes_change_without_a_jump_where_the_robot_is_in_the_middle_of_something():
    outcome, trace = run_scenario(MODE_CHANGES, "talos", "mujoco", 0, duration=SHORT)
    # So short a run cannot lead along all pairs.
    assert not [figure for figure in outcome.figures if not figure.holds and figure.name != "pairs"]
    assert 1.0 <= trace.notes["pairs"] == trace.notes["reached"] < trace.notes["possible"] == len(MODES) * (len(MODES) - 1)


def test_the_acceptance_asks_at_25_moments_in_both_engines():
    runs = [run for run in find_part("mode-changes") if "talos" in run.words]
    assert sorted(run.seed for run in runs) == list(range(25))
    assert {run.words[run.words.index("--engine") + 1] for run in runs} == {"mujoco", "pybullet"}
