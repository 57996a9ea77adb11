"""What a scenario's name and options mean: one run, several, a study of them."""

import math

import pytest

from handhold.app.lab.figures import Figure, Outcome
from handhold.app.lab.scenarios.joint_outcome import join_outcomes
from handhold.app.lab.scenarios.studies import ABLATION, IMPULSES, STUDIES, NoStudy, find_study
from handhold.app.lab.scenarios.table import (
    ALL_RETRIEVALS,
    RETRIEVALS,
    NoSequence,
    UnknownScenario,
    list_scenarios,
    spell_name,
)
from handhold.app.main import run


def make_outcome(*figures: Figure, fell: bool = False) -> Outcome:
    return Outcome("one", "talos", "mujoco", 3, "abc", 10.0, fell, figures)


def test_of_every_figure_the_worst_is_told() -> None:
    joint = join_outcomes(
        "both",
        [
            make_outcome(Figure("error", 1.0, "m", must=2.0), Figure("margin", 0.3, "m", larger_is_better=True)),
            make_outcome(Figure("error", 1.5, "m", must=2.0), Figure("margin", 0.1, "m", larger_is_better=True), fell=True),
        ],
    )
    assert {figure.name: figure.value for figure in joint.figures} == {"error": 1.5, "margin": 0.1}
    assert joint.fell
    assert not joint.holds
    assert joint.duration_s == 20.0
    assert [run["fell"] for run in joint.to_json()["runs"]] == [False, True]


def test_a_figure_that_fails_is_worse_than_one_that_is_larger() -> None:
    strict, loose = Figure("error", 1.0, "m", must=0.5), Figure("error", 9.0, "m")
    assert join_outcomes("both", [make_outcome(loose), make_outcome(strict)]).figures == [strict]
    unknown = Figure("error", math.nan, "m")
    assert join_outcomes("both", [make_outcome(unknown), make_outcome(strict)]).figures == [unknown]


@pytest.mark.parametrize(("seen", "offered"), [(False, False), (True, True)])
def test_retrievals_are_all_three_of_them(seen: bool, offered: bool) -> None:
    names = [scenario.name for scenario in list_scenarios(ALL_RETRIEVALS, seen=seen)]
    assert names == [f"{name}-offered" if offered else name for name in RETRIEVALS]


def test_any_other_name_is_one_scenario() -> None:
    assert [scenario.name for scenario in list_scenarios("climb-1", seen=False)] == ["climb-1"]
    with pytest.raises(UnknownScenario, match="climb-7"):
        list_scenarios("climb-7", seen=True)


def test_a_captured_person_is_named_by_a_number() -> None:
    assert spell_name("climb", 1) == "climb-1"
    assert spell_name("climb-1", None) == "climb-1"
    assert spell_name("no-such-thing", None) == "no-such-thing"


@pytest.mark.parametrize(
    ("name", "sequence", "told"),
    [("climb", None, "needs --sequence 0 or 1"), ("climb", 7, "needs --sequence 0 or 1"), ("fuzz", 0, "leave --sequence out")],
)
def test_a_sequence_that_there_is_not_is_told(name: str, sequence: int | None, told: str) -> None:
    with pytest.raises(NoSequence, match=told):
        spell_name(name, sequence)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (["climb"], "climb needs --sequence 0 or 1"),
        (["retrievals", "--ablation", "--camera", "sim"], "leave --camera out"),
        (["retrievals", "--ablation", "--seed", "3"], "leave --seed out"),
        (["walk-push", "--impulses", "--seed", "3"], "leave --seed out"),
        (["retrievals", "--plot", "x.png"], "draw one of them: wall-in-front"),
    ],
)
def test_options_that_would_change_nothing_are_refused(
    asked: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["scenario", *asked]) != 0
    said = capsys.readouterr()
    assert told in said.err
    assert len(said.err.splitlines()) == 1
    assert said.out == ""


def test_no_scenario_has_two_studies_of_one_kind() -> None:
    pairs = [(study.option, name) for study in STUDIES for name in study.names]
    assert len(pairs) == len(set(pairs))
    assert find_study(ABLATION, "box-handover") is not find_study(ABLATION, ALL_RETRIEVALS)
    with pytest.raises(NoStudy, match="walk-push"):
        find_study(IMPULSES, "box-handover")
