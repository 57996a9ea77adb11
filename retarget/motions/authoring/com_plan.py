r"""The centre of mass of a motion: the smoothest whose zero moment point stays in the support.

A quintic B-spline :math:`c(t) = \sum_k B_k(t) p_k` seen from above, its control points by

.. math::

    \min_p \int \|\dddot c\|^2 dt + w \int \|c - \bar c\|^2 dt \quad \text{s.t.} \quad
    c - \frac{h}{g + \ddot c_z} \ddot c + \delta \in S(t),

from rest to rest, with the height h over the ground and its acceleration from the path through key postures, and the shift
:math:`\delta` of the zero moment point by what the limbs do, both as they were in the pass before.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import BSpline

from handhold.robots.polygon import compute_half_planes
from handhold.robots.qp import INFINITY, DaqpSolver, QuadraticProgram

SPAN = 0.1
"""Time between the joints of the spline [s]."""

ORDER = 5
NEAR = 20.0
"""Weight of the trajectory through the key postures against the square of the jerk [1/s^6]."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class ComTask:
    """What a centre of mass is to do.

    Attributes:
        times: Times of the knots, shape ``(k,)`` [s].
        trajectory: Where it should about be, shape ``(k, 2)`` [m]; the first and the last are kept.
        levers: Height over the ground by vertical acceleration, h / (g + a), shape ``(k,)`` [s^2].
        shifts: Shift of the zero moment point by the limbs, shape ``(k, 2)`` [m].
        supports: Polygons that the zero moment point keeps within, counter-clockwise, shape ``(corners, 2)`` each [m].
    """

    times: np.ndarray
    trajectory: np.ndarray
    levers: np.ndarray
    shifts: np.ndarray
    supports: list[np.ndarray]


def plan_com(task: ComTask) -> np.ndarray | None:
    """Plan the centre of mass at the knots, shape ``(k, 2)`` [m]; None where no zero moment point stays within."""
    basis = _make_basis(task.times)
    count = basis.c.shape[0]
    B, B2, B3 = (np.asarray(basis.derivative(nu)(task.times)) if nu else np.asarray(basis(task.times)) for nu in (0, 2, 3))
    step = float(task.times[1])
    H = step * (B3.T @ B3 + NEAR * B.T @ B) + 1e-9 * np.eye(count)
    f = -step * NEAR * (B.T @ task.trajectory)
    if not all(len(support) for support in task.supports):
        return None
    A, limits = _hold_zmp(task, B - task.levers[:, None] * B2)
    bounds = _fix_ends(task.trajectory, count)
    fixed = np.isfinite(bounds)
    solution = DaqpSolver(max_iterations=20_000).solve(
        QuadraticProgram(
            H=np.kron(np.eye(2), H),
            f=f.T.ravel(),
            A=A,
            lower=np.concatenate([np.where(fixed, bounds, -INFINITY), np.full(len(A), -INFINITY)]),
            upper=np.concatenate([np.where(fixed, bounds, INFINITY), limits]),
            equalities=0,
        )
    )
    if not solution.solved:
        return None
    return np.asarray(B @ solution.x.reshape(2, count).T)


def _hold_zmp(task: ComTask, zmp: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows that keep the zero moment point within, of its basis at the knots, shape ``(k, count)``, and bounds."""
    rows, upper = [], []
    for k, support in enumerate(task.supports):
        normals, distances = compute_half_planes(support)
        rows.append(np.hstack([normals[:, :1] * zmp[k], normals[:, 1:] * zmp[k]]))
        upper.append(distances - normals @ task.shifts[k])
    return np.vstack(rows), np.concatenate(upper)


def _fix_ends(trajectory: np.ndarray, count: int) -> np.ndarray:
    """Return where control points of both axes must be, not a number for those that are free, shape ``(2 count,)`` [m].

    Position, velocity and acceleration at an end are those of its three outermost control points.
    """
    bounds = np.full((2, count), np.nan)
    bounds[:, :3], bounds[:, -3:] = trajectory[0][:, None], trajectory[-1][:, None]
    return bounds.ravel()


def _make_basis(times: np.ndarray) -> BSpline:
    """Return all basis functions of the spline at once."""
    inner = np.linspace(0.0, times[-1], max(3, round(times[-1] / SPAN)) + 1)
    knots = np.concatenate([np.zeros(ORDER), inner, np.full(ORDER, times[-1])])
    return BSpline(knots, np.eye(len(knots) - ORDER - 1), ORDER)
