"""Benchmarks of what a cycle and a message cost: they run, and say what they measured."""

from pathlib import Path

import pytest

from handhold.app.lab.benches import footholds
from handhold.app.lab.benches.comparison import NoCheckout, compare_cycles
from handhold.app.lab.benches.seal import run_seal_bench

ROOT = Path(__file__).parents[2]


def test_authenticating_a_message_is_timed_at_both_ends():
    outcome = run_seal_bench()
    assert {f"{end}_{name}" for end in ("seal", "check") for name in ("sample", "snapshot")} < {
        f.name for f in outcome.figures
    }
    assert all(figure.value > 0.0 for figure in outcome.figures)


def test_a_choice_of_a_foothold_and_a_search_ahead_are_timed(monkeypatch):
    monkeypatch.setattr(footholds, "STANCES", 3)
    figures = {figure.name: figure.value for figure in footholds.run_foothold_bench("talos").figures}
    assert figures["search_kernels"] > figures["choose_kernels"] > 0.0


def test_a_loop_is_compared_with_itself_piece_by_piece():
    outcome = compare_cycles("mujoco", ROOT, rounds=1, pieces=3)
    figures = {figure.name: figure.value for figure in outcome.figures}
    assert outcome.extra["pieces"] == 3
    assert figures["cycle"] > 0.0
    assert figures["cycle_before"] > 0.0
    assert {"more_retarget", "more_controller", "more_physics"} < set(figures)


def test_a_folder_that_is_no_checkout_is_refused_in_a_line(tmp_path):
    with pytest.raises(NoCheckout, match="git worktree add"):
        compare_cycles("mujoco", tmp_path)


def test_a_loop_that_does_not_run_is_named_with_its_last_words(tmp_path):
    package = tmp_path / "src" / "handhold"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise SystemExit('no such thing')")
    with pytest.raises(NoCheckout, match=r"its loop does not run here \(no such thing\)") as refused:
        compare_cycles("mujoco", tmp_path, rounds=1, pieces=1)
    assert refused.value.folder == tmp_path / "src"
