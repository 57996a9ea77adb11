r"""Intrinsically stable predictive control of the ZMP and the footsteps (QP2 of [Penco2019]_).

The LIP is driven by the velocity of its ZMP, constant over each cell of the horizon. The ZMP at the end of cell i and
footstep j are written in what bounds them,

.. math::

    z_i = (1 - \alpha_i) f_{a_i} + \alpha_i f_{b_i} + R(\phi_i) s_i - \beta \ddot p_i, \quad |s_i| \leq d_i, \qquad
    f_j = f_{j-1} + R(\theta_{j-1}) k_j, \quad \underline k_j \leq k_j \leq \overline k_j,

where :math:`\beta \ddot p_i`, affine in the footsteps, is what the swing leg takes of the ZMP (``swing_moment.py``), so
that the ZMP constraint (eq. 2; in double support its region moves from foot to foot) and the kinematic constraint (eq. 3) are
bounds of the variables :math:`s, k`, whatever the orientations of the feet. What is left are two equalities, the
stability constraint (eq. 4), for the ZMP's piecewise linear motion

.. math::

    \xi_0 = c_0 + \dot c_0 / \omega
        = z_0 + \sigma \sum_i \dot z_i \frac{e^{-\omega t_{i-1}} - e^{-\omega t_i}}{\omega} + \text{tail}

with :math:`\sigma = 1 / (1 - e^{-\omega T})` and no tail where the horizon is taken to repeat itself for ever (eq. 5), and
:math:`\sigma = 1` with the tail of the footsteps expected beyond the horizon. The cost is

.. math::

    \sum_i \delta_i \|\dot z_i\|^2 + w_s \sum_i \delta_i \|s_i\|^2 + w_k \sum_j \|k_j - \hat k_j\|^2.

.. [Penco2019] L. Penco, N. Scianca, V. Modugno, L. Lanari, G. Oriolo, S. Ivaldi, A Multimode Teleoperation Framework for
    Humanoid Loco-Manipulation, IEEE Robotics and Automation Magazine, 2019.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numba import njit

from handhold.retarget.walking.pendulum import PendulumState
from handhold.robots.qp import QpSolver, QuadraticProgram


@dataclass(frozen=True, slots=True, kw_only=True)
class MpcParameters:
    r"""Weights and choices of the predictive control.

    Attributes:
        centring: Weight :math:`w_s` of the ZMP's distance from the middle of its region [1/s^2].
        step: Weight :math:`w_k` of a footstep's distance from where the velocity puts it [1/s].
        tail: What is taken to come after the horizon: its repetition (eq. 5), the footsteps expected then, or nothing (the
            ZMP stays). ``"free"`` leaves the stability constraint out, to show what it is for.
        recovery: Weight of a violated stability constraint where it cannot be kept [1/s].
    """

    centring: float = 100.0
    step: float = 300.0
    tail: Literal["periodic", "anticipative", "none", "free"] = "anticipative"
    recovery: float = 1e6


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class SwingEffect:
    r"""By how much the ZMP of all bodies differs from the LIP's at the end of each cell, :math:`\sum_j g_{ij} f_j + o_i`.

    Attributes:
        gains: Of the positions of all feet, as numbered in ``Preview``, shape ``(cells, 2 + steps)`` [-].
        offsets: What the present motion of the foot in the air adds, shape ``(cells, 2)`` [m].
    """

    gains: np.ndarray
    offsets: np.ndarray


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Preview:
    """Preview of the motion: timing, orientations, desired footsteps. Feet 0 and 1 stand, the others are to come.

    Attributes:
        durations: Length of every cell of the horizon, shape ``(cells,)`` [s].
        feet: Feet between which the ZMP's region is at the end of each cell, shape ``(cells, 2)``, integers.
        blends: How far the region is from the first to the second of them, 0 to 1, shape ``(cells,)``.
        angles: Orientation of the region, shape ``(cells,)`` [rad].
        half_sizes: Half lengths of the region along its axes, shape ``(cells, 2)`` [m].
        displacements: Of its middle from that of the feet's middles, in world, shape ``(cells, 2)`` [m]: soles are supported
            in part.
        placed: Positions of feet 0 and 1 in world, shape ``(2, 2)`` [m].
        foot_angles: Orientations of all feet, shape ``(2 + steps,)`` [rad].
        swings: What the leg in the air does to the ZMP.
        desired: Desired displacements of the footsteps in the frame of the foot before, shape ``(steps, 2)`` [m].
        lower: Minimum displacements, shape ``(steps, 2)`` [m].
        upper: Maximum displacements, shape ``(steps, 2)`` [m].
        tail: What the motion expected beyond the horizon adds to the stability constraint, shape ``(2,)`` [m] (see
            ``compute_tail``).
    """

    durations: np.ndarray
    feet: np.ndarray
    blends: np.ndarray
    angles: np.ndarray
    half_sizes: np.ndarray
    displacements: np.ndarray
    placed: np.ndarray
    foot_angles: np.ndarray
    swings: SwingEffect
    desired: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    tail: np.ndarray


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class MpcSolution:
    """What the predictive control found.

    Attributes:
        zmp_velocities: Velocity of the ZMP in every cell, shape ``(cells, 2)`` [m/s].
        footsteps: Positions of the feet to come, shape ``(steps, 2)`` [m].
        dcm_shift: How far the divergent component must be moved for the constraints to hold, shape ``(2,)`` [m]; zero where
            the present state is feasible.
        solved: Whether a solution was found at all; where not, the other values mean nothing.
        feasible: Whether the stability constraint could be kept from the present state.
    """

    zmp_velocities: np.ndarray
    footsteps: np.ndarray
    dcm_shift: np.ndarray
    solved: bool
    feasible: bool


class WalkingMpc:
    """Builds the program into the same arrays every time, and solves it."""

    def __init__(self, cells: int, steps: int, omega: float, solver: QpSolver, parameters: MpcParameters) -> None:
        """Size the program.

        Args:
            cells: Cells of the horizon.
            steps: Footsteps among the variables.
            omega: Natural frequency of the pendulum [1/s].
            solver: Solves the programs.
            parameters: Weights and choices.
        """
        size = 2 * (cells + steps)
        self._cells, self._omega = cells, omega
        self._solver, self._parameters = solver, parameters
        self._rows = 0 if parameters.tail == "free" else 2
        # Positions of feet and ZMP as affine functions of the variables: the last column is the constant.
        self._feet = np.zeros((2 + steps, 2, size + 1))
        self._zmp = np.zeros((1 + cells, 2, size + 1))
        self._H, self._f = np.zeros((size, size)), np.zeros(size)
        self._A = np.zeros((2, size))
        self._lower, self._upper = np.zeros(size + 2), np.zeros(size + 2)
        self._stability = np.zeros((2, size + 1))

    @property
    def size(self) -> int:
        """Number of variables."""
        return len(self._f)

    def build(self, state: PendulumState, preview: Preview) -> QuadraticProgram:
        """Build the program for a state and what is previewed; its arrays are overwritten by the next."""
        p = self._parameters
        fill_positions(
            preview.feet,
            preview.blends,
            preview.angles,
            preview.foot_angles,
            preview.placed,
            (preview.swings.gains, preview.swings.offsets - preview.displacements),
            state.zmp,
            self._feet,
            self._zmp,
        )
        fill_cost(
            preview.durations,
            preview.desired,
            (p.centring, p.step),
            self._zmp,
            self._H,
            self._f,
        )
        repetition = 1.0
        if p.tail == "periodic":
            repetition = 1.0 / (1.0 - math.exp(-self._omega * float(preview.durations.sum())))
        fill_stability(preview.durations, self._omega, repetition, self._zmp, self._stability)
        self._A[:] = self._stability[:, :-1]
        desired = state.compute_dcm(self._omega) - self._stability[:, -1]
        if p.tail == "anticipative":
            desired -= preview.tail
        cells, size = self._cells, self.size
        self._upper[: 2 * cells] = preview.half_sizes.reshape(-1)
        self._lower[: 2 * cells] = -self._upper[: 2 * cells]
        self._lower[2 * cells : size] = preview.lower.reshape(-1)
        self._upper[2 * cells : size] = preview.upper.reshape(-1)
        self._lower[size:] = self._upper[size:] = desired
        return QuadraticProgram(
            H=self._H,
            f=self._f,
            A=self._A[: self._rows],
            lower=self._lower[: size + self._rows],
            upper=self._upper[: size + self._rows],
            equalities=self._rows,
        )

    def solve(self, state: PendulumState, preview: Preview) -> MpcSolution:
        """Solve from a state; from one that no footsteps can hold, find those that come nearest to it.

        Where the stability constraint cannot be kept within the bounds its square enters the cost: bounds alone always have a
        solution. What is missing then is how far the divergent component must be shifted, as the paper's authors project
        the initial state onto the feasible ones.
        """
        program = self.build(state, preview)
        solution = self._solver.solve(program)
        feasible = solution.solved
        if not feasible:
            solution = self._solver.solve(self._soften(program))
        size, x = self.size, solution.x
        zmp = self._zmp[:, :, :-1] @ x + self._zmp[:, :, -1]
        feet = self._feet[2:, :, :-1] @ x + self._feet[2:, :, -1]
        missing = np.zeros(2) if feasible or not self._rows else self._A @ x - self._lower[size:]
        return MpcSolution(
            zmp_velocities=np.diff(zmp, axis=0) / preview.durations[:, None],
            footsteps=feet,
            dcm_shift=missing,
            solved=solution.solved,
            feasible=feasible,
        )

    def _soften(self, program: QuadraticProgram) -> QuadraticProgram:
        weight, size = self._parameters.recovery, self.size
        return QuadraticProgram(
            H=program.H + weight * program.A.T @ program.A,
            f=program.f - weight * program.A.T @ program.lower[size:],
            A=program.A[:0],
            lower=program.lower[:size],
            upper=program.upper[:size],
            equalities=0,
        )


def compute_tail(displacements: np.ndarray, durations: np.ndarray, horizon: float, omega: float) -> np.ndarray:
    r"""Compute what a ZMP that moves on beyond the horizon adds to the stability constraint: the anticipative tail.

    .. math:: \sum_m \frac{\Delta z_m}{\delta_m} \frac{e^{-\omega t_{m-1}} - e^{-\omega t_m}}{\omega}

    Args:
        displacements: Of the ZMP in each piece, shape ``(pieces, 2)`` [m].
        durations: Length of each piece, shape ``(pieces,)`` [s].
        horizon: When the first begins [s].
        omega: Natural frequency of the pendulum [1/s].

    Returns:
        Shape ``(2,)`` [m].
    """
    ends = horizon + np.concatenate([[0.0], np.cumsum(durations)])
    decay = np.exp(-omega * ends)
    return np.asarray(((decay[:-1] - decay[1:]) / (omega * durations)) @ displacements)


@njit(cache=True)
def fill_positions(
    feet: np.ndarray,
    blends: np.ndarray,
    angles: np.ndarray,
    foot_angles: np.ndarray,
    placed: np.ndarray,
    swings: tuple[np.ndarray, np.ndarray],
    zmp_now: np.ndarray,
    foot_rows: np.ndarray,
    zmp_rows: np.ndarray,
) -> None:
    """Fill the rows that give feet and ZMP from the variables; the last column is the constant.

    Args:
        feet: See ``Preview``, as the next four.
        blends: See there.
        angles: See there.
        foot_angles: See there.
        placed: See there.
        swings: Gains and offsets, see ``SwingEffect``.
        zmp_now: Present ZMP, shape ``(2,)`` [m].
        foot_rows: Filled, shape ``(2 + steps, 2, size + 1)``.
        zmp_rows: Filled: now, then at the end of each cell, shape ``(1 + cells, 2, size + 1)``.
    """
    cells, steps = feet.shape[0], foot_angles.shape[0] - 2
    gains, offsets = swings
    constant = foot_rows.shape[2] - 1
    foot_rows[:] = 0.0
    zmp_rows[:] = 0.0
    for i in range(2):
        foot_rows[0, i, constant], foot_rows[1, i, constant] = placed[0, i], placed[1, i]
        zmp_rows[0, i, constant] = zmp_now[i]
    for j in range(steps):
        c, s = math.cos(foot_angles[j + 1]), math.sin(foot_angles[j + 1])
        foot_rows[j + 2] = foot_rows[j + 1]
        first = 2 * cells + 2 * j
        foot_rows[j + 2, 0, first] = foot_rows[j + 2, 1, first + 1] = c
        foot_rows[j + 2, 0, first + 1], foot_rows[j + 2, 1, first] = -s, s
    for k in range(cells):
        blend = blends[k]
        for i in range(2):
            for column in range(2 * cells, constant + 1):
                before, after = foot_rows[feet[k, 0], i, column], foot_rows[feet[k, 1], i, column]
                zmp_rows[k + 1, i, column] = before + blend * (after - before)
            for j in range(2 + steps):
                if gains[k, j] != 0.0:
                    for column in range(2 * cells, constant + 1):
                        zmp_rows[k + 1, i, column] -= gains[k, j] * foot_rows[j, i, column]
            zmp_rows[k + 1, i, constant] -= offsets[k, i]
        c, s = math.cos(angles[k]), math.sin(angles[k])
        zmp_rows[k + 1, 0, 2 * k] = zmp_rows[k + 1, 1, 2 * k + 1] = c
        zmp_rows[k + 1, 0, 2 * k + 1], zmp_rows[k + 1, 1, 2 * k] = -s, s


@njit(cache=True)
def fill_cost(
    durations: np.ndarray,
    desired: np.ndarray,
    weights: tuple[float, float],
    zmp_rows: np.ndarray,
    H: np.ndarray,
    f: np.ndarray,
) -> None:
    """Fill the cost: the ZMP's velocity, its distance from the middle of its region, and the footsteps' displacements.

    Args:
        durations: Length of each cell, shape ``(cells,)`` [s].
        desired: Desired displacements, shape ``(steps, 2)`` [m].
        weights: Of the distance and of the displacements.
        zmp_rows: See ``fill_positions``.
        H: Filled, shape ``(size, size)``.
        f: Filled, shape ``(size,)``.
    """
    cells, size = durations.shape[0], f.shape[0]
    centring, step = weights
    H[:] = 0.0
    f[:] = 0.0
    row = np.zeros(size + 1)
    for k in range(cells):
        # Of the regions only this cell's and the last's enter the velocity.
        first = 2 * max(0, k - 1)
        for i in range(2):
            for c in range(size + 1):
                row[c] = zmp_rows[k + 1, i, c] - zmp_rows[k, i, c]
            scale = 2.0 / durations[k]
            for a in range(first, size):
                if a == 2 * k + 2:
                    break
                for b in range(first, 2 * k + 2):
                    H[a, b] += scale * row[a] * row[b]
                for b in range(2 * cells, size):
                    H[a, b] += scale * row[a] * row[b]
                    H[b, a] += scale * row[a] * row[b]
                f[a] += scale * row[a] * row[size]
            for a in range(2 * cells, size):
                for b in range(2 * cells, size):
                    H[a, b] += scale * row[a] * row[b]
                f[a] += scale * row[a] * row[size]
            H[2 * k + i, 2 * k + i] += 2.0 * centring * durations[k]
    for j in range(desired.shape[0]):
        for i in range(2):
            column = 2 * cells + 2 * j + i
            H[column, column] += 2.0 * step
            f[column] -= 2.0 * step * desired[j, i]


@njit(cache=True)
def fill_stability(durations: np.ndarray, omega: float, repetition: float, zmp_rows: np.ndarray, out: np.ndarray) -> None:
    """Fill what the stability constraint asks the divergent component to be, as rows of the variables.

    Args:
        durations: Length of each cell, shape ``(cells,)`` [s].
        omega: Natural frequency of the pendulum [1/s].
        repetition: What the motion over the horizon counts, with all its repetitions [-].
        zmp_rows: See ``fill_positions``.
        out: Filled, shape ``(2, size + 1)``.
    """
    out[:] = zmp_rows[0]
    time = 0.0
    for k in range(durations.shape[0]):
        after = time + durations[k]
        gain = repetition * (math.exp(-omega * time) - math.exp(-omega * after)) / (omega * durations[k])
        out += gain * (zmp_rows[k + 1] - zmp_rows[k])
        time = after
