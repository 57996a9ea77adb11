"""How large a push a robot survives, and what its stability margin tells of it [McCrory2024]_ (Fig. 8).

At sampled times of a retrieval the robot's pelvis is pushed towards the nearest edge of its stability region. What would
become of it is seen in a copy of the whole process, which goes on from that very state, operator and all, while the original
waits: nothing has to be saved and restored, in whatever engine. Copies are made by ``fork``, so this runs on POSIX systems
alone.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from handhold.app.errors import AppError
from handhold.app.lab.figures import Figure, Outcome
from handhold.app.lab.scenarios.retrieval import Retrieval, find_hands_of
from handhold.app.lab.scenarios.run import play
from handhold.app.lab.scenarios.scenario import Scenario
from handhold.app.lab.scenarios.stability import MarginTrace, measure_margin_trace
from handhold.app.session.commit import current_commit
from handhold.robots.model import RobotModel
from handhold.robots.robot import RobotState, SimulatedRobot

SAMPLES = 8
"""Times of a run at which the robot is pushed, evenly over the middle half of its bracing."""

PUSHING = 0.1
"""Time over which an impulse is given [s]."""

WATCHING = 2.0
"""Time after which a robot that has not fallen has survived [s]."""

MAX_IMPULSE = 64.0
"""Maximum impulse that is tested [Ns]: 0.7 m/s of a Talos."""

RESOLUTION = 2.0
"""Width of the search's last interval [Ns]."""


PUSHES = 5
"""Pushes that it takes to come from the one to the other."""


class ProbeFailed(AppError):
    """The copy of a process that was to try a push has died of something else."""

    def __init__(self, code: int) -> None:
        self.code = code
        super().__init__(f"a copied process ended with {code} and told nothing; see above, or free some memory")


@dataclass(frozen=True, slots=True)
class Probe:
    """One time at which the robot is pushed.

    Attributes:
        scenario: Name of the scenario.
        time: Clock of the robot [s].
        margin: Stability margin then [m].
        direction: Horizontal unit vector to the nearest edge.
        impulse: Largest impulse survived [Ns]; NaN before it was found.
    """

    scenario: str
    time: float
    margin: float
    direction: tuple[float, float]
    impulse: float = float("nan")


class Prober:
    """Pushes a robot at given times, each time with one impulse after the other, each in a copy of the process.

    Attributes:
        found: Largest impulses survived [Ns], in the order of the times.
        copy: Whether this is such a copy, which ends when its robot has survived.
    """

    def __init__(self, model: RobotModel, probes: Sequence[Probe]) -> None:
        self._frame = model.pinocchio.names[1]
        self._probes = probes
        self._force = np.zeros(3)
        self.found: list[float] = []
        self.copy = False

    def __call__(self, body: SimulatedRobot, state: RobotState) -> None:
        """Push, or watch, or do nothing, before the physics advance."""
        index = len(self.found)
        if index == len(self._probes) or state.time < self._probes[index].time:
            return
        if not self.copy:
            self._search(self._probes[index])
        if not self.copy:
            return
        elapsed = state.time - self._probes[index].time
        if elapsed < PUSHING:
            body.push(self._force, self._frame)
        if elapsed >= WATCHING:
            os._exit(0)

    def _search(self, probe: Probe) -> None:
        low, high = 0.0, MAX_IMPULSE
        for _ in range(PUSHES):
            impulse = 0.5 * (low + high)
            child = os.fork()
            if child == 0:
                self.copy = True
                self._force[:2] = impulse / PUSHING * np.array(probe.direction)
                return
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            if code not in (0, 1):
                raise ProbeFailed(code)
            low, high = (impulse, high) if code == 0 else (low, impulse)
        self.found.append(low)


def probe_impulses(scenario: Scenario, retrieval: Retrieval, model: RobotModel, engine: str) -> tuple[Probe, ...]:
    """Play a retrieval, and then again with pushes; return what the robot survived.

    Raises:
        RobotUnfit: The robot lacks what the scenario needs.
        ProbeFailed: A copied process died of something else than a fall.
    """
    trace = play(scenario, model, engine, 0)
    probes = choose_probes(scenario.name, measure_margin_trace(model, trace, *find_hands_of(retrieval, model)))
    return find_impulses(scenario, model, engine, probes)


def find_impulses(scenario: Scenario, model: RobotModel, engine: str, probes: Sequence[Probe]) -> tuple[Probe, ...]:
    """Play a scenario, pushed in copies of the process only, and return the pushes with the largest impulses survived.

    Raises:
        RobotUnfit: The robot lacks what the scenario needs.
        ProbeFailed: A copied process died of something else than a fall.
    """
    prober = Prober(model, probes)
    try:
        trace = play(scenario, model, engine, 0, disturb=prober)
    except BaseException:
        if prober.copy:
            os._exit(2)
        raise
    if prober.copy:
        # Its run has ended before its time: the robot fell or was damped, or the operator aborted when his contact was lost.
        os._exit(int(trace.fell or bool(trace.damped)))
    return tuple(replace(probe, impulse=impulse) for probe, impulse in zip(probes, prober.found, strict=False))


def choose_probes(scenario: str, margins: MarginTrace) -> tuple[Probe, ...]:
    """Choose the times at which to push: evenly over the middle half of the time in which the hand is in contact."""
    known = np.flatnonzero(np.isfinite(margins.margins))
    if not len(known):
        return ()
    ratios = np.linspace(0.25, 0.75, SAMPLES)
    chosen = known[np.round(ratios * (len(known) - 1)).astype(int)].tolist()
    return tuple(
        Probe(scenario, float(margins.times[k]), float(margins.margins[k]), tuple(margins.normals[k].tolist())) for k in chosen
    )


def describe_impulses(name: str, model: RobotModel, engine: str, probes: Sequence[Probe]) -> Outcome:
    """Describe pushes and the regression of what was survived on the margin."""
    slope, _, fit = fit_line(probes)
    impulses = np.array([probe.impulse for probe in probes])
    return Outcome(
        name=f"{name} impulses",
        robot=model.description.name,
        engine=engine,
        seed=0,
        commit=current_commit(),
        duration_s=len(probes) * PUSHES * WATCHING,
        fell=None,
        figures=[
            Figure("impulse_r2", fit, "-"),
            Figure("impulse_slope", slope, "Ns/m"),
            Figure("impulse_min", float(impulses.min(initial=np.inf)), "Ns"),
            Figure("impulse_max", float(impulses.max(initial=-np.inf)), "Ns"),
            Figure("impulses", float(len(probes)), "-"),
        ],
        extra={"probes": [[p.scenario, p.time, p.margin, *p.direction, p.impulse] for p in probes]},
    )


def fit_line(probes: Sequence[Probe]) -> tuple[float, float, float]:
    r"""Fit impulse = slope * margin + offset by least squares; return both and :math:`R^2`, NaN where no line is told."""
    margins, impulses = (np.array([getattr(p, name) for p in probes]) for name in ("margin", "impulse"))
    if len(probes) < 3 or not np.ptp(margins) or not np.ptp(impulses):
        return float("nan"), float("nan"), float("nan")
    slope, offset = np.polyfit(margins, impulses, 1)
    return float(slope), float(offset), float(np.corrcoef(margins, impulses)[0, 1] ** 2)


def plot_impulses(outcome: Outcome, probes: Sequence[Probe], file: Path) -> None:
    """Draw the largest impulses survived over the margins, and the line through them, after Fig. 8."""
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas(figsize=(7, 5), layout="constrained")
    axes = canvas.subplots()
    for name in dict.fromkeys(probe.scenario for probe in probes):
        own = [probe for probe in probes if probe.scenario == name]
        axes.plot([100.0 * p.margin for p in own], [p.impulse for p in own], "o", label=name)
    slope, offset, fit = fit_line(probes)
    ends = np.array([min((p.margin for p in probes), default=0.0), max((p.margin for p in probes), default=1.0)])
    axes.plot(100.0 * ends, slope * ends + offset, color="grey", lw=1.0, label=f"R² = {fit:.2f}")
    axes.set_xlabel("stability margin [cm]")
    axes.set_ylabel("largest impulse survived [Ns]")
    axes.legend()
    canvas.suptitle(f"{outcome.name}: {outcome.robot} in {outcome.engine}, {outcome.commit}")
    file.parent.mkdir(parents=True, exist_ok=True)
    canvas.savefig(file, dpi=100)
