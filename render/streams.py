"""What reaches the station besides snapshots, and how old everything is when it is drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

OLD_ROBOT = 0.25
"""Age of a snapshot [s] from which on it no longer shows where the robot is."""

OLD_INPUT = 0.05
"""Age of the operator's input when the robot was measured [s] from which on the robot slows down."""

OLD_CLOUD = 1.5
OLD_PICTURE = 0.3
"""Ages of cloud and picture [s] from which on they are called old: each of a robot's cameras may look once a second only."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class CloudFrame:
    """One cloud of points.

    Attributes:
        positions: In world, shape ``(k, 3)``, float32 [m].
        colors: Red, green, blue, shape ``(k, 3)``, uint8 (sRGB).
        version: Changes when the points do.
    """

    positions: np.ndarray
    colors: np.ndarray
    version: int


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class PictureFrame:
    """One picture of a camera.

    Attributes:
        image: Shape ``(height, width, 3)``, uint8 (sRGB), first row on top.
        version: Changes when the image does.
    """

    image: np.ndarray
    version: int


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Streams:
    """What has arrived, with its age at the time it is drawn.

    Attributes:
        snapshot_age: Time since what the snapshot tells was measured [s].
        cloud: The newest cloud, or None.
        cloud_age: Time since it was taken [s].
        picture: The newest picture of the camera, or None.
        picture_age: Time since it was taken [s].
    """

    snapshot_age: float = 0.0
    cloud: CloudFrame | None = None
    cloud_age: float = 0.0
    picture: PictureFrame | None = None
    picture_age: float = 0.0
