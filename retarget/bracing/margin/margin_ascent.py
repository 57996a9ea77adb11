r"""The direction of the posture in which the stability margin grows, with all edges near the centre of mass considered.

The margin is the minimum of the distances from the edges, :math:`m(q) = \min_e m_e(q)`. Where two edges are about as near, the
gradient of the nearest one leads over to the other, and that one's back again, or it has nothing to do with the posture and
hides what the first would gain next. So the step is sought that makes the minimum of them grow,

.. math::

    \max_{\Delta q \in N_h} \; \min_e \left( m_e + \nabla m_e^T \Delta q \right) - \frac{1}{2 r} \|\Delta q\|^2
    \quad \Rightarrow \quad \Delta q = r \, N_h \sum_e \lambda_e \nabla m_e

with :math:`\lambda` on the unit simplex minimising :math:`\frac{r}{2} \|N_h \sum_e \lambda_e \nabla m_e\|^2 + \lambda^T m`:
edges come in and go out smoothly. Of one edge alone it is the gradient of the margin, as in [McCrory2024]_ (eq. 12 and 15).
"""

from __future__ import annotations

import numpy as np

from handhold.retarget.bracing.margin.postural_sensitivity import NEAR_LIMIT, hold_at_limits, project_rows
from handhold.robots.qp import DaqpSolver, QuadraticProgram

_ROUNDING = 1e-9
"""Added to the diagonal of the program's cost: two edges may change alike."""


def find_ascent(
    margins: np.ndarray,
    gradients: np.ndarray,
    tasks: np.ndarray,
    joints: np.ndarray,
    limits: tuple[np.ndarray, np.ndarray],
    *,
    reach: float,
    near: float = NEAR_LIMIT,
) -> np.ndarray:
    r"""Compute :math:`N_h \sum_e \lambda_e \nabla m_e`, joints near a limit driven no further.

    Args:
        margins: Distances from the edges, the nearest one first, shape ``(k,)`` [m].
        gradients: Of the distances with respect to velocities of the model, shape ``(k, nv)`` [m/rad].
        tasks: Jacobians of the tasks of high priority, one above the other, shape ``(rows, nv)``.
        joints: Positions of the actuated joints, shape ``(n,)`` [rad].
        limits: Their lower and upper limits, shape ``(n,)`` each [rad].
        reach: r, how far the step may go for what it gains [rad^2/m].
        near: Distance from a limit that is near [rad].

    Returns:
        Shape ``(nv,)`` [m/rad].
    """
    if not gradients.any():
        return np.zeros(gradients.shape[1])

    def find_direction(held: np.ndarray) -> np.ndarray:
        projected = project_rows(np.where(held, 0.0, gradients), np.where(held, 0.0, tasks))
        return weigh_edges(margins, projected, reach) @ projected

    return hold_at_limits(find_direction, gradients[0], joints, limits, near)


def weigh_edges(margins: np.ndarray, gradients: np.ndarray, reach: float) -> np.ndarray:
    r"""Compute :math:`\lambda`, shape ``(k,)``: positive where an edge holds the minimum margin back after the step."""
    count = len(margins)
    if count == 1:
        return np.ones(1)
    program = QuadraticProgram(
        H=reach * gradients @ gradients.T + _ROUNDING * np.eye(count),
        f=margins - margins.min(),
        A=np.ones((1, count)),
        lower=np.concatenate([np.zeros(count), [1.0]]),
        upper=np.ones(count + 1),
        equalities=1,
    )
    solution = DaqpSolver().solve(program)
    # Without an answer the nearest edge alone is followed.
    return solution.x if solution.solved else np.eye(count)[int(np.argmin(margins))]
