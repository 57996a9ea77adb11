"""Figures that many scenarios share."""

from __future__ import annotations

import numpy as np

from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.margins import compute_cone_ratio, compute_cop_margin, compute_torque_margin
from handhold.app.lab.scenarios.trace import Trace
from handhold.robots.model import RobotModel

ROUNDING = 1e-6
"""How far a figure at its limit may lie beyond it by rounding: a reference saturates exactly there [-, m or Nm]."""


def measure_reference(trace: Trace) -> list[Figure]:
    """Measure how exactly the references kept contacts, equilibrium and torque limits."""
    contact, equilibrium, torque = trace.worst_residuals
    return [
        Figure("contact_error", float(contact), "m", must=1e-4, aim=1e-5),
        Figure("equilibrium_error", float(equilibrium), "N", must=1e-2, aim=1e-3),
        Figure("torque_overshoot", float(torque), "Nm", must=1e-2),
        measure_failures(trace),
        Figure("qp_relaxed", float(trace.counters.qp_relaxed_controller), "-"),
    ]


def measure_failures(trace: Trace) -> Figure:
    """Count the quadratic programs without a solution."""
    failures = trace.counters.qp_failures_reference + trace.counters.qp_failures_controller
    return Figure("qp_failures", float(failures), "-", must=0.0)


def measure_robot(model: RobotModel, trace: Trace) -> list[Figure]:
    """Measure how the simulated robot stood and followed."""
    error = np.linalg.norm(np.array(trace.com) - np.array(trace.com_reference), axis=1)
    return [
        *measure_margins(model, trace),
        Figure("com_error_rms", float(np.sqrt(np.mean(error**2))), "m"),
        Figure("com_error_max", float(error.max()), "m"),
    ]


def measure_margins(model: RobotModel, trace: Trace) -> list[Figure]:
    """Measure how far inside their limits contacts and joints stayed: of the simulated robot, and of the reference.

    ``cone_ratio`` is the ratio of tangential and normal force as a part of the friction coefficient: 1 on the round cone.
    ``cop_margin`` is left out for robots without soles.
    """
    figures = []
    for prefix, reference in (("", False), ("reference_", True)):
        ratio = compute_cone_ratio(model, trace, reference=reference)
        figures.append(Figure(f"{prefix}cone_ratio", ratio, "-", must=1.0 + ROUNDING))
        if any(effector.half_lengths is not None for effector in model.effectors):
            margin = compute_cop_margin(model, trace, reference=reference)
            figures.append(Figure(f"{prefix}cop_margin", margin, "m", must=-ROUNDING, larger_is_better=True))
        torque = compute_torque_margin(model, trace, reference=reference)
        # The reference's own overshoot has a bound of its own; the margin repeats it.
        must = -1e-2 if reference else 0.0
        figures.append(Figure(f"{prefix}torque_margin", torque, "Nm", must=must, larger_is_better=True))
    return figures
