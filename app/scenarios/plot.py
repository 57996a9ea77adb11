"""A picture of a scenario's run: hand, centre of mass, residuals, normal forces and centres of pressure over time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from handhold.app.figures import Outcome
from handhold.app.scenarios.measures import LEAST_NORMAL_FORCE
from handhold.app.scenarios.trace import Trace
from handhold.robots.model import RobotModel


def plot_trace(model: RobotModel, trace: Trace, outcome: Outcome, file: Path) -> None:
    """Draw the run into a PNG file."""
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas(figsize=(11, 12), layout="constrained")
    axes = canvas.subplots(5, 1, sharex=True)
    times = np.array(trace.times)
    _plot_hands(axes[0], model, trace, times)
    _plot_com(axes[1], trace, times)
    _plot_residuals(axes[2], trace, times)
    _plot_forces(axes[3], model, trace, times)
    _plot_pressure(axes[4], model, trace, times)
    axes[-1].set_xlabel("time [s]")
    fell = ", fell" if outcome.fell else ""
    canvas.suptitle(f"{outcome.name}: {outcome.robot} in {outcome.engine}, seed {outcome.seed}, {outcome.commit}{fell}")
    file.parent.mkdir(parents=True, exist_ok=True)
    canvas.savefig(file, dpi=90)


def _plot_hands(axes: Any, model: RobotModel, trace: Trace, times: np.ndarray) -> None:
    measured, reference = np.array(trace.effectors), np.array(trace.effectors_reference)
    targets = np.array(trace.targets)
    for k, hand in enumerate(("left", "right")):
        effector = model.effector_of_hand(hand)
        if effector is None:
            continue
        colour = f"C{k}"
        axes.plot(times, targets[:, k, 0], ":", color=colour, label=f"{hand} hand commanded")
        axes.plot(times, reference[:, effector, 0], "--", color=colour, label="reference")
        axes.plot(times, measured[:, effector, 0], color=colour, label="measured")
    axes.set_ylabel("hand x [m]")
    axes.legend(ncols=2, fontsize="small")


def _plot_com(axes: Any, trace: Trace, times: np.ndarray) -> None:
    measured, reference = np.array(trace.com), np.array(trace.com_reference)
    for axis, name in enumerate("xy"):
        axes.plot(times, reference[:, axis], "--", color=f"C{axis}", label=f"{name} reference")
        axes.plot(times, measured[:, axis], color=f"C{axis}", label=f"{name} measured")
    axes.set_ylabel("centre of mass [m]")
    axes.legend(ncols=2, fontsize="small")


def _plot_residuals(axes: Any, trace: Trace, times: np.ndarray) -> None:
    residuals = np.maximum(np.array(trace.residuals), 1e-14)
    for k, name in enumerate(("contact [m]", "equilibrium [N]", "torque overshoot [Nm]")):
        axes.semilogy(times, residuals[:, k], label=name)
    axes.set_ylabel("residual")
    axes.legend(fontsize="small")


def _plot_forces(axes: Any, model: RobotModel, trace: Trace, times: np.ndarray) -> None:
    wrenches = np.array(trace.wrenches)
    for k, effector in enumerate(model.effectors):
        axes.plot(times, wrenches[:, k, 2], label=effector.name)
    axes.set_ylabel("normal force [N]")
    axes.legend(ncols=2, fontsize="small")


def _plot_pressure(axes: Any, model: RobotModel, trace: Trace, times: np.ndarray) -> None:
    wrenches = np.array(trace.wrenches)
    for k, effector in enumerate(model.effectors):
        if effector.half_lengths is None:
            continue
        force = np.where(wrenches[:, k, 2] > LEAST_NORMAL_FORCE, wrenches[:, k, 2], np.nan)
        axes.plot(times, -wrenches[:, k, 4] / force, color=f"C{k}", label=f"{effector.name} x")
        axes.plot(times, wrenches[:, k, 3] / force, "--", color=f"C{k}", label=f"{effector.name} y")
        axes.axhline(effector.half_lengths[0], color="grey", lw=0.5)
        axes.axhline(-effector.half_lengths[0], color="grey", lw=0.5)
    axes.set_ylabel("centre of pressure [m]")
    axes.legend(ncols=2, fontsize="small")
