"""Where the solids of a simulated world are, for whoever draws it: a camera that is simulated beside the physics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class SolidPoses:
    """Poses of the world's solids.

    Attributes:
        poses: In world, in the world's order, shape ``(solids, 4, 4)``.
    """

    poses: np.ndarray
