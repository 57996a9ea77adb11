"""Figures that many scenarios share."""

from __future__ import annotations

import numpy as np

from handhold.app.figures import Figure
from handhold.app.scenarios.trace import Trace
from handhold.robots.model import RobotModel

LEAST_NORMAL_FORCE = 20.0
"""Normal force under which a sole's centre of pressure means nothing [N]."""


def measure_reference(trace: Trace) -> list[Figure]:
    """Measure how exactly the references kept contacts, equilibrium and torque limits."""
    contact, equilibrium, torque = np.max(trace.residuals, axis=0)
    failures = trace.counters.qp_failures_reference + trace.counters.qp_failures_controller
    return [
        Figure("contact_error", float(contact), "m", must=1e-4, aim=1e-5),
        Figure("equilibrium_error", float(equilibrium), "N", must=1e-2, aim=1e-3),
        Figure("torque_overshoot", float(torque), "Nm", must=1e-2),
        Figure("qp_failures", float(failures), "-", must=0.0),
    ]


def measure_robot(model: RobotModel, trace: Trace) -> list[Figure]:
    """Measure how the simulated robot stood and followed."""
    error = np.linalg.norm(np.array(trace.com) - np.array(trace.com_reference), axis=1)
    return [
        Figure("cop_margin", compute_cop_margin(model, np.array(trace.wrenches)), "m", must=0.0, larger_is_better=True),
        Figure("com_error_rms", float(np.sqrt(np.mean(error**2))), "m"),
        Figure("com_error_max", float(error.max()), "m"),
    ]


def compute_cop_margin(model: RobotModel, wrenches: np.ndarray) -> float:
    r"""Compute the least distance of a measured centre of pressure to the edge of its sole, negative outside.

    :math:`p = (-m_y, m_x) / f_z` in the contact frame.

    Args:
        model: Robot.
        wrenches: Measured wrenches over time, shape ``(times, effectors, 6)``.

    Returns:
        Least margin over all soles and times with a load [m].
    """
    margins = [np.inf]
    for effector, about in enumerate(model.effectors):
        if about.half_lengths is None:
            continue
        loaded = wrenches[wrenches[:, effector, 2] > LEAST_NORMAL_FORCE, effector]
        pressure = np.stack([-loaded[:, 4], loaded[:, 3]], axis=1) / loaded[:, 2:3]
        margins.append(float((np.array(about.half_lengths) - np.abs(pressure)).min(initial=np.inf)))
    return min(margins)
