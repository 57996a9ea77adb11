"""The benchmark of touch: it runs, and what it measures is plausible."""

from __future__ import annotations

import math

from handhold.app.lab.benches.touch import run_touch_bench


def test_steps_with_a_led_hand_are_timed_and_forces_compared_with_those_applied() -> None:
    # One push by each robot, and a few hundred steps with a hand that is led: the figures are rough, and none is missing.
    outcome = run_touch_bench(ticks=450, directions=((0.8, 0.0, 0.6),))
    figures = {figure.name: figure.value for figure in outcome.figures}
    costs = {"added_kernels", "added_p95_kernels", "added_admittance_kernels", "added_step_kernels", "step_kernels", "kernel"}
    errors = {f"{name}{kind}" for name in ("wrench_error", "balance_wrench_error") for kind in ("", "_estimated")}
    object_costs = {"object_added_kernels", "object_added_p95_kernels", "fixed_base_step_kernels", "fixed_base_ratio"}
    assert costs | object_costs | errors == set(figures)
    assert all(math.isfinite(value) for value in figures.values())
    assert figures["step_kernels"] > 0.0
    assert figures["fixed_base_ratio"] > 0.0
    assert figures["kernel"] > 0.0
    # What a filter of 10 ms lags behind is no less than something, and a force that is lost would be 100 %.
    assert all(0.1 < figures[name] < 50.0 for name in errors)
    assert figures["wrench_error"] < 10.0
