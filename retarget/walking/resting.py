r"""The plane that a sole comes to rest on where the ground under it is of several surfaces.

Pressed down at its middle :math:`p_0` it rests on the facet of the ground's upper hull that is over there:

.. math:: \min_{a, b, c} a x_0 + b y_0 + c \quad \text{s.t.} \quad a x_i + b y_i + c \ge z_i \quad \forall i.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial import ConvexHull

_DEPTH = 1.0
_UPWARD = 1e-3


def find_resting_plane(points: np.ndarray, middle: np.ndarray) -> np.ndarray:
    """Find the plane z = a x + b y + c that a sole rests on.

    Args:
        points: Of the ground under it, not all on one line seen from above, shape ``(k, 3)`` [m].
        middle: Where it is pressed down, among them, seen from above, shape ``(2,)`` [m].

    Returns:
        a, b, c, shape ``(3,)`` [-], [-], [m].
    """
    # A point far below makes a body of points that may all lie on one plane.
    below = np.array([*points[:, :2].mean(axis=0), points[:, 2].min() - _DEPTH])
    facets = ConvexHull(np.vstack([points, below])).equations
    upper = facets[facets[:, 2] > _UPWARD]
    planes = -upper[:, [0, 1, 3]] / upper[:, 2:3]
    # The hull's upper side is concave: what is least of its facets' planes is the hull.
    return np.asarray(planes[np.argmin(planes @ [middle[0], middle[1], 1.0])])
