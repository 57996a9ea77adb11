"""Previews against what then happens, on a simulated robot: switches that can be done and one that cannot."""

from importlib import resources

import numpy as np
import pytest

from handhold.app.lab.benches.preview_agreement import Trial, compute_preview_agreement, describe, summarise, try_stances
from handhold.app.lab.benches.random_stances import draw_stance
from handhold.app.lab.scenarios.scenario import RobotUnfit
from handhold.robots.model import load_model

HAND, WIDE, WALL = 5, 11, 2
"""Numbers of stances in the draw: a hand that braces and can go, a foot that cannot, and a hand before a wall."""

SEED = 0


@pytest.mark.parametrize(("number", "succeeds"), [(HAND, True), (WIDE, False), (WALL, True)])
def test_the_preview_said_what_then_happened_and_a_failure_leaves_the_robot_as_it_stood(number, succeeds):
    (trial,) = try_stances(load_model("talos"), range(number, number + 1), SEED)
    assert trial.predicted is trial.happened is succeeds
    assert trial.adds is (number == WALL)
    assert trial.agrees
    assert trial.restored
    assert not trial.fell
    assert trial.failures == 0
    assert bool(trial.obstacles) is not succeeds


def test_a_robot_without_hands_is_refused_in_a_line(tmp_path):
    about = (resources.files("handhold.robots") / "descriptions" / "talos.toml").read_text(encoding="utf-8")
    file = tmp_path / "handless.toml"
    # grippers are at hands
    about = about[: about.index("[[grippers]]")] + about[about.index("[walking]") :]
    file.write_text(about.replace('hand = "left"', "").replace('hand = "right"', ""), encoding="utf-8")
    with pytest.raises(RobotUnfit, match="bench preview needs a hand"):
        compute_preview_agreement(str(file), 1, SEED, 1)


def test_the_same_seed_draws_the_same_stance():
    model = load_model("talos")
    one, other = (draw_stance(model, np.random.default_rng((SEED, 7))) for _ in range(2))
    assert np.array_equal(one.seiko.q, other.seiko.q)
    assert one.effector == other.effector


def make_trial(**changes):
    return Trial(
        **(
            {
                "stance": 0,
                "effector": "left_foot",
                "adds": False,
                "contacts": ("left_foot", "right_foot"),
                "predicted": True,
                "happened": True,
                "obstacles": (),
                "fell": False,
                "moved_com": 0.3,
                "kept_stance": False,
                "cost": 0.1,
                "failures": 0,
                "said": (),
            }
            | changes
        )
    )


def test_only_what_failed_must_be_left_as_it_stood():
    assert make_trial().restored
    assert not make_trial(happened=False, kept_stance=True).restored
    assert make_trial(happened=False, kept_stance=True, moved_com=0.01).restored
    assert not make_trial(happened=False, moved_com=0.01).restored


def test_agreement_is_the_share_of_trials_that_went_as_foreseen():
    trials = [make_trial(), make_trial(happened=False, fell=True), make_trial(predicted=False), make_trial()]
    figures = {figure.name: figure for figure in summarise(trials)}
    assert figures["preview_agreement"].value == 50.0
    assert not figures["preview_agreement"].holds
    assert figures["preview_share_yes"].value == 75.0
    assert figures["falls"].value == 1.0
    assert describe(trials[1])["fell"] is True
