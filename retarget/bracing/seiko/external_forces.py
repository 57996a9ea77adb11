"""Forces that others exert on free effectors and on the body: as measured, and as far as the reference balances them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

ADMITTED = 1e-3
"""Force under which none counts as balanced any more [N]."""

MIN_LOAD = 0.2
"""Part of the weight that the feet bear at least where a shift is computed [-]."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class ExternalForces:
    """Forces in world on effectors that may move, and on touch points of the body.

    Attributes:
        pushed: Indices of effectors that are pushed, in order, and of touch points, which count on after all effectors.
        measured: What they are measured to be, shape ``(pushed, 3)`` [N].
        balanced: What of it is part of the reference's equilibrium, likewise.
    """

    pushed: tuple[int, ...]
    measured: np.ndarray
    balanced: np.ndarray

    @property
    def missing(self) -> np.ndarray:
        """What is measured and not balanced, shape ``(pushed, 3)`` [N]."""
        return self.measured - self.balanced

    @property
    def max_missing(self) -> float:
        """Largest force that is measured and not balanced, or balanced and not measured any more [N]."""
        return float(np.sqrt((self.missing**2).sum(axis=1)).max(initial=0.0))

    def measure(self, forces: Mapping[int, np.ndarray]) -> ExternalForces:
        """Return what follows from forces that are measured now, by index, shape ``(3,)`` each [N].

        What nothing is measured of any more stays until nothing of its force is balanced.
        """
        if tuple(forces) == self.pushed:
            measured = np.array(list(forces.values())).reshape(-1, 3)
            return ExternalForces(pushed=self.pushed, measured=measured, balanced=self.balanced)
        fading = (e for e, force in zip(self.pushed, self.balanced, strict=True) if np.abs(force).max() > ADMITTED)
        pushed = tuple(sorted({*forces, *fading}))
        measured = np.array([forces.get(e, np.zeros(3)) for e in pushed]).reshape(-1, 3)
        if pushed == self.pushed:
            return replace(self, measured=measured)
        balanced = self.spread(max((*pushed, *self.pushed), default=0) + 1)[list(pushed)]
        return ExternalForces(pushed=pushed, measured=measured, balanced=balanced)

    def admit(self, changes: np.ndarray) -> ExternalForces:
        """Return what follows when more of them is balanced, shape ``(3 pushed,)`` [N]."""
        balanced = self.balanced + changes.reshape(-1, 3)
        return ExternalForces(pushed=self.pushed, measured=self.measured, balanced=balanced)

    def drop(self, pushed: Iterable[int]) -> ExternalForces:
        """Return those on all others; itself where it has none of them."""
        gone = set(pushed)
        kept = [k for k, each in enumerate(self.pushed) if each not in gone]
        if len(kept) == len(self.pushed):
            return self
        return ExternalForces(
            pushed=tuple(self.pushed[k] for k in kept), measured=self.measured[kept], balanced=self.balanced[kept]
        )

    def spread(self, count: int) -> np.ndarray:
        """Return the balanced ones of so many effectors and touch points, zero elsewhere, shape ``(count, 3)`` [N]."""
        forces = np.zeros((count, 3))
        forces[list(self.pushed)] = self.balanced
        return forces

    def take_measured(self, first: int) -> ExternalForces:
        """Return them with those from an index on as if all that is measured of them were balanced."""
        measured = np.array(self.pushed)[:, None] >= first
        return replace(self, balanced=np.where(measured, self.measured, self.balanced))


NO_FORCES = ExternalForces(pushed=(), measured=np.zeros((0, 3)), balanced=np.zeros((0, 3)))
"""Nobody pushes anything."""


def compute_pressure_shift(forces: ExternalForces, points: np.ndarray, ground_height: float, weight: float) -> np.ndarray:
    r"""Compute how far from under the centre of mass the centre of pressure is at rest.

    With forces :math:`f_i` at points :math:`p_i`, the weight W and the height z of the ground, moments about it vanish for

    .. math:: \delta = \sum_i \frac{(p_{i,z} - z) f_{i,xy} - f_{i,z} (p_{i,xy} - c_{xy})}{W - \sum_j f_{j,z}}

    on feet alone. With hands in contact as well it is an approximation: the region is that of the weight only.

    Args:
        forces: Those that are balanced count.
        points: Where they act, horizontally from the centre of mass and in height in world, shape ``(pushed, 3)`` [m].
        ground_height: Height of the ground in world [m].
        weight: Of the robot [N].

    Returns:
        Shape ``(2,)`` [m].
    """
    if not forces.pushed:
        return np.zeros(2)
    f = forces.balanced
    moments = (points[:, 2:] - ground_height) * f[:, :2] - f[:, 2:] * points[:, :2]
    shift: np.ndarray = moments.sum(axis=0) / max(MIN_LOAD * weight, weight - float(f[:, 2].sum()))
    return shift
