import json
import math

import pytest

from handhold.app.lab.figures import Figure, Outcome, print_outcome
from handhold.app.session.commit import current_commit


def outcome(*figures: Figure, fell: bool | None = None, **extra: object) -> Outcome:
    return Outcome("far-reach", "talos", "mujoco", 3, "abc", 12.5, fell, figures, extra)


def test_a_figure_holds_up_to_and_with_its_bound() -> None:
    assert Figure("e", 1.0, "m", must=1.0).holds
    assert not Figure("e", 1.0001, "m", must=1.0).holds
    assert Figure("margin", 1.0, "m", must=1.0, larger_is_better=True).holds
    assert not Figure("margin", 0.9, "m", must=1.0, larger_is_better=True).holds


def test_a_number_that_is_none_never_holds() -> None:
    assert not Figure("e", math.nan, "m", must=1.0).holds
    assert not Figure("e", math.nan, "m").holds
    assert not Figure("e", math.nan, "m", must=1.0, larger_is_better=True).holds
    assert not Figure("e", math.inf, "m", must=1.0).holds


def test_a_figure_without_a_bound_is_only_reported() -> None:
    assert Figure("e", 1e9, "m").holds
    assert outcome(Figure("e", 1e9, "m")).exit_code == 0


@pytest.mark.parametrize("larger_is_better", [False, True])
def test_the_exit_code_is_nought_only_where_every_must_holds(larger_is_better: bool) -> None:
    good = Figure("good", 1.0, "m", must=1.0)
    bad = Figure("bad", 0.5 if larger_is_better else 2.0, "m", must=1.0, larger_is_better=larger_is_better)
    assert outcome(good).exit_code == 0
    assert outcome(good, bad).exit_code == 1


def test_a_fall_fails_whatever_the_figures_say() -> None:
    assert outcome(Figure("e", 0.0, "m", must=1.0), fell=True).exit_code == 1


def test_json_is_one_object_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    figures = (Figure("contact_error", 1e-6, "m", must=1e-4, aim=1e-5), Figure("lost", math.nan, "N"))
    print_outcome(outcome(*figures, fell=False, constraint_activity={"cop": 0.2}), json=True)
    written = json.loads(capsys.readouterr().out)
    assert list(written) == [
        *("name", "robot", "engine", "seed", "commit", "duration_s", "fell", "figures", "constraint_activity"),
    ]
    first, second = written["figures"]
    assert first == {"name": "contact_error", "value": 1e-6, "unit": "m", "must": 1e-4, "aim": 1e-5, "holds": True}
    assert second["value"] is None
    assert not second["holds"]


def test_only_scenarios_say_whether_the_robot_fell() -> None:
    assert "fell" not in outcome(Figure("tick_median", 100.0, "us")).to_json()


def test_the_table_for_people_names_every_figure(capsys: pytest.CaptureFixture[str]) -> None:
    print_outcome(outcome(Figure("contact_error", 1e-6, "m", must=1e-4, aim=1e-5)), json=False)
    shown = capsys.readouterr().out
    assert "contact_error" in shown
    assert "aim reached" in shown


def test_the_commit_is_that_of_the_checkout() -> None:
    commit = current_commit().rstrip("+")
    assert commit == "unknown" or len(commit) == 12
