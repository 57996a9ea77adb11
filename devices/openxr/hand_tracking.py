"""Hands that hold nothing, by their joints (``XR_EXT_hand_tracking``), for runtimes that give no gestures of their own."""

from __future__ import annotations

import contextlib
import ctypes
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from handhold.devices.openxr.poses import ROTATION_OPENXR_TO_HANDHOLD, convert_pose_from_openxr
from handhold.devices.openxr.runtime import HAND_TRACKING
from handhold.devices.openxr.session import TRACKED, OpenXrSession

PINCH_CLOSED, PINCH_OPEN = 0.015, 0.05
"""Distances between the tips of thumb and index finger [m] at which a pinch is 1 and 0."""

FIST_CLOSED = 0.06
"""Distance from the palm's middle [m] within which the other three fingertips all are where a hand is a fist."""

JOINTS = 26
PALM, THUMB_TIP, INDEX_TIP = 0, 5, 10
CURLED_TIPS = (15, 20, 25)
"""Tips of middle, ring and little finger."""

# Axes of OpenXR's grip pose in those of its palm joint: x through the palm to the right of a hand that hangs, -z to the thumb.
_AXES_GRIP_IN_PALM = {
    "left": np.array([[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]),
    "right": np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]),
}


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class BareHand:
    """A hand that holds nothing.

    Attributes:
        pose: Its pose in the session's space, with the axes of a grip, in Handhold's.
        pinch: How far thumb and index finger are closed, 0 to 1.
        fist: Whether the other fingers are closed.
    """

    pose: pin.SE3
    pinch: float
    fist: bool


def judge_hand(hand: str, palm: pin.SE3, tips: np.ndarray) -> BareHand:
    """Return what a hand does by its joints.

    Args:
        hand: ``"left"`` or ``"right"``.
        palm: Pose of its palm joint, with Handhold's axes.
        tips: Tips of thumb, index, middle, ring and little finger in the same space, shape ``(5, 3)`` [m].
    """
    C = ROTATION_OPENXR_TO_HANDHOLD
    gap = float(np.linalg.norm(tips[0] - tips[1]))
    curl = float(np.linalg.norm(tips[2:] - palm.translation, axis=1).max())
    return BareHand(
        pose=pin.SE3(palm.rotation @ C @ _AXES_GRIP_IN_PALM[hand] @ C.T, palm.translation),
        pinch=min(max((PINCH_OPEN - gap) / (PINCH_OPEN - PINCH_CLOSED), 0.0), 1.0),
        fist=curl < FIST_CLOSED,
    )


class HandTracker:
    """Finds the joints of one hand."""

    def __init__(self, session: OpenXrSession, hand: str) -> None:
        """Begin to track a hand (``"left"`` or ``"right"``).

        Raises:
            xr.exception.XrException: The headset does not track hands.
        """
        import xr

        self._session, self._hand = session, hand
        self._tracker = xr.create_hand_tracker_ext(session.handle, xr.HandTrackerCreateInfoEXT(hand=xr.HandEXT[hand.upper()]))
        self._joints = (xr.HandJointLocationEXT * JOINTS)()
        self._locations = xr.HandJointLocationsEXT(joint_count=JOINTS, joint_locations=self._joints)
        self._locate = ctypes.cast(
            xr.get_instance_proc_addr(session.instance, "xrLocateHandJointsEXT"), xr.PFN_xrLocateHandJointsEXT
        )

    def read(self, time: int) -> BareHand | None:
        """Return what the hand does at a time of the runtime [ns], or None where palm or a fingertip is not tracked.

        Raises:
            RuntimeLost: The runtime is gone.
        """
        import xr

        info = xr.HandJointsLocateInfoEXT(base_space=self._session.space, time=time)
        self._session.check(self._locate(self._tracker, ctypes.byref(info), ctypes.byref(self._locations)))
        required = (PALM, THUMB_TIP, INDEX_TIP, *CURLED_TIPS)
        tracked = all(int(self._joints[joint]._location_flags) & TRACKED == TRACKED for joint in required)
        if not self._locations.is_active or not tracked:
            return None
        palm, *tips = (self._find(joint) for joint in required)
        return judge_hand(self._hand, palm, np.array([tip.translation for tip in tips]))

    def _find(self, joint: int) -> pin.SE3:
        pose = self._joints[joint].pose
        position, orientation = pose.position, pose.orientation
        return convert_pose_from_openxr(
            (position.x, position.y, position.z), (orientation.x, orientation.y, orientation.z, orientation.w)
        )


def make_trackers(session: OpenXrSession, hands: tuple[str, ...]) -> dict[str, HandTracker]:
    """Return a tracker for each hand, by its name; none where the headset does not track hands."""
    import xr

    if HAND_TRACKING not in session.extensions:
        return {}
    with contextlib.suppress(xr.exception.XrException):
        return {hand: HandTracker(session, hand) for hand in hands}
    return {}
