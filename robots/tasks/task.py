r"""Tasks and limits: the parts of a quadratic program over a robot's motion and its contact forces.

.. math::

    \min_x \sum_{tasks} \tfrac{1}{2} \|R x - r\|^2 + \sum_{k} \tfrac{1}{2} w_k (x_k - t_k)^2 \quad \text{s.t.} \quad
    l \leq A x \leq u, \quad \text{bounds of the joints' motion}

over :math:`x = (u, y)`: a motion u, shape ``(nv,)`` (a step, a velocity or an acceleration), then, where the program has
contacts, their stacked wrenches or changes of those, y, in units of ``FORCE_UNIT``.

Each part says how many rows it has. A ``Layout`` gives it its slice of the program's arrays once (``lay``), where rows that
never change are written, and asks it to fill what does before each program (``fill``). No part knows where its rows are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from handhold.robots.qp import INFINITY

FORCE_UNIT = 100.0
"""Contact wrenches are sought in units of 100 N (and 100 Nm), so that they are of the size of the motions."""

BASE = slice(0, 6)
"""The base's part of a motion."""


class Task(ABC):
    r"""A weighted cost :math:`\|R x - r\|^2 / 2`.

    Attributes:
        row_count: Number of rows.
        rows: R, already weighted, shape ``(row_count, size of x)``; zeros when laid (view).
        targets: r, shape ``(row_count,)`` (view).
    """

    rows: np.ndarray
    targets: np.ndarray

    def __init__(self, row_count: int) -> None:
        self.row_count = row_count

    @property
    def active(self) -> bool:
        """Whether it asks for anything at present; the last tasks of a program cost no time while they do not."""
        return True

    def lay(self, rows: np.ndarray, targets: np.ndarray) -> None:
        """Take the slice of the program; rows that never change are written here."""
        self.rows, self.targets = rows, targets

    @abstractmethod
    def fill(self) -> None:
        """Write rows and targets for the program that comes next."""


class DiagonalTask(ABC):
    r"""A cost of unknowns by themselves: :math:`\sum_k w_k (x_k - t_k)^2 / 2`.

    Attributes:
        columns: Which of the unknowns.
        weights: w, shape ``(unknowns,)``; zeros when laid (view).
        targets: t, likewise (view).
    """

    weights: np.ndarray
    targets: np.ndarray

    def __init__(self, columns: slice) -> None:
        self.columns = columns

    def lay(self, weights: np.ndarray, targets: np.ndarray) -> None:
        """Take the slice of the program; weights that never change are written here."""
        self.weights, self.targets = weights, targets

    @abstractmethod
    def fill(self) -> None:
        """Write weights and targets for the program that comes next."""


class Limit(ABC):
    r"""A constraint :math:`l \leq A x \leq u`.

    Attributes:
        row_count: Number of rows.
        soft: Whether it may be violated at a price.
        rows: A, shape ``(row_count, size of x)``; zeros when laid (view).
        lower: l, shape ``(row_count,)``; none when laid (view).
        upper: u, likewise (view).
    """

    rows: np.ndarray
    lower: np.ndarray
    upper: np.ndarray

    def __init__(self, row_count: int, *, soft: bool = False) -> None:
        self.row_count = row_count
        self.soft = soft

    def lay(self, rows: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> None:
        """Take the slice of the program; rows and bounds that never change are written here."""
        self.rows, self.lower, self.upper = rows, lower, upper

    @abstractmethod
    def fill(self) -> None:
        """Write rows and bounds for the program that comes next."""

    @abstractmethod
    def name_row(self, row: int) -> str:
        """Return what people call one of its rows; empty for what nobody needs to know."""


class JointBounds(ABC):
    """Bounds of the joints' part of the motion.

    Attributes:
        names: What people call them, one a joint.
        lower: Shape ``(n,)``; none when laid (view).
        upper: Likewise (view).
    """

    lower: np.ndarray
    upper: np.ndarray

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names

    def lay(self, lower: np.ndarray, upper: np.ndarray) -> None:
        """Take the program's arrays."""
        self.lower, self.upper = lower, upper

    @abstractmethod
    def fill(self) -> None:
        """Write the bounds of the program that comes next."""

    def release(self, joints: np.ndarray) -> None:
        """Leave some joints, by a mask of shape ``(n,)``, without bounds until the next ``fill``."""
        self.lower[joints], self.upper[joints] = -INFINITY, INFINITY
