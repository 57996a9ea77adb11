"""Joints of the operator's body, where a headset tracks it (``XR_FB_body_tracking``, ``XR_BD_body_tracking``)."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from handhold.devices.openxr.body_joints import BD_JOINTS, FB_JOINTS, JointTable, find_joints
from handhold.devices.openxr.runtime import BODY_TRACKING_BD, BODY_TRACKING_FB
from handhold.devices.openxr.session import TRACKED, OpenXrSession
from handhold.devices.operator_sample import NO_JOINTS
from handhold.devices.tracked_human import Segment


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class BodyExtension:
    """One extension by which a headset tells of a body; both are alike but for their names.

    Attributes:
        name: Of the extension.
        suffix: Of its types and functions.
        joints: How many it has.
        joint_set: Which of its sets of joints is asked for.
        count: Name of the field that says how many locations there is room for.
        active: Name of the field that says whether any of them count; empty where each joint says so for itself.
        table: Which of them are which of a person's.
    """

    name: str
    suffix: str
    joints: int
    joint_set: str
    count: str
    active: str
    table: JointTable


BODY_EXTENSIONS = (
    BodyExtension(
        name=BODY_TRACKING_BD,
        suffix="BD",
        joints=24,
        joint_set="FULL_BODY_JOINTS",
        count="joint_location_count",
        active="",
        table=BD_JOINTS,
    ),
    BodyExtension(
        name=BODY_TRACKING_FB,
        suffix="FB",
        joints=70,
        joint_set="DEFAULT",
        count="joint_count",
        active="is_active",
        table=FB_JOINTS,
    ),
)
"""What is asked for, the first that is offered."""


class BodyTracker:
    """Finds the joints of the operator's body."""

    def __init__(self, session: OpenXrSession, extension: BodyExtension) -> None:
        """Begin to track.

        Raises:
            xr.exception.XrException: The headset does not track bodies.
        """
        import xr

        suffix = extension.suffix
        self._session, self._extension = session, extension
        create_info = getattr(xr, f"BodyTrackerCreateInfo{suffix}")(
            getattr(getattr(xr, f"BodyJointSet{suffix}"), extension.joint_set)
        )
        self._tracker = getattr(xr, f"create_body_tracker_{suffix.lower()}")(session.handle, create_info)
        self._joints = (getattr(xr, f"BodyJointLocation{suffix}") * extension.joints)()
        self._locations = getattr(xr, f"BodyJointLocations{suffix}")(
            **{extension.count: extension.joints, "joint_locations": self._joints}
        )
        self._locate_info = getattr(xr, f"BodyJointsLocateInfo{suffix}")
        function = xr.get_instance_proc_addr(session.instance, f"xrLocateBodyJoints{suffix}")
        self._locate = ctypes.cast(function, getattr(xr, f"PFN_xrLocateBodyJoints{suffix}"))

    def read(self, time: int) -> dict[Segment, np.ndarray]:
        """Return where joints are in the session's space at a time of the runtime [ns], those that are tracked.

        Raises:
            RuntimeLost: The runtime is gone.
        """
        info = self._locate_info(base_space=self._session.space, time=time)
        self._session.check(self._locate(self._tracker, ctypes.byref(info), ctypes.byref(self._locations)))
        active = self._extension.active
        if active and not getattr(self._locations, active):
            return {}
        places = np.array([(joint.pose.position.x, joint.pose.position.y, joint.pose.position.z) for joint in self._joints])
        tracked = np.array([joint._location_flags & TRACKED == TRACKED for joint in self._joints])
        return find_joints(self._extension.table, places.astype(float), tracked)


def make_body_tracker(session: OpenXrSession) -> BodyTracker | None:
    """Return what finds the operator's joints; None where the headset does not track bodies."""
    import xr

    for extension in BODY_EXTENSIONS:
        if extension.name in session.extensions:
            with contextlib.suppress(xr.exception.XrException):
                return BodyTracker(session, extension)
    return None


def read_body(tracker: BodyTracker | None, time: int) -> Mapping[Segment, np.ndarray]:
    """Return what a tracker finds at a time of the runtime [ns]; nothing of none."""
    return NO_JOINTS if tracker is None else tracker.read(time)
