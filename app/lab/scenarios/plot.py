"""A picture of a scenario's run, after the paper's Figures 5 and 6.

Hands, centre of mass, residuals, normal forces, friction ratios and centres of pressure over time: of the reference dashed, of
the simulated robot solid.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from handhold.app.lab.figures import Outcome
from handhold.app.lab.scenarios.margins import Loads, compute_measured_loads, compute_reference_loads
from handhold.app.lab.scenarios.trace import Trace
from handhold.robots.model import RobotModel


def plot_trace(model: RobotModel, trace: Trace, outcome: Outcome, file: Path) -> None:
    """Draw the run into a PNG file."""
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas(figsize=(12, 20), layout="constrained")
    axes = canvas.subplots(8, 1, sharex=True)
    times = np.array(trace.times)
    _plot_free(axes[0], model, trace, times)
    _plot_height(axes[1], model, trace, times)
    _plot_com(axes[2], trace, times)
    _plot_residuals(axes[3], trace, times)
    for effector, about in enumerate(model.effectors):
        measured, desired = compute_measured_loads(trace, model, effector), compute_reference_loads(trace, model, effector)
        _plot_forces(axes[4], effector, about.name, times, measured, desired)
        _plot_friction(axes[5], effector, about.friction, times, measured, desired)
        if about.half_lengths is not None:
            for axis in (0, 1):
                _plot_cop(axes[6 + axis], effector, about.half_lengths[axis], times, measured, desired, axis)
    for axis, name in zip(axes[4:], ("normal force [N]", "friction ratio / mu", "CoP x [m]", "CoP y [m]"), strict=True):
        axis.set_ylabel(name)
    axes[4].legend(ncols=2, fontsize="small")
    axes[5].axhline(1.0, color="grey", lw=0.5)
    axes[-1].set_xlabel("time [s]; reference dashed, simulated robot solid")
    fell = ", fell" if outcome.fell else ""
    canvas.suptitle(f"{outcome.name}: {outcome.robot} in {outcome.engine}, seed {outcome.seed}, {outcome.commit}{fell}")
    file.parent.mkdir(parents=True, exist_ok=True)
    canvas.savefig(file, dpi=80)


def _plot_free(axes: Any, model: RobotModel, trace: Trace, times: np.ndarray) -> None:
    """Draw the hands along x, and what is commanded of the effectors under their command."""
    measured, reference = np.array(trace.effectors), np.array(trace.effectors_reference)
    targets = np.array(trace.targets)
    for k, hand in enumerate(("left", "right")):
        effector = model.effector_of_hand(hand)
        if effector is None:
            continue
        colour = f"C{k}"
        axes.plot(times, targets[:, k, 0], ":", color=colour, label=f"{hand} commanded")
        axes.plot(times, reference[:, effector, 0], "--", color=colour, label=f"{hand} hand, reference")
        axes.plot(times, measured[:, effector, 0], color=colour, label=f"{hand} hand, measured")
    axes.set_ylabel("x [m]")
    axes.legend(ncols=2, fontsize="small")


def _plot_height(axes: Any, model: RobotModel, trace: Trace, times: np.ndarray) -> None:
    measured, reference = np.array(trace.effectors), np.array(trace.effectors_reference)
    for k, effector in enumerate(model.effectors):
        axes.plot(times, reference[:, k, 2] - reference[0, k, 2], "--", color=f"C{k}")
        axes.plot(times, measured[:, k, 2] - measured[0, k, 2], color=f"C{k}", label=effector.name)
    axes.set_ylabel("height above start [m]")
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


def _plot_forces(axes: Any, effector: int, name: str, times: np.ndarray, measured: Loads, desired: Loads) -> None:
    axes.plot(times, desired.forces[:, 2], "--", color=f"C{effector}")
    axes.plot(times, measured.forces[:, 2], color=f"C{effector}", label=name)


def _plot_friction(axes: Any, effector: int, friction: float, times: np.ndarray, measured: Loads, desired: Loads) -> None:
    axes.plot(times, desired.friction / friction, "--", color=f"C{effector}")
    axes.plot(times, measured.friction / friction, color=f"C{effector}")


def _plot_cop(
    axes: Any, effector: int, half_length: float, times: np.ndarray, measured: Loads, desired: Loads, axis: int
) -> None:
    axes.plot(times, desired.cop[:, axis], "--", color=f"C{effector}")
    axes.plot(times, measured.cop[:, axis], color=f"C{effector}")
    axes.axhline(half_length, color="grey", lw=0.5)
    axes.axhline(-half_length, color="grey", lw=0.5)
