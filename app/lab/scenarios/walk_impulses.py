"""The largest pushes that a walking robot survives, from all sides at all moments of a step.

Every push goes on in a copy of the process that plays ``walk-push`` (see ``impulses.py``), so this runs on POSIX systems
alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from handhold.app.lab.figures import Figure, Outcome
from handhold.app.lab.scenarios.impulses import PUSHES, WATCHING, Probe, find_impulses
from handhold.app.lab.scenarios.walk_push import AIM, DIRECTIONS, FIRST, MUST, PHASES, WALK_PUSH
from handhold.app.lab.scenarios.walks import gait_of
from handhold.app.session.commit import current_commit
from handhold.robots.model import GRAVITY, RobotModel

APART = 0.002
"""Time from the search in one direction to that in the next [s]: a search waits for a cycle of its own."""


def probe_walk(model: RobotModel, engine: str) -> tuple[Probe, ...]:
    """Play the walk, pushed in copies only, and return what was survived.

    Raises:
        RobotUnfit: The robot does not walk.
        ProbeFailed: A copied process died of something else than a fall.
    """
    probes = list_probes(model)
    scenario = replace(WALK_PUSH, duration=probes[-1].time + 1.0)
    return find_impulses(scenario, model, engine, probes)


def list_probes(model: RobotModel) -> tuple[Probe, ...]:
    """List all pushes: every direction at every moment."""
    pair = 2.0 * gait_of(model).step_duration
    return tuple(
        Probe(
            WALK_PUSH.name,
            FIRST + phase * (2.0 + 1.0 / PHASES) * pair + direction * APART,
            float("nan"),
            (math.cos(2.0 * math.pi * direction / DIRECTIONS), math.sin(2.0 * math.pi * direction / DIRECTIONS)),
        )
        for phase in range(PHASES)
        for direction in range(DIRECTIONS)
    )


def describe_walk_impulses(model: RobotModel, engine: str, probes: Sequence[Probe]) -> Outcome:
    """Describe what was survived, as parts of the robot's weight times a second."""
    impulses = np.array([probe.impulse for probe in probes]) / (model.mass * GRAVITY)
    return Outcome(
        name="walk-push impulses",
        robot=model.description.name,
        engine=engine,
        seed=0,
        commit=current_commit(),
        duration_s=len(probes) * PUSHES * WATCHING,
        fell=None,
        figures=[
            Figure("push_impulse", _median(impulses), "m g s", must=MUST, aim=AIM, larger_is_better=True),
            Figure("push_impulse_min", float(impulses.min(initial=np.inf)), "m g s"),
            Figure("push_impulse_max", float(impulses.max(initial=-np.inf)), "m g s"),
            Figure("impulses", float(len(probes)), "-", must=float(DIRECTIONS * PHASES), larger_is_better=True),
        ],
        extra={"impulses": impulses.reshape(-1, DIRECTIONS).round(4).tolist() if len(probes) == DIRECTIONS * PHASES else []},
    )


def _median(impulses: np.ndarray) -> float:
    return float(np.median(impulses)) if len(impulses) else float("nan")


def plot_walk_impulses(outcome: Outcome, file: Path) -> None:
    """Draw what was survived from every side, a line for every moment of two steps."""
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas(figsize=(8, 8), layout="constrained")
    axes: Any = canvas.subplots(subplot_kw={"projection": "polar"})
    angles = 2.0 * math.pi * np.arange(DIRECTIONS + 1) / DIRECTIONS
    for phase, impulses in enumerate(outcome.extra["impulses"]):
        axes.plot(angles, [*impulses, impulses[0]], ".-", label=f"{phase} / {PHASES} of two steps")
    axes.plot(angles, np.full(len(angles), MUST), color="black", lw=0.8, label=f"must: {MUST} m g s")
    axes.set_theta_zero_location("N")
    axes.legend(fontsize="small")
    canvas.suptitle(f"largest pushes survived [m g s]: {outcome.robot} in {outcome.engine}, {outcome.commit}")
    file.parent.mkdir(parents=True, exist_ok=True)
    canvas.savefig(file, dpi=80)
