"""A plane patch of the environment on which a hand or a foot could make contact."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handhold.perception.brace_place import BracePlace


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Surface:
    """A bounded plane of the environment.

    Attributes:
        pose: Pose in world, shape ``(4, 4)``, homogeneous: z is the outward normal, the origin lies in the plane.
        boundary: Polygon in the plane's own x and y, counter-clockwise, shape ``(k, 2)`` [m].
        area: Area of the polygon [m^2].
        quality: 0 (guessed) to 1 (as good as the sensor gets).
        age: Time since it was last seen [s].
        identity: Its number in the map that it is from: the same surface has it again; 0 where there is no map.
        angle_error: Standard deviation of its normal [rad].
        offset_error: Standard deviation of its plane along the normal [m].
        places: Where on it hands could brace, as far as that was looked into.
    """

    pose: np.ndarray
    boundary: np.ndarray
    area: float
    quality: float
    age: float
    identity: int = 0
    angle_error: float = 0.0
    offset_error: float = 0.0
    places: tuple[BracePlace, ...] = ()


def find_fault(surface: Surface) -> str:
    """Find what is wrong with a surface that came from elsewhere, in words; empty for nothing."""
    corners = surface.boundary
    is_polygon = corners.dtype == np.float64 and corners.ndim == 2 and corners.shape[1] == 2 and len(corners) >= 3
    if not is_polygon or surface.pose.dtype != np.float64 or surface.pose.shape != (4, 4):
        return "a surface is no polygon in a plane"
    scalars = [surface.area, surface.quality, surface.age, surface.angle_error, surface.offset_error]
    if not all(np.isfinite(numbers).all() for numbers in (surface.pose, corners, scalars)):
        return "a surface has a number in it that is none"
    return ""
