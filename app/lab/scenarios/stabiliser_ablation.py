r"""What the stabiliser of the whole-body mode is worth: one operator's commands, recorded, with and without it.

Of the velocity of the centre of mass that is commanded follows the ZMP that it takes, of a pendulum of frequency omega,

.. math:: x_{zmp} = x - \frac{1}{\omega^2} \ddot x_{commanded} .

Without the stabiliser it goes to the person's place at a rate and a largest speed (``COM_RATE``, ``COM_SPEED``), whatever ZMP
that takes; what SEIKO makes of it stays within its limits even so. What the robot carries is not in this ZMP.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from handhold.app.host.cycle import Cycle
from handhold.app.host.modes import MODES, ModeChoices, ModeMaker, make_whole_body
from handhold.app.lab.figures import Figure, Outcome
from handhold.app.lab.scenarios.ablation import replay_samples
from handhold.app.lab.scenarios.box_handover import measure_delivery
from handhold.app.lab.scenarios.box_world import BoxLayout, get_mapping
from handhold.app.lab.scenarios.run import PERIOD, play
from handhold.app.lab.scenarios.scenario import Scenario
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.session.commit import current_commit
from handhold.perception.surface import Surface
from handhold.retarget.bracing.braced_body import PERIOD as MODE_PERIOD
from handhold.retarget.command import OperatorCommand
from handhold.retarget.mode import Mode, ModeOutput
from handhold.retarget.whole_body.mode import WholeBodyMode
from handhold.robots.model import RobotModel
from handhold.robots.polygon import compute_half_planes, compute_support_polygon
from handhold.robots.qp import make_solver
from handhold.robots.robot import RobotState

STENCIL = 10
"""Periods before and after a moment over which its acceleration is measured [-]: the suit's samples come 8 apart."""

WITH, WITHOUT = "with the stabiliser", "without it"


@dataclass(frozen=True, eq=False, slots=True)
class ZmpTrace:
    """The ZMP that a run's commands take while a person is followed.

    Attributes:
        times: [s].
        com: Centre of mass of the reference, seen from above, shape ``(times, 2)`` [m].
        zmp: Zero moment point that the commands take, shape ``(times, 2)`` [m].
        outside: How far outside the soles' hull, shape ``(times,)`` [m]; negative inside.
    """

    times: np.ndarray
    com: np.ndarray
    zmp: np.ndarray
    outside: np.ndarray


@dataclass(frozen=True, eq=False, slots=True)
class StabiliserAblation:
    """Both runs, by name."""

    traces: Mapping[str, Trace]
    zmps: Mapping[str, ZmpTrace]


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Command:
    """What was commanded of the centre of mass in a period.

    Attributes:
        time: Clock of the robot [s].
        com: Centre of mass of the reference, seen from above, shape ``(2,)`` [m].
        velocity: Its commanded velocity, likewise [m/s].
        support: Hull of the soles that the reference stands on, vertices counter-clockwise, shape ``(k, 2)`` [m].
        omega: Natural frequency of the pendulum [rad/s].
    """

    time: float
    com: np.ndarray
    velocity: np.ndarray
    support: np.ndarray
    omega: float


class WatchedMode(WholeBodyMode):
    """A whole-body mode that keeps what it commands.

    Attributes:
        commands: What it commanded in each period in which a person was followed.
    """

    def __init__(self, model: RobotModel, choices: ModeChoices, *, stabilises: bool) -> None:
        """Make it as a session does, with or without the stabiliser."""
        solver = make_solver(choices.solver)
        super().__init__(model, get_mapping(model), solver, parameters=choices.seiko, stabilises=stabilises)
        self.commands: list[Command] = []
        self._last: np.ndarray | None = None

    def update(
        self, command: OperatorCommand, state: RobotState, surfaces: tuple[Surface, ...], dt: float, /, *, hold: bool
    ) -> ModeOutput:
        """Do as the mode does, and keep what it commands."""
        output = super().update(command, state, surfaces, dt, hold=hold)
        velocity = self.velocity_com
        if velocity is not None and velocity is not self._last:
            self.commands.append(self._describe_command(state.time, velocity))
        self._last = velocity
        return output

    def _describe_command(self, time: float, velocity: np.ndarray) -> Command:
        seiko = self.seiko
        return Command(
            time=time,
            com=seiko.kinematics.position_com_in_world[:2].copy(),
            velocity=velocity,
            support=compute_support_polygon(self._model, seiko.stance, seiko.terms.poses, inset=0.0),
            omega=seiko.pendulum_frequency,
        )


def compare_stabiliser(scenario: Scenario, model: RobotModel, engine: str, seed: int) -> StabiliserAblation:
    """Play a scenario, and its operator's commands again without the stabiliser."""
    traces, zmps, played = {}, {}, scenario
    for name, stabilises in ((WITH, True), (WITHOUT, False)):
        made: list[WatchedMode] = []
        modes = tuple(_watch(made, stabilises=stabilises) if make is make_whole_body else make for make in MODES)
        traces[name] = play(played, model, engine, seed, make_cycle=partial(Cycle, modes=modes))
        zmps[name] = measure_zmp(made[0].commands)
        played = replay_samples(scenario, traces[name].samples)
    return StabiliserAblation(traces, zmps)


def _watch(made: list[WatchedMode], *, stabilises: bool) -> ModeMaker:
    """Return what makes a mode that is watched, and keeps it."""

    def make(model: RobotModel, choices: ModeChoices) -> Mode:
        made.append(WatchedMode(model, choices, stabilises=stabilises))
        return made[-1]

    return make


def measure_zmp(commands: Sequence[Command]) -> ZmpTrace:
    """Measure where the ZMP is that commands take, which follow one another without a gap but where nobody was followed."""
    found = [
        (now.time, now.com, *_measure_one(before, now, after))
        for before, now, after in zip(commands, commands[STENCIL:], commands[2 * STENCIL :], strict=False)
        if after.time - before.time < 1.5 * 2.0 * STENCIL * MODE_PERIOD
    ]
    times, coms, zmps, outside = ([each[k] for each in found] for k in range(4))
    return ZmpTrace(np.array(times), np.array(coms).reshape(-1, 2), np.array(zmps).reshape(-1, 2), np.array(outside))


def _measure_one(before: Command, now: Command, after: Command) -> tuple[np.ndarray, float]:
    """Return the ZMP of a moment, shape ``(2,)`` [m], and how far outside the support it is [m]."""
    acceleration = (after.velocity - before.velocity) / (after.time - before.time)
    zmp = now.com - acceleration / now.omega**2
    normals, offsets = compute_half_planes(now.support)
    return zmp, float((normals @ zmp - offsets).max())


def describe_stabiliser(name: str, model: RobotModel, engine: str, seed: int, ablation: StabiliserAblation) -> Outcome:
    """Describe both runs as an outcome: with the stabiliser the ZMP must stay in the support, without it must not."""
    outside = {run: float(zmp.outside.max()) if len(zmp.outside) else math.nan for run, zmp in ablation.zmps.items()}
    return Outcome(
        name=f"{name} ablation",
        robot=model.description.name,
        engine=engine,
        seed=seed,
        commit=current_commit(),
        duration_s=sum(trace.cycles for trace in ablation.traces.values()) * PERIOD,
        fell=ablation.traces[WITH].fell,
        figures=[
            Figure("zmp_outside", outside[WITH], "m", must=0.0),
            Figure("zmp_outside_unstabilised", outside[WITHOUT], "m", must=0.0, larger_is_better=True),
            *measure_delivery(BoxLayout.find(model), np.array(ablation.traces[WITH].solids)),
            Figure("missed_waits", float(len(ablation.traces[WITH].missed)), "-", must=0.0),
            Figure("fell_unstabilised", float(ablation.traces[WITHOUT].fell), "-"),
        ],
    )


def plot_stabiliser(outcome: Outcome, ablation: StabiliserAblation, file: Path) -> None:
    """Draw ZMPs and centres of mass [Penco2019]_ (Fig. 8, 9), and how far outside the support ZMPs are, into a PNG file."""
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas(figsize=(12, 8), layout="constrained")
    axes = canvas.subplots(3, 1, sharex=True)
    for name, style in ((WITHOUT, "C1"), (WITH, "C0")):
        zmp = ablation.zmps[name]
        for axis in (0, 1):
            axes[axis].plot(zmp.times, zmp.zmp[:, axis], style, label=f"ZMP {name}", lw=0.8)
            axes[axis].plot(zmp.times, zmp.com[:, axis], style, label=f"centre of mass {name}", lw=1.6, ls="--")
            axes[axis].set_ylabel(f"{'xy'[axis]} [m]")
        axes[2].plot(zmp.times, 1e3 * zmp.outside, style, label=name, lw=0.8)
    axes[0].legend()
    axes[2].axhline(0.0, color="grey", lw=0.8)
    axes[2].set_ylabel("outside the support [mm]")
    axes[2].set_xlabel("time [s]")
    canvas.suptitle(f"{outcome.name}: {outcome.robot} in {outcome.engine}, seed {outcome.seed}, {outcome.commit}")
    file.parent.mkdir(parents=True, exist_ok=True)
    canvas.savefig(file, dpi=80)
