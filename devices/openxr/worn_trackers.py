"""Trackers that the operator wears on the body (``XR_HTCX_vive_tracker_interaction``), by their roles."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pinocchio as pin

from handhold.devices.openxr.body_joints import TRACKER_ROLES
from handhold.devices.openxr.runtime import VIVE_TRACKERS
from handhold.devices.openxr.session import OpenXrSession
from handhold.devices.openxr.state import LocatedSpace
from handhold.devices.tracked_human import Segment


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class TrackerProfile:
    """Where trackers are found.

    Attributes:
        path: Of the interaction profile.
        users: Paths of the trackers, by the segment that they are worn on.
    """

    path: str
    users: Mapping[Segment, str]


VIVE_PROFILE = TrackerProfile(
    path="/interaction_profiles/htc/vive_tracker_htcx",
    users={segment: f"/user/vive_tracker_htcx/role/{role}" for segment, role in TRACKER_ROLES.items()},
)


class WornTrackers:
    """The poses of the trackers of a session, in an action set of their own that has yet to be attached.

    Attributes:
        action_set: The set.
    """

    def __init__(self, session: OpenXrSession, profile: TrackerProfile = VIVE_PROFILE) -> None:
        """Create the actions and suggest what they are bound to.

        Raises:
            xr.exception.XrException: The runtime does not know such trackers.
        """
        import xr

        self._session = session
        instance = session.instance
        self._paths = {segment: xr.string_to_path(instance, user) for segment, user in profile.users.items()}
        self.action_set = xr.create_action_set(
            instance, xr.ActionSetCreateInfo(action_set_name="trackers", localized_action_set_name="Trackers")
        )
        paths = list(self._paths.values())
        self._action = xr.create_action(
            self.action_set,
            xr.ActionCreateInfo(
                action_name="tracker",
                action_type=xr.ActionType.POSE_INPUT,
                subaction_paths=(xr.Path * len(paths))(*paths),
                localized_action_name="Tracker",
            ),
        )
        bindings = [
            xr.ActionSuggestedBinding(self._action, xr.string_to_path(instance, f"{user}/input/grip/pose"))
            for user in profile.users.values()
        ]
        suggestion = xr.InteractionProfileSuggestedBinding(
            xr.string_to_path(instance, profile.path), suggested_bindings=bindings
        )
        xr.suggest_interaction_profile_bindings(instance, suggestion)
        self._spaces: dict[Segment, Any] = {}

    def begin(self) -> None:
        """Make the spaces, once the set is attached.

        Raises:
            RuntimeLost: The runtime is gone.
        """
        import xr

        with self._session.losing():
            for segment, path in self._paths.items():
                info = xr.ActionSpaceCreateInfo(action=self._action, subaction_path=path)
                self._spaces[segment] = LocatedSpace(self._session, xr.create_action_space(self._session.handle, info))

    def read(self, time: int) -> dict[Segment, pin.SE3]:
        """Return the poses of the trackers that are tracked, in the session's space, at a time of the runtime [ns].

        Raises:
            RuntimeLost: The runtime is gone.
        """
        found = {segment: space.locate(time) for segment, space in self._spaces.items()}
        return {segment: pose for segment, pose in found.items() if pose is not None}


def make_worn_trackers(session: OpenXrSession) -> WornTrackers | None:
    """Return what finds trackers; None where the runtime knows none."""
    import xr

    if VIVE_TRACKERS not in session.extensions:
        return None
    with contextlib.suppress(xr.exception.XrException):
        return WornTrackers(session)
    return None
