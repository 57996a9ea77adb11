"""Where a simulated robot and the solids of its world are, for a camera that is simulated beside the physics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class WorldTruth:
    """What the physics has, where it is not as snapshots and the world's file have it.

    Attributes:
        time: Clock of the host [s].
        q: Where the robot is, shape ``(nq,)``.
        solids: Poses of the world's solids, in the world's order, shape ``(solids, 4, 4)``.
    """

    time: float
    q: np.ndarray
    solids: np.ndarray
