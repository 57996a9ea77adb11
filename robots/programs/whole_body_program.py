r"""Quadratic programs over a motion and the contact forces, with the variables that a standing foot determines eliminated.

Both SEIKO and the whole-body controller solve for a motion :math:`u` (a step :math:`\Delta q`, or accelerations
:math:`\ddot q`) and a change or value of the stacked contact wrenches :math:`y` (in units of ``FORCE_UNIT``; SEIKO's end with
the forces of others on free effectors), subject to

.. math::

    D_B u - J_B^T y + d_B = 0 \quad (\text{balance of the floating base}), \qquad J u = e \quad (\text{contacts stay}).

With a plane contact the first foot's six rows of :math:`J u = e` give the base's motion from that leg's joints, and the
base's balance gives that foot's wrench from everything else; both need the inverse of the foot's Jacobian with respect to the
base only, which is the adjoint of a rigid transform: always invertible, exactly, and in closed form. Twelve unknowns and
twelve equalities fewer: on Talos 36 and 6 in place of 48 and 18.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numba import njit

from handhold.robots.qp import INFINITY, QuadraticProgram
from handhold.robots.tasks.contact_motion import ContactMotion
from handhold.robots.tasks.equation_of_motion import EquationOfMotion
from handhold.robots.tasks.layout import Layout
from handhold.robots.tasks.task import FORCE_UNIT, DiagonalTask, JointBounds, Limit, Task

INDEPENDENT, REDUNDANT = 0.03, 1e-3
"""Parts of a contact's row that no other row says, from which on it is independent, and under which it is left out [-]."""

_BASE = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependence:
    """What is asked of a contact that legs with few joints can hardly move: two soles on legs of five slide no further apart.

    Attributes:
        tolerance: How far such a row may be off its target, in the target's unit.
        max_change: Largest motion that brings it there, in the unit of the motion.
    """

    tolerance: float
    max_change: float


class WholeBodyProgram(Layout):
    r"""Tasks and limits over :math:`x = (u, y)`, and the smaller program they make.

    ``fill`` the arrays, then ``condense``; ``expand`` turns the smaller program's solution back into :math:`x`.

    Attributes:
        contacts: Contacts that stay: Jacobian :math:`J` and targets :math:`e`.
        equation: Balance of the base: rows :math:`[D_B, -J_B^T]` and :math:`d_B`.
    """

    def __init__(
        self,
        contacts: ContactMotion,
        equation: EquationOfMotion,
        dependence: Dependence,
        *,
        tasks: Sequence[Task | DiagonalTask],
        limits: Sequence[Limit | JointBounds],
    ) -> None:
        """Allocate for a stance.

        Args:
            contacts: The contacts, which stay.
            equation: The equation of motion, whose base rows hold.
            dependence: What is asked of rows of the contacts that depend on the others.
            tasks: What costs; joints and wrenches need a positive weight of their own, by a diagonal task.
            limits: What holds.
        """
        stance, nv = contacts.stance, contacts.jacobian.shape[1]
        size = nv + len(contacts.force_jacobian)
        super().__init__(size, nv, tasks, limits)
        self.contacts, self.equation = contacts, equation
        self._nv = nv
        eliminated = stance.planes > 0 and 0 not in contacts.held.indices
        first = np.arange(nv, nv + _BASE)
        self._dependent = np.concatenate([np.arange(_BASE), first]) if eliminated else np.arange(0)
        self._free = np.setdiff1d(np.arange(size), self._dependent)
        self._map = np.zeros((self._dependent.size, self._free.size))
        self._offset = np.zeros(self._dependent.size)
        self._first_joint = 0 if eliminated else _BASE
        self._equalities = stance.size - _BASE if eliminated else stance.size + _BASE
        self._dependence = INDEPENDENT, REDUNDANT, dependence.tolerance, dependence.max_change
        self._make_condensed(stance.size - _BASE if eliminated else stance.size)

    def _make_condensed(self, others: int) -> None:
        """Allocate the smaller program, with so many rows of contacts that are not eliminated, and take its views."""
        z, rows = self._free.size, self._equalities + len(self.limit_rows)
        # The condensed program: made once, filled every time.
        self._condensed = QuadraticProgram(
            H=np.zeros((z, z)),
            f=np.zeros(z),
            A=np.zeros((rows, z)),
            lower=np.full(z + rows, -INFINITY),
            upper=np.full(z + rows, INFINITY),
            equalities=self._equalities,
            soft=self.soft,
        )
        self._condensed_costs = np.zeros((len(self.cost_rows) + self._dependent.size, z))
        equation, contacts = self.equation, self.contacts
        self._equality_arrays = (equation.base_rows, equation.base_offset, contacts.jacobian, contacts.targets)
        self._held_arrays = (contacts.held.indices, contacts.held.rows, contacts.held.targets)
        self._condensed_count, self._arrays = self.cost_count, self._list_arrays()
        # The rows of the contacts other than the first are the last of the equalities.
        self._first_contact = self._equalities - others
        last = slice(self._first_contact, self._equalities)
        bounds = slice(z + self._first_contact, z + self._equalities)
        self._contact_rows = self._condensed.A[last]
        self._contact_bounds = self._condensed.lower[bounds], self._condensed.upper[bounds]
        self._residual_rows = np.zeros((others, z + 1))
        self._are_dependent = np.zeros(others, dtype=np.bool_)

    def fill(self) -> None:
        """Let every part fill its slice; the contacts come first, whose Jacobian the equation of motion has."""
        self.contacts.fill()
        self.equation.fill()
        super().fill()

    def condense(self) -> QuadraticProgram:
        """Return the smaller program (its arrays are this object's own and change with the next call)."""
        self.contacts.fill_held()
        if self._dependent.size:
            solve_standing_foot(*self._equality_arrays, self._map, self._offset)
        if self.cost_count != self._condensed_count:
            self._condensed_count, self._arrays = self.cost_count, self._list_arrays()
        condense(*self._arrays)
        dependent = self._relax_dependent()
        return self._condensed if dependent is None else replace(self._condensed, dependent=dependent)

    def _list_arrays(self) -> tuple[tuple[np.ndarray, ...], ...]:
        """List what ``condense`` reads and fills, with the cost rows that count."""
        count = self.cost_count
        qp, costs = self._condensed, self._condensed_costs[: count + self._dependent.size]
        return (
            (self.cost_rows[:count], self.cost_targets[:count], self.weights, self.targets),
            (self.limit_rows, self.limit_lower, self.limit_upper, self.joint_lower, self.joint_upper),
            self._equality_arrays,
            self._held_arrays,
            (self._dependent, self._free, self._map, self._offset),
            (qp.H, qp.f, qp.A, qp.lower, qp.upper, costs),
        )

    def _relax_dependent(self) -> np.ndarray | None:
        """Give the contacts' rows that depend on the others a tolerance; return their indices, None where there are none."""
        if not len(self._contact_rows) or not relax_dependent(
            self._contact_rows, self._contact_bounds, self._dependence, self._residual_rows, self._are_dependent
        ):
            return None
        return self._are_dependent.nonzero()[0] + self._first_contact

    def assemble(self) -> QuadraticProgram:
        """Return the same program over x, nothing eliminated: the textbook form, to check and to time against."""
        nv, size = self._nv, self.weights.size
        equation, jacobian = self.equation, self.contacts.jacobian
        cost_rows, cost_targets = self.cost_rows[: self.cost_count], self.cost_targets[: self.cost_count]
        contacts = np.hstack([jacobian, np.zeros((len(jacobian), size - nv))])
        targets, held = self.contacts.targets.copy(), self.contacts.held
        contacts[held.indices], targets[held.indices] = held.rows, held.targets
        free = np.full(size, INFINITY)
        lower, upper = -free, free.copy()
        lower[_BASE:nv], upper[_BASE:nv] = self.joint_lower, self.joint_upper
        equal = np.concatenate([-equation.base_offset, targets])
        return QuadraticProgram(
            H=cost_rows.T @ cost_rows + np.diag(self.weights),
            f=-cost_rows.T @ cost_targets - self.weights * self.targets,
            A=np.vstack([equation.base_rows, contacts, self.limit_rows]),
            lower=np.concatenate([lower, equal, self.limit_lower]),
            upper=np.concatenate([upper, equal, self.limit_upper]),
            equalities=equal.size,
            soft=self.soft,
        )

    def expand(self, z: np.ndarray) -> np.ndarray:
        """Return the full solution :math:`x = (u, y)`, shape ``(size,)``, of the smaller program's solution."""
        x = np.empty(self.weights.size)
        x[self._free] = z
        if self._dependent.size:
            x[self._dependent] = self._map @ z + self._offset
        return x

    def name_active(self, multipliers: np.ndarray) -> tuple[str, ...]:
        """Return the names of the constraints with a multiplier in the smaller program's solution, each once.

        Args:
            multipliers: Of the solution: variables' bounds, then rows.
        """
        first, joints = self._first_joint, len(self.joint_lower)
        rows = self._free.size + self._equalities
        names = []
        for i in multipliers.nonzero()[0].tolist():
            if i >= rows:
                names.append(self.name_limit_row(i - rows))
            elif first <= i < first + joints:
                names.append(self.name_joint_bound(i - first))
        return tuple(dict.fromkeys(name for name in names if name))


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
        base_rows: Rows :math:`[D_B, -s J_B^T]`, shape ``(6, size)``.
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
    independent, redundant, tolerance, max_change = settings
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
                if total > independent * independent * norms[i] and total > largest:
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
            squared_norm = 0.0
            for k in range(n):
                squared_norm += residual[i, k] * residual[i, k]
            if squared_norm < redundant * redundant * norms[i]:
                lower[i], upper[i] = -INFINITY, INFINITY
                continue
            reach = max_change * np.sqrt(squared_norm)
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
        rows: Rows over x, shape ``(rows, size)``.
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
    held: tuple[np.ndarray, np.ndarray, np.ndarray],
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
    held_indices, held_rows, held_targets = held
    desired_motion = contact_targets[first:].copy()
    for k in range(held_indices.shape[0]):
        padded[held_indices[k] - first] = held_rows[k]
        desired_motion[held_indices[k] - first] = held_targets[k]
    condense_rows(padded, elimination, A[r : r + others], constants[:others])
    for i in range(others):
        lower[z + r + i] = upper[z + r + i] = desired_motion[i] - constants[i]
    r += others
    count = limit_rows.shape[0]
    condense_rows(limit_rows, elimination, A[r:], constants[:count])
    for i in range(count):
        lower[z + r + i] = limit_lower[i] - constants[i]
        upper[z + r + i] = limit_upper[i] - constants[i]
