"""What the retargeting of a held object is worth: one operator's commands, recorded, with and without it.

Without it the object goes where it is commanded by velocity inverse kinematics (``VELOCITY_IK``), however fast and far ahead
that is: forces are found, but neither limited nor is the grip made to grow with them, and nobody's push counts. Both hands
still move as one, and bear the weight that they feel: each by itself lost a box of 5.5 kg halfway to where the arms end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from handhold.app.host.cycle import Cycle
from handhold.app.host.modes import MODES, ModeChoices, ModeMaker
from handhold.app.lab.figures import Figure, Outcome
from handhold.app.lab.scenarios.ablation import replay_samples
from handhold.app.lab.scenarios.held_box import MAX_FRICTION_RATIO, OFF, SIDES, WORLD, find_box
from handhold.app.lab.scenarios.run import PERIOD, play
from handhold.app.lab.scenarios.scenario import Scenario
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.limbs import find_hands
from handhold.app.session.commit import current_commit
from handhold.retarget.bracing.mode import BracingMode
from handhold.retarget.bracing.seiko.parameters import VELOCITY_IK
from handhold.retarget.engagement.filters import FilterLimits
from handhold.retarget.mode import Mode
from handhold.robots.model import RobotModel
from handhold.robots.qp import make_solver
from handhold.robots.worlds import load_world

WITH, WITHOUT = "retargeted", "as commanded"

UNTETHERED = FilterLimits(lead=10.0, lead_angle=10.0)
"""Of targets that go where they are commanded: farther from where the hands have come to than any command is [m], [rad]."""

MIN_FORCE = 1.0
"""Normal force under which a palm does not touch [N]."""


@dataclass(frozen=True, eq=False, slots=True)
class CarryTrace:
    """How near to its limits a run came.

    Attributes:
        times: [s].
        friction: Largest part of the friction that a palm uses while the box hangs, shape ``(times,)`` [-]; 0 elsewhere.
        torque: Largest part of its motor's torque that a joint gives, likewise.
        commanded_torque: Largest part of its motor's torque that the reference takes, likewise.
        height: Of the box above where it stood, likewise [m].
        held: Whether both hands hold it by the reference, likewise, bool.
    """

    times: np.ndarray
    friction: np.ndarray
    torque: np.ndarray
    commanded_torque: np.ndarray
    height: np.ndarray
    held: np.ndarray

    @property
    def dropped(self) -> bool:
        """Whether the box went from the hands in the air, by what the robot knows of it or without that."""
        lifted = self.held & (self.height > OFF)
        if not lifted.any():
            return False
        last, after = int(np.flatnonzero(self.held)[-1]), self.height[int(np.argmax(lifted)) :]
        let_go = not self.held[-1] and abs(self.height[last]) > OFF
        return bool(let_go or after.min() < -OFF)


def compare_carrying(scenario: Scenario, model: RobotModel, engine: str, seed: int) -> Mapping[str, CarryTrace]:
    """Play a scenario in which something is held, and its operator's commands again without the retargeting."""
    nominal = play(scenario, model, engine, seed)
    modes: tuple[ModeMaker, ...] = (make_unretargeted, *MODES[1:])
    replayed = replay_samples(scenario, nominal.samples)
    bare = play(replayed, model, engine, seed, make_cycle=partial(Cycle, modes=modes, filters=UNTETHERED))
    return {WITH: describe_carrying(model, nominal), WITHOUT: describe_carrying(model, bare)}


def make_unretargeted(model: RobotModel, choices: ModeChoices) -> Mode:
    """Make the bracing mode without forces' limits, in which objects go where they are commanded."""
    return BracingMode(model, make_solver(choices.solver), parameters=VELOCITY_IK, retargets_objects=False)


def describe_carrying(model: RobotModel, trace: Trace) -> CarryTrace:
    """Describe how near to its limits a run came."""
    box, hands = find_box(), [find_hands(model)[side] for side in SIDES]
    count = len(trace.solids)
    height = np.array([poses[box, 2, 3] for poses in trace.solids])
    wrenches = np.array(trace.wrenches)[:count][:, hands]
    normal, across = wrenches[:, :, 2], np.linalg.norm(wrenches[:, :, :2], axis=2)
    ratios = across / (load_world(WORLD).solids[box].friction * np.maximum(normal, MIN_FORCE))
    hangs = (height - height[0] > OFF) & (normal > MIN_FORCE).any(axis=1)
    return CarryTrace(
        times=np.array(trace.times)[:count],
        friction=np.where(hangs, ratios.max(axis=1), 0.0),
        torque=(np.abs(np.array(trace.torques)[:count]) / model.motor_torques).max(axis=1),
        commanded_torque=(np.abs(np.array(trace.torques_reference)[:count]) / model.motor_torques).max(axis=1),
        height=height - height[0],
        held=np.array([flags[hands].all() for flags in trace.contacts])[:count],
    )


def describe_carry_ablation(name: str, model: RobotModel, engine: str, seed: int, runs: Mapping[str, CarryTrace]) -> Outcome:
    """Describe both runs as an outcome: with the retargeting nothing is overcome, without it something must be."""
    kept, bare = runs[WITH], runs[WITHOUT]
    overcome = max(float(bare.dropped), float(bare.commanded_torque.max()), float(bare.friction.max()) / MAX_FRICTION_RATIO)
    return Outcome(
        name=f"{name} ablation",
        robot=model.description.name,
        engine=engine,
        seed=seed,
        commit=current_commit(),
        duration_s=sum(len(run.times) for run in runs.values()) * PERIOD,
        fell=False,
        figures=[
            Figure("grasp_ratio", float(kept.friction.max()), "-", must=MAX_FRICTION_RATIO),
            Figure("torque_ratio", float(kept.torque.max()), "-", must=1.0),
            Figure("commanded_torque_ratio", float(kept.commanded_torque.max()), "-", must=1.0),
            Figure("dropped", float(kept.dropped), "-", must=0.0),
            Figure("grasp_ratio_as_commanded", float(bare.friction.max()), "-"),
            Figure("torque_ratio_as_commanded", float(bare.torque.max()), "-"),
            Figure("commanded_torque_ratio_as_commanded", float(bare.commanded_torque.max()), "-"),
            Figure("dropped_as_commanded", float(bare.dropped), "-"),
            Figure("overcome_as_commanded", overcome, "-", must=1.0, larger_is_better=True),
        ],
    )


def plot_carrying(outcome: Outcome, runs: Mapping[str, CarryTrace], file: Path) -> None:
    """Draw friction, torques and the height of the box of both runs over time into a PNG file."""
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas(figsize=(12, 9), layout="constrained")
    axes = canvas.subplots(3, 1, sharex=True)
    for (name, run), colour in zip(runs.items(), ("C0", "C1"), strict=True):
        axes[0].plot(run.times, run.friction, colour, label=f"{name}{', dropped' if run.dropped else ''}", lw=0.8)
        axes[1].plot(run.times, run.torque, colour, label=f"{name}, of the motors", lw=0.8)
        axes[1].plot(run.times, run.commanded_torque, colour, label=f"{name}, reference", lw=1.2, ls="--")
        axes[2].plot(run.times, run.height, colour, label=name)
    for axis, label in zip(axes, ("friction / friction cone", "torque / motor's limit", "height of the box [m]"), strict=True):
        axis.set_ylabel(label)
        axis.legend()
    for axis in axes[:2]:
        axis.axhline(1.0, color="grey", lw=0.8)
        axis.set_ylim(0.0, 2.0)
    axes[2].set_ylim(-0.2, 0.4)
    axes[2].set_xlabel("time [s]")
    canvas.suptitle(f"{outcome.name}: {outcome.robot} in {outcome.engine}, seed {outcome.seed}, {outcome.commit}")
    file.parent.mkdir(parents=True, exist_ok=True)
    canvas.savefig(file, dpi=80)
