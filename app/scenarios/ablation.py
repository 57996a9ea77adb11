"""An ablation [McCrory2024]_ (Fig. 6): one operator's commands, recorded, with and without each retargeting.

The operator plays the nominal run; what he did is played again, sample by sample, to robots whose contacts, whose posture, and
both of which are retargeted. So all four get the same commands at the same times, whatever becomes of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from handhold.app.cycle import Cycle
from handhold.app.figures import Figure, Outcome, current_commit
from handhold.app.scenarios.retrieval import Retrieval, find_hands_of, measure_grasp
from handhold.app.scenarios.run import PERIOD, play
from handhold.app.scenarios.scenario import Scenario
from handhold.app.scenarios.stability import MarginTrace, measure_margin_trace
from handhold.app.scenarios.trace import Trace
from handhold.devices.operator_input import OperatorInput
from handhold.render.snapshot import Snapshot
from handhold.retarget.bracing.retargeting_choice import NOMINAL, Retargeting
from handhold.robots.model import RobotModel

CHOICES: Mapping[str, Retargeting] = {
    "nominal": NOMINAL,
    "contact": Retargeting(contact=True),
    "posture": Retargeting(posture=True),
    "both": Retargeting(contact=True, posture=True),
}
"""What is compared, by the name in figures and pictures."""

LEAST_MARGIN = 0.04
"""The margin that no reference may fall below, m_min [m]."""


class RecordedOperator:
    """Does again what an operator did, sample by sample."""

    def __init__(self, samples: Sequence[OperatorInput]) -> None:
        self._samples = samples
        self._next = 0

    @property
    def over(self) -> bool:
        """Whether the last sample was given."""
        return self._next >= len(self._samples)

    @property
    def missed(self) -> tuple[str, ...]:
        """Nothing: a recording waits for nothing."""
        return ()

    @property
    def notes(self) -> Mapping[str, float]:
        """Nothing: a recording counts nothing itself."""
        return {}

    def sample(self, _time: float, _snapshot: Snapshot | None) -> OperatorInput:
        """Return the next sample, and the last one for ever."""
        sample = self._samples[min(self._next, len(self._samples) - 1)]
        self._next += 1
        return sample


@dataclass(frozen=True, eq=False, slots=True)
class AblationRun:
    """One of the runs that are compared: the run, its margins and those of its reference."""

    trace: Trace
    measured: MarginTrace
    reference: MarginTrace


def play_ablation(scenario: Scenario, retrieval: Retrieval, model: RobotModel, engine: str) -> dict[str, AblationRun]:
    """Play the nominal run, and its operator's commands again with each retargeting.

    Raises:
        RobotUnfit: The robot lacks what the scenario needs.
    """
    runs: dict[str, AblationRun] = {}
    for name, choice in CHOICES.items():
        trace = play(scenario, model, engine, 0, make_cycle=partial(Cycle, retargeting=choice))
        runs[name] = AblationRun(trace, *_measure(model, retrieval, trace))
        if choice == NOMINAL:
            scenario = replay_samples(scenario, trace.samples)
    return runs


def replay_samples(scenario: Scenario, samples: Sequence[OperatorInput]) -> Scenario:
    """Return a scenario whose operator does again what was recorded."""
    return replace(scenario, script=lambda *_: RecordedOperator(samples))


def _measure(model: RobotModel, retrieval: Retrieval, trace: Trace) -> tuple[MarginTrace, MarginTrace]:
    hands = find_hands_of(retrieval, model)
    return measure_margin_trace(model, trace, *hands), measure_margin_trace(model, trace, *hands, reference=True)


def describe_ablation(
    scenario: Scenario, retrieval: Retrieval, model: RobotModel, engine: str, runs: Mapping[str, AblationRun]
) -> Outcome:
    """Describe the runs and their gains as an outcome."""
    return Outcome(
        name=f"{scenario.name} ablation",
        robot=model.description.name,
        engine=engine,
        seed=0,
        commit=current_commit(),
        duration_s=sum(run.trace.cycles for run in runs.values()) * PERIOD,
        fell=any(run.trace.fell for run in runs.values()),
        figures=[
            *measure_gains(runs),
            *_measure_worst_grasp(retrieval, model, runs),
            Figure("missed_waits", float(len(runs["nominal"].trace.missed)), "-", must=0.0),
        ],
    )


def measure_gains(runs: Mapping[str, AblationRun]) -> list[Figure]:
    """Measure the mean margins, and how much larger they are than the nominal one, while the hand bears in all runs."""
    means = compute_means({name: run.measured for name, run in runs.items()})
    gains = {name: 100.0 * (mean / means["nominal"] - 1.0) for name, mean in means.items()}
    least = min(float(run.reference.margins.min(initial=np.inf)) for run in runs.values())
    return [
        Figure("margin_gain", gains["both"], "%", must=27.0, aim=50.0, larger_is_better=True),
        Figure("margin_gain_contact", gains["contact"], "%"),
        Figure("margin_gain_posture", gains["posture"], "%"),
        *(Figure(f"margin_mean_{name}", mean, "m") for name, mean in means.items()),
        Figure("margin_min", least, "m", must=LEAST_MARGIN, larger_is_better=True),
        Figure("torque_margin_gain", compute_torque_gain(runs), "%", must=0.0, larger_is_better=True),
    ]


def compute_means(margins: Mapping[str, MarginTrace]) -> dict[str, float]:
    """Compute the mean margins over the times at which the hand bears in all runs [m]; NaN where there are none."""
    common = find_common_times([trace.times for trace in margins.values()])
    return {name: _mean(trace.margins[np.isin(trace.times, common)]) for name, trace in margins.items()}


def compute_torque_gain(runs: Mapping[str, AblationRun]) -> float:
    """Compute how much larger the joints' torque margin is with both retargetings, where torque held the nominal edge [%]."""
    nominal, both = runs["nominal"].measured, runs["both"].measured
    limited = nominal.times[nominal.bound_by_torque]
    common = find_common_times([limited, both.times])
    before, after = (_mean(trace.torque_margins[np.isin(trace.times, common)]) for trace in (nominal, both))
    return 100.0 * (after / before - 1.0)


def find_common_times(times: Sequence[np.ndarray]) -> np.ndarray:
    """Find the times that are in all of some lists."""
    common = times[0]
    for more in times[1:]:
        common = np.intersect1d(common, more)
    return common


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if len(values) else float("nan")


def _measure_worst_grasp(retrieval: Retrieval, model: RobotModel, runs: Mapping[str, AblationRun]) -> list[Figure]:
    figures = [measure_grasp(retrieval, model, run.trace) for run in runs.values()]
    return [max(same, key=lambda figure: figure.value) for same in zip(*figures, strict=True)]


def plot_ablation(outcome: Outcome, runs: Mapping[str, AblationRun], file: Path) -> None:
    """Draw the margins of all runs over time, their means, and the nominal run's postural sensitivity (thin), after Fig. 6."""
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas(figsize=(10, 8), layout="constrained")
    upper, lower = canvas.subplots(2, 1, sharex=True, height_ratios=(3, 1))
    means = compute_means({name: run.measured for name, run in runs.items()})
    for k, (name, run) in enumerate(runs.items()):
        upper.plot(run.measured.times, 100.0 * run.measured.margins, color=f"C{k}", label=f"{name}: {100.0 * means[name]:.1f}")
        upper.axhline(100.0 * means[name], color=f"C{k}", lw=0.5, ls="--")
        lower.plot(run.measured.times, run.measured.torque_margins, color=f"C{k}")
    upper.axhline(100.0 * LEAST_MARGIN, color="grey", lw=0.5)
    _plot_sensitivity(upper.twinx(), runs["nominal"].measured)
    upper.set_ylabel("stability margin [cm]; mean")
    upper.legend(fontsize="small")
    lower.set_ylabel("joint-torque margin [-]")
    lower.set_xlabel("time [s]; of the simulated robot while its hand bears")
    canvas.suptitle(f"{outcome.name}: {outcome.robot} in {outcome.engine}, {outcome.commit}")
    file.parent.mkdir(parents=True, exist_ok=True)
    canvas.savefig(file, dpi=100)


def _plot_sensitivity(axes: Any, margins: MarginTrace) -> None:
    axes.plot(margins.times, margins.sensitivities, color="black", lw=0.5)
    axes.set_ylim(0.0, 0.1)
    axes.set_ylabel("postural sensitivity, nominal [m²/rad²] (thin)")
