"""What is seen of a person: the head, the hands, and whatever a headset knows of the body besides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from handhold.devices.operator_sample import OperatorSample
from handhold.devices.tracked_human import Segment


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class SeenPoints:
    """What is seen of a person at one moment, in the operator's room; all of it is finite.

    Attributes:
        eyes: Pose of the head, between the eyes.
        hands: Grips of the left and the right hand; None where they are not seen.
        joints: Places of other joints, by the segment that begins there, each of shape ``(3,)`` [m].
        trackers: Poses of trackers that are worn, by the segment that they are worn on.
    """

    eyes: pin.SE3
    hands: tuple[pin.SE3 | None, pin.SE3 | None]
    joints: Mapping[Segment, np.ndarray]
    trackers: Mapping[Segment, pin.SE3]


def find_points(sample: OperatorSample) -> SeenPoints | None:
    """Return what a sample tells of a person; None where nobody is in the headset, or the head is not seen."""
    eyes = _find(sample.head)
    if eyes is None or not sample.focused:
        return None
    return SeenPoints(
        eyes=eyes,
        hands=(_find(sample.left.pose), _find(sample.right.pose)),
        joints={segment: place for segment, place in sample.joints.items() if np.isfinite(place).all()},
        trackers={segment: pose for segment, pose in sample.trackers.items() if _find(pose) is not None},
    )


def _find(pose: pin.SE3 | None) -> pin.SE3 | None:
    return None if pose is None or not np.isfinite(pose.homogeneous).all() else pose
