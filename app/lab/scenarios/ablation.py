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

from handhold.app.host.cycle import Cycle
from handhold.app.lab.figures import Figure, Outcome
from handhold.app.lab.scenarios.retrieval import Retrieval, find_hands_of, measure_grasp
from handhold.app.lab.scenarios.run import PERIOD, play
from handhold.app.lab.scenarios.scenario import Scenario
from handhold.app.lab.scenarios.stability import MarginTrace, measure_margin_trace
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.session.commit import current_commit
from handhold.devices.operator_input import OperatorInput
from handhold.render.snapshot import Snapshot
from handhold.retarget.bracing.margin.retargeting_choice import NOMINAL, Retargeting
from handhold.retarget.bracing.seiko.parameters import SeikoParameters
from handhold.robots.model import RobotModel

CHOICES: Mapping[str, Retargeting] = {
    "nominal": NOMINAL,
    "contact": Retargeting(contact=True),
    "posture": Retargeting(posture=True),
    "both": Retargeting(contact=True, posture=True),
}
"""What is compared, by the name in figures and pictures."""

MIN_MARGIN = SeikoParameters().min_margin
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


@dataclass(frozen=True, eq=False, slots=True)
class Ablation:
    """One retrieval: the runs that are compared, by the name of what is retargeted."""

    scenario: Scenario
    retrieval: Retrieval
    runs: Mapping[str, AblationRun]


def play_ablation(scenario: Scenario, retrieval: Retrieval, model: RobotModel, engine: str) -> Ablation:
    """Play the nominal run, and its operator's commands again with each retargeting.

    Raises:
        RobotUnfit: The robot lacks what the scenario needs.
    """
    runs: dict[str, AblationRun] = {}
    played = scenario
    for name, choice in CHOICES.items():
        trace = play(played, model, engine, 0, make_cycle=partial(Cycle, retargeting=choice))
        runs[name] = AblationRun(trace, *_measure(model, retrieval, trace))
        if choice == NOMINAL:
            played = replay_samples(scenario, trace.samples)
    return Ablation(scenario, retrieval, runs)


def replay_samples(scenario: Scenario, samples: Sequence[OperatorInput]) -> Scenario:
    """Return a scenario whose operator does again what was recorded."""
    return replace(scenario, script=lambda *_: RecordedOperator(samples))


def _measure(model: RobotModel, retrieval: Retrieval, trace: Trace) -> tuple[MarginTrace, MarginTrace]:
    hands = find_hands_of(retrieval, model)
    return measure_margin_trace(model, trace, *hands), measure_margin_trace(model, trace, *hands, reference=True)


def describe_ablations(name: str, model: RobotModel, engine: str, ablations: Sequence[Ablation]) -> Outcome:
    """Describe the ablation of one retrieval, or of several, whose average gains count, as an outcome."""
    runs = [run for ablation in ablations for run in ablation.runs.values()]
    nominal = [ablation.runs["nominal"].trace for ablation in ablations]
    return Outcome(
        name=f"{name} ablation",
        robot=model.description.name,
        engine=engine,
        seed=0,
        commit=current_commit(),
        duration_s=sum(run.trace.cycles for run in runs) * PERIOD,
        fell=any(run.trace.fell for run in runs),
        figures=[
            *measure_gains(ablations),
            *_measure_worst_grasp(model, ablations),
            Figure("missed_waits", float(sum(len(trace.missed) for trace in nominal)), "-", must=0.0),
        ],
    )


def measure_gains(ablations: Sequence[Ablation]) -> list[Figure]:
    """Measure how much larger the mean margins are than the nominal ones, while the hand is in contact in all runs.

    Of several retrievals the average gain is what the paper tells, and what must hold; in a single one none may be lost.
    """
    gains = [compute_gains(compute_means(_list_measured(ablation))) for ablation in ablations]
    # By numpy, of which a single NaN makes one of all: where nothing held a reference up no margin was kept.
    smallest = np.min([run.reference.margins.min(initial=np.inf) for ablation in ablations for run in ablation.runs.values()])
    several = len(ablations) > 1
    average = {name: float(np.mean([gain[name] for gain in gains])) for name in gains[0]}
    return [
        Figure("margin_gain", average["both"], "%", must=35.0 if several else 0.0, aim=50.0, larger_is_better=True),
        Figure("margin_gain_contact", average["contact"], "%", must=10.0 if several else 0.0, larger_is_better=True),
        Figure("margin_gain_posture", average["posture"], "%"),
        *(
            Figure(f"{figure}_{ablation.scenario.name.replace('-', '_')}", gain[name], "%")
            for ablation, gain in zip(ablations if several else (), gains, strict=several)
            for figure, name in (("margin_gain", "both"), ("margin_gain_contact", "contact"))
        ),
        *_list_means(ablations),
        Figure("margin_min", float(smallest), "m", must=MIN_MARGIN, larger_is_better=True),
        Figure("torque_margin_gain", compute_min_torque_gain(ablations), "%", must=0.0, larger_is_better=True),
    ]


def _list_means(ablations: Sequence[Ablation]) -> list[Figure]:
    means = [compute_means(_list_measured(ablation)) for ablation in ablations]
    return [Figure(f"margin_mean_{name}", float(np.mean([each[name] for each in means])), "m") for name in means[0]]


def _list_measured(ablation: Ablation) -> dict[str, MarginTrace]:
    return {name: run.measured for name, run in ablation.runs.items()}


def compute_gains(means: Mapping[str, float]) -> dict[str, float]:
    """Compute how much larger mean margins are than the nominal one [%]."""
    return {name: 100.0 * (mean / means["nominal"] - 1.0) for name, mean in means.items()}


def compute_means(margins: Mapping[str, MarginTrace]) -> dict[str, float]:
    """Compute the mean margins over the times at which the hand is in contact in all runs [m]; NaN where there are none."""
    common = find_common_times([trace.times for trace in margins.values()])
    return {name: _mean(trace.margins[np.isin(trace.times, common)]) for name, trace in margins.items()}


def compute_min_torque_gain(ablations: Sequence[Ablation]) -> float:
    """Compute the minimum torque gain of the retrievals in which torque was the limit [%]; NaN where it was in none."""
    gains = [compute_torque_gain(ablation.runs) for ablation in ablations]
    return min((gain for gain in gains if not np.isnan(gain)), default=float("nan"))


def compute_torque_gain(runs: Mapping[str, AblationRun]) -> float:
    """Compute how much larger the torque margin (eq. 17) is with both retargetings, where torque was the limit [%].

    That of the bracing arm's joints whose torques held the nominal run's nearest edge, at the times at which they did; NaN
    where there are none.
    """
    nominal, both = runs["nominal"].measured, runs["both"].measured
    common = find_common_times([nominal.times[nominal.bound_by_torque], both.times])
    limiting = [nominal.limits[k] for k in np.flatnonzero(np.isin(nominal.times, common))]
    before, after = (_mean(_choose_torque_margins(margins, common, limiting)) for margins in (nominal, both))
    return 100.0 * (after / before - 1.0)


def _choose_torque_margins(margins: MarginTrace, times: np.ndarray, joints: Sequence[tuple[str, ...]]) -> np.ndarray:
    """Return the minimum torque margins of given joints of the arm at given times."""
    chosen = margins.torque_margins[np.isin(margins.times, times)]
    indices = {name: k for k, name in enumerate(margins.arm)}
    return np.array(
        [min(row[indices[name]] for name in names if name in indices) for row, names in zip(chosen, joints, strict=True)]
    )


def find_common_times(times: Sequence[np.ndarray]) -> np.ndarray:
    """Find the times that are in all of some lists."""
    common = times[0]
    for more in times[1:]:
        common = np.intersect1d(common, more)
    return common


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if len(values) else float("nan")


def _measure_worst_grasp(model: RobotModel, ablations: Sequence[Ablation]) -> list[Figure]:
    figures = [measure_grasp(each.retrieval, model, run.trace) for each in ablations for run in each.runs.values()]
    return [max(same, key=lambda figure: figure.value) for same in zip(*figures, strict=True)]


def plot_ablations(outcome: Outcome, ablations: Sequence[Ablation], file: Path) -> None:
    """Draw margins over time, their means, the nominal run's postural sensitivity and torque margins (after Fig. 6 and 11)."""
    from matplotlib.figure import Figure as Canvas

    count = len(ablations)
    canvas = Canvas(figsize=(10, 2 + 6 * count), layout="constrained")
    rows = canvas.subplots(2 * count, 1, height_ratios=(3, 1) * count)
    for k, ablation in enumerate(ablations):
        _plot_margins(rows[2 * k], rows[2 * k + 1], ablation)
    rows[-1].set_xlabel("time [s]; of the simulated robot while its hand bears")
    canvas.suptitle(f"{outcome.name}: {outcome.robot} in {outcome.engine}, {outcome.commit}")
    file.parent.mkdir(parents=True, exist_ok=True)
    canvas.savefig(file, dpi=100)


def _plot_margins(upper: Any, lower: Any, ablation: Ablation) -> None:
    measured = _list_measured(ablation)
    means = compute_means(measured)
    for k, (name, margins) in enumerate(measured.items()):
        upper.plot(margins.times, 100.0 * margins.margins, color=f"C{k}", label=f"{name}: {100.0 * means[name]:.1f}")
        upper.axhline(100.0 * means[name], color=f"C{k}", lw=0.5, ls="--")
        lower.plot(margins.times, margins.torque_margins.min(axis=1), color=f"C{k}")
    upper.axhline(100.0 * MIN_MARGIN, color="grey", lw=0.5)
    _plot_sensitivity(upper.twinx(), measured["nominal"])
    upper.set_title(ablation.scenario.name, fontsize="small")
    upper.set_ylabel("stability margin [cm]; mean")
    upper.legend(fontsize="small")
    lower.sharex(upper)
    lower.set_ylabel("least joint-torque\nmargin [-]")


def _plot_sensitivity(axes: Any, margins: MarginTrace) -> None:
    axes.plot(margins.times, margins.sensitivities, color="black", lw=0.5)
    axes.set_ylim(0.0, 0.1)
    axes.set_ylabel("postural sensitivity, nominal [m²/rad²] (thin)")
