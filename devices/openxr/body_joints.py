"""Which joints of a body that a headset tracks are which of a person's, by the extensions' own numbers and names.

Only places are taken: how runtimes turn the axes of their joints is told by none of the extensions alike.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from handhold.devices.openxr.poses import ROTATION_OPENXR_TO_HANDHOLD
from handhold.devices.tracked_human import Segment

JointTable = Mapping[Segment, tuple[int, ...]]
"""By the segment that begins there, the numbers of the joints in whose middle that is."""

FB_JOINTS: JointTable = {
    Segment.PELVIS: (1,),
    Segment.LEFT_FOREARM: (11,),
    Segment.RIGHT_FOREARM: (16,),
}
"""Of ``XR_FB_body_tracking`` (``XrBodyJointFB``): hips, lower arms. It has no legs."""

BD_JOINTS: JointTable = {
    Segment.PELVIS: (1, 2),
    Segment.LEFT_FOREARM: (18,),
    Segment.RIGHT_FOREARM: (19,),
    Segment.LEFT_FOOT: (7,),
    Segment.RIGHT_FOOT: (8,),
    Segment.LEFT_TOE: (10,),
    Segment.RIGHT_TOE: (11,),
}
"""Of ``XR_BD_body_tracking`` (``XrBodyJointBD``): between both hips, elbows, ankles, and where it has the feet, the balls."""

TRACKER_ROLES: Mapping[Segment, str] = {
    Segment.PELVIS: "waist",
    Segment.LEFT_FOREARM: "left_elbow",
    Segment.RIGHT_FOREARM: "right_elbow",
    Segment.LEFT_FOOT: "left_foot",
    Segment.RIGHT_FOOT: "right_foot",
}
"""Roles of ``XR_HTCX_vive_tracker_interaction`` by the segment beside whose beginning such a tracker is worn."""


def find_joints(table: JointTable, places: np.ndarray, tracked: np.ndarray) -> dict[Segment, np.ndarray]:
    """Return where joints of a person are, those that are tracked.

    Args:
        table: Which joint is which.
        places: Of all joints of the extension, in a space of OpenXR's axes, shape ``(joints, 3)`` [m].
        tracked: Which of them are both valid and tracked, shape ``(joints,)``, bool.

    Returns:
        Places in the same space with Handhold's axes, by the segment that begins there, each of shape ``(3,)`` [m].
    """
    return {
        segment: ROTATION_OPENXR_TO_HANDHOLD @ places[list(joints)].mean(axis=0)
        for segment, joints in table.items()
        if tracked[list(joints)].all()
    }
