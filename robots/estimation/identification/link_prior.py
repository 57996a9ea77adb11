r"""How far the links of a robot may be from its description.

A change of a link's pseudo-inertia P (4 x 4: second moments, first moments and mass) counts as

.. math:: \|\delta P\|^2 = \operatorname{tr} P^{-1} \delta P \, P^{-1} \delta P,

the metric in which it is the same in all units and coordinates, and in which a link without mass is infinitely far: Lee,
Wensing and Park, Geometric Robot Dynamic Identification, T-RO 2020, the constant pullback of its eq. 20.
"""

from __future__ import annotations

import numpy as np

PARAMETERS = 10
"""Of a link, in pinocchio's order: m, m c (3), Ixx, Ixy, Iyy, Ixz, Iyz, Izz about its joint."""


def make_root_metric(parameters: np.ndarray) -> np.ndarray:
    r"""Return R with :math:`\|R \, \delta\phi\| = \|\delta P\|`, shape ``(10, 10)``, for parameters, shape ``(10,)``.

    Raises:
        numpy.linalg.LinAlgError: No body has such parameters.
    """
    inverse = np.linalg.inv(np.tensordot(parameters, _DIRECTIONS, axes=1))
    products = inverse @ _DIRECTIONS
    metric = np.einsum("aij,bji->ab", products, products)
    return np.linalg.cholesky(0.5 * (metric + metric.T)).T


def _make_directions() -> np.ndarray:
    """Return the pseudo-inertia of each parameter's unit, shape ``(10, 4, 4)``."""
    directions = np.zeros((PARAMETERS, 4, 4))
    for k in range(PARAMETERS):
        m, x, y, z, xx, xy, yy, xz, yz, zz = np.eye(PARAMETERS)[k]
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        directions[k, :3, :3] = 0.5 * np.trace(inertia) * np.eye(3) - inertia
        directions[k, :3, 3] = directions[k, 3, :3] = x, y, z
        directions[k, 3, 3] = m
    return directions


_DIRECTIONS = _make_directions()
