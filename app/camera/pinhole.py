"""The pinhole of a camera that a robot's description has."""

from __future__ import annotations

import math

from handhold.perception.cameras.depth_frame import Intrinsics
from handhold.robots.description import Camera

BASELINE = 0.095
"""Distance of the two imagers of a D455 [m], which is what a described camera is simulated as."""


def make_intrinsics(camera: Camera) -> Intrinsics:
    r"""Return the intrinsics of a described camera, square pixels and the axis in the middle.

    .. math:: f = \frac{w}{2 \tan (\alpha / 2)}
    """
    f = 0.5 * camera.width / math.tan(0.5 * camera.horizontal_fov)
    return Intrinsics(
        width=camera.width,
        height=camera.height,
        fx=f,
        fy=f,
        cx=0.5 * (camera.width - 1),
        cy=0.5 * (camera.height - 1),
        baseline=BASELINE,
    )
