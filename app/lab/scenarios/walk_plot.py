"""A picture of a walk, after Figure 8 of [Penco2019]: centre of mass and ZMP over the footsteps, and over time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from handhold.app.lab.figures import Outcome
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.lab.scenarios.walk_measures import compute_zmp
from handhold.retarget.walking.entry import find_walking_feet
from handhold.robots.model import RobotModel

SHOWN = 4.0
"""Longest path that is shown from above [m]."""

COLOURS = ("tab:blue", "tab:orange")
"""Of left and right foot."""


def plot_walk(model: RobotModel, trace: Trace, outcome: Outcome, file: Path) -> None:
    """Draw the run into a PNG file: seen from above, along x and y over time, heights, forces and how far it is off."""
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas(figsize=(13, 18), layout="constrained")
    axes = canvas.subplots(6, 1, height_ratios=(2.0, 1.0, 1.0, 1.0, 1.0, 1.0))
    times = np.array(trace.times)
    measured, planned = compute_zmp(model, trace, reference=False), compute_zmp(model, trace, reference=True)
    _plot_from_above(axes[0], model, trace, measured, planned)
    for axis, name in enumerate("xy"):
        _plot_over_time(axes[1 + axis], trace, times, measured, planned, axis)
        axes[1 + axis].set_ylabel(f"{name} [m]")
    _plot_feet(axes[3], axes[4], model, trace, times)
    _plot_errors(axes[5], trace, times, measured - planned)
    for each in axes[2:]:
        each.sharex(axes[1])
    axes[-1].set_xlabel("time [s]; plan dashed, simulated robot solid")
    fell = ", fell" if outcome.fell else ""
    canvas.suptitle(f"{outcome.name}: {outcome.robot} in {outcome.engine}, seed {outcome.seed}, {outcome.commit}{fell}")
    file.parent.mkdir(parents=True, exist_ok=True)
    canvas.savefig(file, dpi=80)


def _plot_from_above(axes: Any, model: RobotModel, trace: Trace, measured: np.ndarray, planned: np.ndarray) -> None:
    com, desired = np.array(trace.com), np.array(trace.com_reference)
    axes.plot(measured[:, 0], measured[:, 1], color="tab:red", lw=0.3, alpha=0.6, label="ZMP measured")
    axes.plot(planned[:, 0], planned[:, 1], "--", color="tab:red", lw=0.8, label="ZMP planned")
    axes.plot(desired[:, 0], desired[:, 1], "--", color="black", lw=0.8, label="centre of mass planned")
    axes.plot(com[:, 0], com[:, 1], color="tab:green", lw=1.0, label="centre of mass measured")
    for foot, colour in zip(find_walking_feet(model)[1], COLOURS, strict=True):
        _plot_soles(axes, model, trace, foot, colour)
    axes.set_aspect("equal", adjustable="datalim")
    if np.ptp(com[:, 0]) > SHOWN:
        # Of a long path the end: all of it would be a line.
        axes.set_xlim(com[-1, 0] - SHOWN, com[-1, 0] + 0.3)
    axes.set_xlabel("x [m]")
    axes.set_ylabel("y [m]")
    axes.legend(ncols=4, fontsize="small")


def _plot_soles(axes: Any, model: RobotModel, trace: Trace, foot: int, colour: str) -> None:
    """Draw the sole wherever it stood."""
    half = np.array(model.effectors[foot].half_lengths)
    corners = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1], [1, 1]]) * half
    in_contact = np.array([contacts[foot] for contacts in trace.contacts])
    lift_offs = np.flatnonzero(in_contact[:-1] & ~in_contact[1:]).tolist() + ([len(in_contact) - 1] if in_contact[-1] else [])
    for k in lift_offs:
        outline = trace.effectors[k][foot][:2] + corners @ trace.rotations[k][foot][:2, :2].T
        axes.plot(outline[:, 0], outline[:, 1], color=colour, lw=0.8)


def _plot_over_time(axes: Any, trace: Trace, times: np.ndarray, measured: np.ndarray, planned: np.ndarray, axis: int) -> None:
    axes.plot(times, measured[:, axis], color="tab:red", lw=0.3, alpha=0.6, label="ZMP measured")
    axes.plot(times, planned[:, axis], "--", color="tab:red", lw=0.8, label="ZMP planned")
    axes.plot(times, np.array(trace.com_reference)[:, axis], "--", color="black", lw=0.8, label="centre of mass planned")
    axes.plot(times, np.array(trace.com)[:, axis], color="tab:green", lw=1.0, label="centre of mass measured")


def _plot_feet(heights: Any, forces: Any, model: RobotModel, trace: Trace, times: np.ndarray) -> None:
    measured, desired = np.array(trace.effectors), np.array(trace.effectors_reference)
    loads, planned = np.array(trace.wrenches), np.array(trace.wrenches_reference)
    for foot, colour in zip(find_walking_feet(model)[1], COLOURS, strict=True):
        heights.plot(times, desired[:, foot, 2], "--", color=colour, lw=0.8)
        heights.plot(times, measured[:, foot, 2], color=colour, lw=0.8, label=model.effectors[foot].name)
        forces.plot(times, planned[:, foot, 2], "--", color=colour, lw=0.8)
        forces.plot(times, loads[:, foot, 2], color=colour, lw=0.5)
    heights.set_ylabel("height of the soles [m]")
    heights.legend(fontsize="small")
    forces.set_ylabel("normal force [N]")


def _plot_errors(axes: Any, trace: Trace, times: np.ndarray, zmp: np.ndarray) -> None:
    com = np.array(trace.com) - np.array(trace.com_reference)
    for axis, name in enumerate("xy"):
        axes.plot(times, 1e3 * zmp[:, axis], color=COLOURS[axis], lw=0.2, alpha=0.5, label=f"ZMP {name}")
        axes.plot(times, 1e3 * com[:, axis], color=COLOURS[axis], lw=1.0, label=f"centre of mass {name}")
    axes.set_ylim(-80.0, 80.0)
    axes.set_ylabel("off the plan [mm]")
    axes.legend(ncols=4, fontsize="small")
