r"""Quadratic programs over a motion and the contact forces, with what a standing foot decides taken out by hand.

Both SEIKO and the whole-body controller look for a motion :math:`u` (a step :math:`\Delta q`, or accelerations
:math:`\ddot q`) and a change or value of the stacked contact wrenches :math:`y` (in units of ``FORCE_UNIT``), subject to

.. math::

    D_B u - J_B^T y + d_B = 0 \quad (\text{balance of the floating base}), \qquad J u = e \quad (\text{contacts stay}).

With a plane contact the first foot's six rows of :math:`J u = e` give the base's motion from that leg's joints, and the
base's balance gives that foot's wrench from everything else; both need the inverse of the foot's Jacobian with respect to the
base only, which is the adjoint of a rigid transform: always invertible, exactly, and in closed form. Twelve unknowns and
twelve equalities fewer: on Talos 36 and 6 in place of 48 and 18.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from handhold.robots.contact import Stance
from handhold.robots.qp import INFINITY, QuadraticProgram

INDEPENDENT, REDUNDANT = 0.03, 1e-3
"""Parts of a contact's row that no other row says, from which on it is independent, and under which it is left out [-]."""

FORCE_UNIT = 100.0
"""Contact wrenches are sought in units of 100 N (and 100 Nm), so that they are of the size of the motions."""

_BASE = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependence:
    """What is asked of a contact that legs with few joints can hardly move: two soles on legs of five slide no further apart.

    Attributes:
        tolerance: How far such a row may be off its target, in the target's unit.
        most: Motion that is made at most to bring it there, in the unit of the motion.
    """

    tolerance: float
    most: float


class WholeBodyProgram:
    r"""Costs and constraints over :math:`x = (u, y)`, and the smaller program they make.

    Fill the arrays in place, then ``condense``; ``expand`` turns the smaller program's solution back into :math:`x`.

    Attributes:
        cost_rows: Rows :math:`R` of :math:`\|R x - r\|^2 / 2`, already weighted, shape ``(costs, nv + l)``.
        cost_targets: Targets :math:`r`, shape ``(costs,)``.
        cost_count: How many of the rows count, from the first on: those after them cost nothing, and no time.
        weights: Diagonal weights :math:`w` of :math:`\sum w_k (x_k - t_k)^2 / 2`, shape ``(nv + l,)``; positive for joints
            and wrenches.
        targets: Their targets :math:`t`, shape ``(nv + l,)``.
        limit_rows: Inequality rows over :math:`x`, soft ones last, shape ``(limits, nv + l)``.
        limit_lower: Their lower bounds, shape ``(limits,)``.
        limit_upper: Their upper bounds, shape ``(limits,)``.
        joint_lower: Lower bounds of the joints' part of :math:`u`, shape ``(n,)``.
        joint_upper: Their upper bounds.
        base_rows: Rows :math:`[D_B, -J_B^T]`, shape ``(6, nv + l)``.
        base_offset: Vector :math:`d_B`, shape ``(6,)``.
        contact_jacobian: Stacked Jacobian :math:`J`, shape ``(l, nv)``.
        contact_targets: Vector :math:`e`, shape ``(l,)``.
    """

    def __init__(self, stance: Stance, nv: int, dependence: Dependence, *, costs: int, limits: int, soft: int = 0) -> None:
        """Allocate for a stance.

        Args:
            stance: Contacts of the program.
            nv: Length of a velocity.
            dependence: What is asked of rows of the contacts that depend on the others.
            costs: Number of cost rows.
            limits: Number of inequality rows, the soft ones included.
            soft: How many of the inequality rows, the last ones, are soft.
        """
        size = nv + stance.size
        self.cost_rows = np.zeros((costs, size))
        self.cost_targets = np.zeros(costs)
        self.cost_count = costs
        self.weights = np.zeros(size)
        self.targets = np.zeros(size)
        self.limit_rows = np.zeros((limits, size))
        self.limit_lower = np.full(limits, -INFINITY)
        self.limit_upper = np.full(limits, INFINITY)
        self.joint_lower = np.full(nv - _BASE, -INFINITY)
        self.joint_upper = np.full(nv - _BASE, INFINITY)
        self.base_rows = np.zeros((_BASE, size))
        self.base_offset = np.zeros(_BASE)
        self.contact_jacobian = np.zeros((stance.size, nv))
        self.contact_targets = np.zeros(stance.size)
        self._soft = soft
        self._nv = nv
        eliminated = stance.planes > 0
        first = np.arange(nv, nv + _BASE)
        self._dependent = np.concatenate([np.arange(_BASE), first]) if eliminated else np.arange(0)
        self._free = np.setdiff1d(np.arange(size), self._dependent)
        self._map = np.zeros((self._dependent.size, self._free.size))
        self._offset = np.zeros(self._dependent.size)
        self._first_joint = 0 if eliminated else _BASE
        self._equalities = stance.size - _BASE if eliminated else stance.size + _BASE
        z, rows = self._free.size, self._equalities + limits
        # The condensed program: made once, filled every time.
        self._H, self._f = np.zeros((z, z)), np.zeros(z)
        self._A = np.zeros((rows, z))
        self._lower, self._upper = np.full(z + rows, -INFINITY), np.full(z + rows, INFINITY)
        self._condensed_costs = np.zeros((costs + self._dependent.size, z))
        # The rows of the contacts other than the first are the last of the equalities.
        others = stance.size - _BASE if eliminated else stance.size
        self._first_contact = self._equalities - others
        self._dependence = dependence
        self._residual_rows = np.zeros((others, z + 1))
        self._are_dependent = np.zeros(others, dtype=np.bool_)

    def let_be(self) -> None:
        """Ask of no limit more than to be no further violated: staying as it is satisfies all of them."""
        for lower, upper in ((self.limit_lower, self.limit_upper), (self.joint_lower, self.joint_upper)):
            np.minimum(lower, 0.0, out=lower)
            np.maximum(upper, 0.0, out=upper)

    def condense(self) -> QuadraticProgram:
        """Return the smaller program (its arrays are this object's own and change with the next call)."""
        if self._dependent.size:
            solve_standing_foot(
                self.base_rows, self.base_offset, self.contact_jacobian, self.contact_targets, self._map, self._offset
            )
        count = self.cost_count
        condense(
            (self.cost_rows[:count], self.cost_targets[:count], self.weights, self.targets),
            (self.limit_rows, self.limit_lower, self.limit_upper, self.joint_lower, self.joint_upper),
            (self.base_rows, self.base_offset, self.contact_jacobian, self.contact_targets),
            (self._dependent, self._free, self._map, self._offset),
            (self._H, self._f, self._A, self._lower, self._upper, self._condensed_costs[: count + self._dependent.size]),
        )
        return QuadraticProgram(
            H=self._H,
            f=self._f,
            A=self._A,
            lower=self._lower,
            upper=self._upper,
            equalities=self._equalities,
            soft=self._soft,
            dependent=self._relax_dependent(),
        )

    def _relax_dependent(self) -> np.ndarray | None:
        """Give the contacts' rows that depend on the others a tolerance; return their places, None where there are none."""
        first, last = self._first_contact, self._equalities
        rows, targets = self._A[first:last], slice(self._f.size + first, self._f.size + last)
        bounds = self._lower[targets], self._upper[targets]
        settings = INDEPENDENT, REDUNDANT, self._dependence.tolerance, self._dependence.most
        if not len(rows) or not relax_dependent(rows, bounds, settings, self._residual_rows, self._are_dependent):
            return None
        return self._are_dependent.nonzero()[0] + first

    def assemble(self) -> QuadraticProgram:
        """Return the same program over x, nothing eliminated: the textbook form, to check and to time against."""
        nv, size = self._nv, self.weights.size
        cost_rows, cost_targets = self.cost_rows[: self.cost_count], self.cost_targets[: self.cost_count]
        contacts = np.hstack([self.contact_jacobian, np.zeros((self.contact_jacobian.shape[0], size - nv))])
        free = np.full(size, INFINITY)
        lower, upper = -free, free.copy()
        lower[_BASE:nv], upper[_BASE:nv] = self.joint_lower, self.joint_upper
        equal = np.concatenate([-self.base_offset, self.contact_targets])
        return QuadraticProgram(
            H=cost_rows.T @ cost_rows + np.diag(self.weights),
            f=-cost_rows.T @ cost_targets - self.weights * self.targets,
            A=np.vstack([self.base_rows, contacts, self.limit_rows]),
            lower=np.concatenate([lower, equal, self.limit_lower]),
            upper=np.concatenate([upper, equal, self.limit_upper]),
            equalities=equal.size,
            soft=self._soft,
        )

    def expand(self, z: np.ndarray) -> np.ndarray:
        """Return the full solution :math:`x = (u, y)`, shape ``(nv + l,)``, of the smaller program's solution."""
        x = np.empty(self.weights.size)
        x[self._free] = z
        if self._dependent.size:
            x[self._dependent] = self._map @ z + self._offset
        return x

    def name_multipliers(self, joints: tuple[str, ...], limits: tuple[str, ...]) -> tuple[str, ...]:
        """Return the name that belongs to every multiplier of the smaller program; equalities have none.

        Args:
            joints: Names of the joints' bounds, ``n`` of them.
            limits: Names of the limit rows.
        """
        unbounded = self._free.size - self._first_joint - len(joints)
        return ("",) * self._first_joint + joints + ("",) * (unbounded + self._equalities) + limits


@njit(cache=True)
def solve_standing_foot(
    base_rows: np.ndarray,
    base_offset: np.ndarray,
    contact_jacobian: np.ndarray,
    contact_targets: np.ndarray,
    dependent_map: np.ndarray,
    dependent_offset: np.ndarray,
) -> None:
    r"""Express the base's motion and the first foot's wrench by the other unknowns :math:`z`.

    With the first foot's Jacobian :math:`[J_b, J_j]` and :math:`J_b = \begin{bmatrix} A & B \\ 0 & A \end{bmatrix}`, A a
    rotation: :math:`u_b = J_b^{-1} (e - J_j u_j)` and :math:`y_1 = J_b^{-T} (D_B u - J_{B,rest}^T y_{rest} + d_B) / s`.

    Args:
        base_rows: Rows :math:`[D_B, -s J_B^T]`, shape ``(6, nv + l)``.
        base_offset: Vector :math:`d_B`, shape ``(6,)``.
        contact_jacobian: Stacked Jacobian, first foot first, shape ``(l, nv)``.
        contact_targets: Vector e, shape ``(l,)``.
        dependent_map: Filled: dependent unknowns by z, shape ``(12, z)``.
        dependent_offset: Filled: their constant part, shape ``(12,)``.
    """
    nv = contact_jacobian.shape[1]
    n = nv - 6
    z = dependent_map.shape[1]
    inverse = np.zeros((6, 6))
    for i in range(3):
        for j in range(3):
            inverse[i, j] = contact_jacobian[j, i]
            inverse[3 + i, 3 + j] = contact_jacobian[j, i]
            total = 0.0
            for k in range(3):
                for m in range(3):
                    total -= contact_jacobian[k, i] * contact_jacobian[k, 3 + m] * contact_jacobian[j, m]
            inverse[i, 3 + j] = total
    for i in range(6):
        dependent_map[i, :] = 0.0
        dependent_offset[i] = 0.0
        for k in range(6):
            a = inverse[i, k]
            dependent_offset[i] += a * contact_targets[k]
            for j in range(n):
                dependent_map[i, j] -= a * contact_jacobian[k, 6 + j]
    # Balance of the base in terms of z, then of the first foot's wrench.
    balance = np.zeros((6, z))
    offset = np.zeros(6)
    for i in range(6):
        offset[i] = base_offset[i]
        for j in range(n):
            balance[i, j] = base_rows[i, 6 + j]
        for j in range(n, z):
            balance[i, j] = base_rows[i, 12 + j]
        for k in range(6):
            a = base_rows[i, k]
            offset[i] += a * dependent_offset[k]
            for j in range(n):
                balance[i, j] += a * dependent_map[k, j]
    for i in range(6):
        row = 6 + i
        dependent_map[row, :] = 0.0
        dependent_offset[row] = 0.0
        for k in range(6):
            a = inverse[k, i] / FORCE_UNIT
            dependent_offset[row] += a * offset[k]
            for j in range(z):
                dependent_map[row, j] += a * balance[k, j]


@njit(cache=True)
def relax_dependent(
    rows: np.ndarray,
    bounds: tuple[np.ndarray, np.ndarray],
    settings: tuple[float, float, float, float],
    residual: np.ndarray,
    dependent: np.ndarray,
) -> bool:
    r"""Find equalities that are almost combinations of others, and give them a tolerance.

    Gram and Schmidt's process, the row with the largest rest next, leaves of row i a rest :math:`r_i` and of its target
    :math:`\delta_i`: what is asked for in truth is :math:`r_i^T z = \delta_i`. Where :math:`r_i` is small, it becomes
    :math:`|r_i^T z - Clamp(\delta_i, \pm m \|r_i\|)| \leq \epsilon`, which no rounding contradicts, and no motion beyond m;
    where it is next to nothing, nothing.

    Args:
        rows: Shape ``(m, n)``.
        bounds: Lower and upper ones, both the targets, shape ``(m,)``; those of dependent rows are changed.
        settings: Parts of a row's norm that are left of an independent row, and of one that says something at all; the
            tolerance; the largest motion m.
        residual: Filled: rows with their targets, less their projections on those taken before, shape ``(m, n + 1)``.
        dependent: Filled: whether a row is almost a combination of the others, shape ``(m,)``.

    Returns:
        Whether one is.
    """
    least, redundant, tolerance, most = settings
    lower, upper = bounds
    m, n = rows.shape
    norms = np.empty(m)
    for i in range(m):
        dependent[i] = True
        norms[i] = 0.0
        residual[i, n] = lower[i]
        for k in range(n):
            residual[i, k] = rows[i, k]
            norms[i] += rows[i, k] * rows[i, k]
    for _ in range(m):
        best, largest = -1, 0.0
        for i in range(m):
            if dependent[i]:
                total = 0.0
                for k in range(n):
                    total += residual[i, k] * residual[i, k]
                if total > least * least * norms[i] and total > largest:
                    best, largest = i, total
        if best < 0:
            break
        dependent[best] = False
        for i in range(m):
            if dependent[i]:
                product = 0.0
                for k in range(n):
                    product += residual[i, k] * residual[best, k]
                for k in range(n + 1):
                    residual[i, k] -= product / largest * residual[best, k]
    found = False
    for i in range(m):
        if dependent[i]:
            found = True
            rest = 0.0
            for k in range(n):
                rest += residual[i, k] * residual[i, k]
            if rest < redundant * redundant * norms[i]:
                lower[i], upper[i] = -INFINITY, INFINITY
                continue
            reach = most * np.sqrt(rest)
            delta = residual[i, n]
            target = lower[i] - delta + min(max(delta, -reach), reach)
            lower[i], upper[i] = target - tolerance, target + tolerance
    return found


@njit(cache=True)
def condense_rows(
    rows: np.ndarray,
    elimination: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    out: np.ndarray,
    constants: np.ndarray,
) -> None:
    r"""Rewrite rows over x as rows over z: :math:`a^T x = (a_{free} + M^T a_{dependent})^T z + o^T a_{dependent}`.

    The dependent unknowns are the first six and the six of the first foot's wrench: one matrix product with the map M takes a
    third of what the rows one by one take.

    Args:
        rows: Rows over x, shape ``(rows, nv + l)``.
        elimination: Dependent and free unknowns, the map M, shape ``(12, z)``, and the offset o, shape ``(12,)``.
        out: Filled: rows over z, shape ``(rows, z)``.
        constants: Filled: their constant parts, shape ``(rows,)``.
    """
    dependent, _, dependent_map, dependent_offset = elimination
    count = dependent.shape[0]
    if count == 0:
        out[:] = rows
        constants[:] = 0.0
        return
    wrench = dependent[_BASE]
    joints = wrench - _BASE
    gathered = np.empty((rows.shape[0], count))
    for i in range(rows.shape[0]):
        for k in range(_BASE):
            gathered[i, k] = rows[i, k]
            gathered[i, _BASE + k] = rows[i, wrench + k]
    np.dot(gathered, dependent_map, out)
    np.dot(gathered, dependent_offset, constants)
    for i in range(rows.shape[0]):
        for j in range(joints):
            out[i, j] += rows[i, _BASE + j]
        for j in range(joints, out.shape[1]):
            out[i, j] += rows[i, 2 * _BASE + j]


@njit(cache=True)
def condense(
    costs: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    limits: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    equalities: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    elimination: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    program: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray],
) -> None:
    """Fill the program over z from costs and constraints over x (see ``WholeBodyProgram`` for the arrays)."""
    cost_rows, cost_targets, weights, targets = costs
    limit_rows, limit_lower, limit_upper, joint_lower, joint_upper = limits
    base_rows, base_offset, contact_jacobian, contact_targets = equalities
    dependent, free, dependent_map, dependent_offset = elimination
    H, f, A, lower, upper, rows = program
    z = free.shape[0]
    f[:] = 0.0
    count = cost_rows.shape[0]
    constants = np.empty(max(count, limit_rows.shape[0], contact_jacobian.shape[0]))
    condense_rows(cost_rows, elimination, rows[:count], constants[:count])
    for i in range(count):
        error = constants[i] - cost_targets[i]
        for j in range(z):
            f[j] += error * rows[i, j]
    for k in range(dependent.shape[0]):
        root = np.sqrt(weights[dependent[k]])
        error = root * (dependent_offset[k] - targets[dependent[k]])
        for j in range(z):
            rows[count + k, j] = root * dependent_map[k, j]
            f[j] += error * rows[count + k, j]
    np.dot(rows.T, rows, H)
    for j in range(z):
        H[j, j] += weights[free[j]]
        f[j] -= weights[free[j]] * targets[free[j]]

    n = joint_lower.shape[0]
    first_joint = 0 if dependent.shape[0] else 6
    for j in range(n):
        lower[first_joint + j] = joint_lower[j]
        upper[first_joint + j] = joint_upper[j]
    r = 0
    nv = contact_jacobian.shape[1]
    if dependent.shape[0] == 0:
        for i in range(6):
            A[r, :] = base_rows[i]
            lower[z + r] = upper[z + r] = -base_offset[i]
            r += 1
    first = 6 if dependent.shape[0] else 0
    others = contact_jacobian.shape[0] - first
    padded = np.zeros((others, base_rows.shape[1]))
    padded[:, :nv] = contact_jacobian[first:]
    condense_rows(padded, elimination, A[r : r + others], constants[:others])
    for i in range(others):
        lower[z + r + i] = upper[z + r + i] = contact_targets[first + i] - constants[i]
    r += others
    count = limit_rows.shape[0]
    condense_rows(limit_rows, elimination, A[r:], constants[:count])
    for i in range(count):
        lower[z + r + i] = limit_lower[i] - constants[i]
        upper[z + r + i] = limit_upper[i] - constants[i]
