"""What reaches the station besides snapshots, and how old everything is when it is drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

OLD_ROBOT = 0.25
"""Age of a snapshot [s] from which on it no longer shows where the robot is."""

OLD_INPUT = 0.05
"""Age of the operator's input when the robot was measured [s] from which on the robot slows down."""

OLD_CLOUD = 1.5
"""Age of a cloud [s] from which on it is called old: each of a robot's cameras may look once a second only."""

OLD_PICTURE = 0.5
"""Age of a picture [s] from which on it is called old: four come in a second."""


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
class CameraViews:
    """What has come of the robot's cameras to be looked at, and when it was taken.

    Attributes:
        cloud: The newest cloud, or None.
        cloud_taken_at: When, by the station's clock [s].
        picture: The newest picture, or None.
        picture_taken_at: When, likewise [s].
    """

    cloud: CloudFrame | None = None
    cloud_taken_at: float = 0.0
    picture: PictureFrame | None = None
    picture_taken_at: float = 0.0

    def to_streams(self, snapshot_age: float, now: float) -> Streams:
        """Return all that has arrived as old as it is at a time [s].

        Args:
            snapshot_age: Time since what the snapshot tells was measured [s].
            now: By the station's clock [s].
        """
        return Streams(
            snapshot_age=snapshot_age,
            cloud=self.cloud,
            cloud_age=0.0 if self.cloud is None else max(0.0, now - self.cloud_taken_at),
            picture=self.picture,
            picture_age=0.0 if self.picture is None else max(0.0, now - self.picture_taken_at),
        )


NO_VIEWS = CameraViews()


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
