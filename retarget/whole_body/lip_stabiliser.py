r"""The stabiliser of [Penco2019]_: the velocity of the centre of mass, corrected so that the ZMP stays in the support.

.. math::

    \min_{\dot x} \|\dot x^{ref} - \dot x\|^2 \quad \text{subject to} \quad
    \dot x = \dot x^m + \delta\, \omega^2 (x^m - x_{zmp}), \quad x_{zmp} \in P, \quad \omega^2 = g / h,

with the measured centre of mass :math:`x^m` and the period :math:`\delta`. The paper has an interval along each axis for P;
here it is a convex polygon: the support polygon, or with hands that bear the stability region. The velocity is the ZMP turned
about and scaled alike along all axes, so that the velocity nearest to the reference's is that of the point of P nearest to the
ZMP which the reference asks for: no program has to be solved.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class StabilisedVelocity:
    """What became of a velocity.

    Attributes:
        velocity: Stabilised velocity of the centre of mass, shape ``(2,)`` [m/s].
        zmp: ZMP that it takes, shape ``(2,)`` [m].
        raw_zmp: ZMP that the reference would have taken, shape ``(2,)`` [m].
    """

    velocity: np.ndarray
    zmp: np.ndarray
    raw_zmp: np.ndarray


def stabilise(
    desired: np.ndarray, velocity: np.ndarray, com: np.ndarray, polygon: np.ndarray, omega: float, dt: float
) -> StabilisedVelocity:
    r"""Return the velocity nearest to a desired one that keeps the ZMP in a polygon.

    Args:
        desired: :math:`\dot x^{ref}`, shape ``(2,)`` [m/s].
        velocity: :math:`\dot x^m`, that of before, likewise.
        com: :math:`x^m`, the measured centre of mass seen from above, shape ``(2,)`` [m].
        polygon: P, its vertices counter-clockwise, shape ``(k, 2)``, three or more [m].
        omega: Natural frequency of the pendulum [rad/s].
        dt: :math:`\delta` [s].
    """
    gain = dt * omega**2
    raw_zmp = com - (desired - velocity) / gain
    zmp = project_to_polygon(np.ascontiguousarray(polygon), raw_zmp)
    return StabilisedVelocity(velocity=velocity + gain * (com - zmp), zmp=zmp, raw_zmp=raw_zmp)


@njit(cache=True)
def project_to_polygon(polygon: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Return the point of a convex polygon nearest to another one, shape ``(2,)``.

    Args:
        polygon: Vertices counter-clockwise, shape ``(k, 2)``.
        point: Any point, shape ``(2,)``.
    """
    inside = polygon.shape[0] > 2
    nearest, least = point.copy(), np.inf
    for k in range(polygon.shape[0]):
        here, after = polygon[k], polygon[(k + 1) % polygon.shape[0]]
        ex, ey = after[0] - here[0], after[1] - here[1]
        px, py = point[0] - here[0], point[1] - here[1]
        if ex * py - ey * px < 0.0:
            inside = False
        squared = ex * ex + ey * ey
        ratio = min(1.0, max(0.0, (px * ex + py * ey) / squared)) if squared > 0.0 else 0.0
        x, y = here[0] + ratio * ex, here[1] + ratio * ey
        distance = (point[0] - x) ** 2 + (point[1] - y) ** 2
        if distance < least:
            least = distance
            nearest = np.array([x, y])
    return point.copy() if inside else nearest
