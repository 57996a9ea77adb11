r"""The torques that it takes to stand: of all forces that hold the robot up, those that strain no joint more than need be.

.. math:: \min_{f, t} t \quad \text{s.t.} \quad |g(q) - J_c^T f| \leq t \, \tau_{max}, \quad
    \text{f in the cones, in equilibrium with the weight at c, contacts loaded.}
"""

from __future__ import annotations

import math

import numpy as np

from handhold.retarget.stability.support_region import EQUATIONS, RegionProgram
from handhold.robots.qp import INFINITY, DaqpSolver, QuadraticProgram

SPREAD = 1e-4
"""Cost of the squares of the forces in weights of the robot, where that of the square of t is 1: they are not unique [-]."""


def find_torque_ratio(program: RegionProgram, point: np.ndarray, loads: np.ndarray) -> float:
    """Find the largest part of its limit that a joint needs, t [-]; infinite where nothing holds the robot up there.

    Args:
        program: The region's, as last placed.
        point: Centre of mass seen from above, shape ``(2,)`` [m].
        loads: Least normal forces of the contacts in weights of the robot, shape ``(contacts,)`` [-].
    """
    state = program.simplex.state
    width, torques = state.nonbasic.size, slice(program.first_torque, program.rows)
    normals = slice(EQUATIONS, program.first_torque)
    lower, upper = state.lower[width:], state.upper[width:]
    limits = 0.5 * (upper[torques] - lower[torques])
    gravity = 0.5 * (upper[torques] + lower[torques]) / limits
    strain = (state.columns[:, torques] / limits).T
    joints = len(gravity)
    rows = np.zeros((EQUATIONS + 2 + len(loads) + 2 * joints, width + 1))
    forces = (state.columns[:, :EQUATIONS].T, state.objectives, state.columns[:, normals].T, strain, strain)
    rows[:, :width] = np.vstack(forces)
    rows[-2 * joints : -joints, width], rows[-joints:, width] = 1.0, -1.0
    balance = np.concatenate([lower[:EQUATIONS], point - program.centroid[:2]])
    unbounded = np.full(joints, INFINITY)
    solution = DaqpSolver().solve(
        QuadraticProgram(
            H=np.diag(np.append(np.full(width, SPREAD), 1.0)),
            f=np.zeros(width + 1),
            A=rows,
            lower=np.concatenate([np.zeros(width + 1), balance, loads, gravity, -unbounded]),
            upper=np.concatenate([np.full(width + 1, INFINITY), balance, upper[normals], unbounded, gravity]),
            equalities=EQUATIONS + 2,
        )
    )
    return float(solution.x[width]) if solution.solved else math.inf
