"""One surface of the map: where its plane is, and which of its cells are there."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from handhold.perception.mapping.evidence import CELL, FREE, SOLID

MARGIN = 16
"""Cells about what is known that a grid has in store, so that it need not grow with every image."""

MAX_CELLS = 700
"""Cells along a side of a surface at most: 10 m; what is further away is left out."""

UNKNOWN_ANGLE, UNKNOWN_OFFSET = 0.1, 0.05
"""Standard deviations of a plane of which nothing is known yet [rad], [m]."""


@dataclass(eq=False, slots=True, kw_only=True)
class TrackedSurface:
    """A surface with its identity.

    Attributes:
        identity: Its number; another surface never gets it.
        pose: Of its axes in world, z the outward normal, shape ``(4, 4)``.
        covariance: Of its plane in its own axes, (a, b, c), shape ``(3, 3)`` [-, -, m].
        evidence: Of its cells, rows along y, shape ``(rows, columns)``, int8.
        first: Number of the first cell along x and y from the origin, shape ``(2,)``, int.
        first_seen: When [s].
        last_seen: When it was seen last [s].
        camera_index: Number of the camera that saw it last.
    """

    identity: int
    pose: np.ndarray
    first_seen: float
    last_seen: float
    camera_index: int = 0
    covariance: np.ndarray = field(default_factory=lambda: np.diag([UNKNOWN_ANGLE**2, UNKNOWN_ANGLE**2, UNKNOWN_OFFSET**2]))
    evidence: np.ndarray = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int8))
    first: np.ndarray = field(default_factory=lambda: np.zeros(2, dtype=np.int64))

    @property
    def corner(self) -> np.ndarray:
        """Where its first cell begins in its x and y, shape ``(2,)`` [m]."""
        return CELL * self.first

    @property
    def solid(self) -> np.ndarray:
        """Which cells are a part of it, shape ``(rows, columns)``, bool."""
        return self.evidence >= SOLID

    @property
    def free(self) -> np.ndarray:
        """Which cells are known not to be, shape ``(rows, columns)``, bool."""
        return self.evidence <= FREE

    def predict_covariance(self, time: float, drift: float) -> np.ndarray:
        """Return the covariance of its plane at a time [s]: what is not seen may drift [rad/s, m/s], shape ``(3, 3)``."""
        return self.covariance + (drift * (time - self.last_seen)) ** 2 * np.eye(3)

    def make_room(self, points: np.ndarray) -> None:
        """Let the grid reach over points in the surface's x and y, shape ``(k, 2)`` [m]."""
        lower = np.floor(points.min(axis=0) / CELL).astype(np.int64)
        upper = np.floor(points.max(axis=0) / CELL).astype(np.int64) + 1
        rows, columns = self.evidence.shape
        if not self.evidence.size:
            self.first = lower - MARGIN
            size = np.minimum(upper - lower + 2 * MARGIN, MAX_CELLS)
            self.evidence = np.zeros((int(size[1]), int(size[0])), dtype=np.int8)
            return
        before = np.array([columns, rows])
        below = np.where(lower < self.first, self.first - lower + MARGIN, 0)
        above = np.where(upper > self.first + before, upper - self.first - before + MARGIN, 0)
        below = np.minimum(below, np.maximum(0, MAX_CELLS - before))
        above = np.minimum(above, np.maximum(0, MAX_CELLS - before - below))
        if below.any() or above.any():
            self.evidence = np.pad(self.evidence, ((int(below[1]), int(above[1])), (int(below[0]), int(above[0]))))
            self.first = self.first - below

    def take_over(self, other: TrackedSurface) -> None:
        """Take over the cells of another surface that has turned out to be the same one, and the older one's identity."""
        rows, columns = np.nonzero(other.evidence)
        flat = np.column_stack([(columns + other.first[0] + 0.5) * CELL, (rows + other.first[1] + 0.5) * CELL])
        points = other.pose[:3, 3] + flat @ other.pose[:3, :2].T
        here = (points - self.pose[:3, 3]) @ self.pose[:3, :2]
        self.make_room(here)
        cells = np.floor(here / CELL).astype(np.int64) - self.first
        fits = ((cells >= 0) & (cells < self.evidence.shape[::-1])).all(axis=1)
        column, row = cells[fits].T
        theirs = other.evidence[rows[fits], columns[fits]]
        np.maximum.at(self.evidence, (row, column), theirs)
        self.identity = min(self.identity, other.identity)
        self.first_seen = min(self.first_seen, other.first_seen)
        self.last_seen = max(self.last_seen, other.last_seen)
