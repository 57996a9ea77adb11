r"""Distribution of the forces of a motion to contacts: contact wrenches and joint torques by inverse dynamics.

.. math::

    \min_\lambda \|\lambda\|_W^2 \quad \text{s.t.} \quad (J^T \lambda)_{base} = (M a + h)_{base}, \;
    U \lambda \leq 0, \; 0 \leq N \lambda \leq s \, m g, \; |\tau| \leq \tau_{max}, \; \tau = (M a + h - J^T \lambda)_{joints},

cones U of soles inside the margins of the reference, s the largest load ratio of a contact that is loaded or unloaded.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pinocchio as pin

from handhold.retarget.motions.chart import BodyState
from handhold.robots.contact import Stance
from handhold.robots.kinematics import EffectorKinematics, fill_contact_jacobian
from handhold.robots.model import RobotModel
from handhold.robots.qp import INFINITY, DaqpSolver, QuadraticProgram

UNIT = 100.0
"""Unit of forces and torques in the program [N, Nm]: its numbers are about one."""

LEVER = 0.1
"""Moment that costs as much as a force of 1 N [m]: the smaller, the nearer are centres of pressure to the middles of soles."""

PENALTY = 1e6
"""Penalty on the square of what is missing to the base's dynamics, where it cannot be had [1/UNIT^2]."""

MAX_LOAD_FACTOR = 1.3
"""Load that the parts of the weight are of, as a part of it [-]: a body that is thrown upwards weighs more."""

MIN_LOAD_RATIO = 1e-6
"""Load ratio below which a contact counts as unloaded [-]."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Distribution:
    """Contact forces of one sample of a motion.

    Attributes:
        balanced: Whether contacts within their margins carry the robot.
        within_torques: Whether they do so with joint torques within their limits.
        wrenches: One row an effector, as in a ``Reference``, shape ``(effectors, 6)``.
        torques: Joint torques, shape ``(n,)`` [Nm].
        missing: Force that is missing to the base's dynamics [N], or moment [Nm], whichever is larger; 0 where balanced.
    """

    balanced: bool
    within_torques: bool
    wrenches: np.ndarray
    torques: np.ndarray
    missing: float


class ForceDistribution:
    """Computes distributions for one robot; stances are built once."""

    def __init__(self, model: RobotModel) -> None:
        self._model, self._solver = model, DaqpSolver()
        self._kinematics = EffectorKinematics(model)
        self._data = model.pinocchio.createData()
        self._stances: dict[tuple[int, ...], Stance] = {}

    def solve(self, state: BodyState, max_load_ratios: dict[int, float]) -> Distribution:
        """Compute the contact forces of a sample of a motion.

        Args:
            state: What the body does.
            max_load_ratios: Largest load ratio of each supporting effector, by its index.
        """
        model = self._model
        demand = pin.rnea(model.pinocchio, self._data, state.q, state.v, state.a)
        supporting = tuple(sorted(effector for effector, max_ratio in max_load_ratios.items() if max_ratio > MIN_LOAD_RATIO))
        if not supporting:
            return self._describe_no_support(demand)
        self._kinematics.update(state.q)
        stance = self._find_stance(supporting)
        jacobian = np.zeros((stance.size, model.nv))
        contacts = np.array(stance.effectors)
        fill_contact_jacobian(
            self._kinematics.jacobians, self._kinematics.poses, contacts, stance.planes, stance.arms, jacobian
        )
        program = self._build(stance, jacobian, demand, np.array([max_load_ratios[e] for e in stance.effectors]))
        solution = self._solver.solve(program)
        within_torques = solution.solved
        if not solution.solved:
            solution = self._solver.solve(_without_torques(program, model.n))
        balanced = solution.solved
        if not solution.solved:
            solution = self._solver.solve(_without_balance(program, model.n))
        wrenches = UNIT * solution.x if solution.solved else np.zeros(stance.size)
        torques = demand - jacobian.T @ wrenches
        return Distribution(
            balanced=balanced,
            within_torques=within_torques,
            wrenches=stance.unstack(wrenches, len(model.effectors)),
            torques=torques[6:],
            missing=0.0 if balanced else float(np.abs(torques[:6]).max()),
        )

    def _describe_no_support(self, demand: np.ndarray) -> Distribution:
        return Distribution(
            balanced=False,
            within_torques=False,
            wrenches=np.zeros((len(self._model.effectors), 6)),
            torques=demand[6:],
            missing=float(np.abs(demand[:6]).max()),
        )

    def _find_stance(self, supporting: tuple[int, ...]) -> Stance:
        if supporting not in self._stances:
            self._stances[supporting] = Stance.of_reference(self._model, supporting)
        return self._stances[supporting]

    def _build(
        self, stance: Stance, jacobian: np.ndarray, demand: np.ndarray, max_load_ratios: np.ndarray
    ) -> QuadraticProgram:
        """Return the program: base rows, cones, normal forces, then torques."""
        model = self._model
        weights = np.ones(stance.size)
        for k in range(stance.planes):
            weights[6 * k + 3 : 6 * k + 6] = 1.0 / LEVER**2
        cones, normals, n = len(stance.cone), len(stance.normals), model.n
        A = np.vstack([jacobian[:, :6].T, stance.cone, stance.normals, -jacobian[:, 6:].T])
        max_normal_forces = np.minimum(MAX_LOAD_FACTOR * max_load_ratios * model.weight, stance.max_normal) / UNIT
        base, joints, limits = demand[:6] / UNIT, demand[6:] / UNIT, model.torque_limits / UNIT
        free = np.full(stance.size, INFINITY)
        lower = [-free, base, np.full(cones, -INFINITY), np.zeros(normals), -limits - joints]
        upper = [free, base, np.zeros(cones), max_normal_forces, limits - joints]
        assert len(A) == 6 + cones + normals + n
        return QuadraticProgram(
            H=np.diag(weights),
            f=np.zeros(stance.size),
            A=np.ascontiguousarray(A),
            lower=np.concatenate(lower),
            upper=np.concatenate(upper),
            equalities=6,
        )


def _without_torques(program: QuadraticProgram, joints: int) -> QuadraticProgram:
    return replace(program, A=program.A[:-joints], lower=program.lower[:-joints], upper=program.upper[:-joints])


def _without_balance(program: QuadraticProgram, joints: int) -> QuadraticProgram:
    """Return the program whose base rows are a price: what is nearest to balance within the cones."""
    size, rows = len(program.f), program.A[:6]
    base = program.lower[size : size + 6]
    kept = np.r_[0:size, size + 6 : len(program.lower) - joints]
    return replace(
        program,
        H=program.H + PENALTY * rows.T @ rows,
        f=-PENALTY * rows.T @ base,
        A=np.ascontiguousarray(program.A[6:-joints]),
        lower=program.lower[kept],
        upper=program.upper[kept],
        equalities=0,
    )
