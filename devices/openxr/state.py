"""What every sample asks an OpenXR runtime, into structures that stay: where spaces are and what controls do.

pyopenxr makes new structures for each call and objects of what comes back: 15 us for what takes the runtime one.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pinocchio as pin

from handhold.devices.openxr.poses import convert_pose_from_openxr
from handhold.devices.openxr.session import TRACKED, OpenXrSession

STATES = {"FLOAT_INPUT": "ActionStateFloat", "VECTOR2F_INPUT": "ActionStateVector2f", "BOOLEAN_INPUT": "ActionStateBoolean"}
"""Structure of the state of each type of action that has one."""


class LocatedSpace:
    """A space that is located in the session's again and again."""

    def __init__(self, session: OpenXrSession, space: Any) -> None:
        """Take the space."""
        import xr

        self._session, self._space = session, space
        self._functions = xr.raw_functions
        self._location = xr.SpaceLocation()
        self._pointer = ctypes.byref(self._location)
        # orientation x, y, z, w and position
        offset = xr.SpaceLocation.pose.offset
        self._numbers = np.frombuffer(self._location, dtype=np.float32, count=7, offset=offset)

    def locate(self, time: int) -> pin.SE3 | None:
        """Locate it, or return None where it is not both valid and tracked.

        A runtime goes on guessing poses (valid, not tracked) when the cameras lose a controller: a guess must move no robot.

        Args:
            time: Time of the runtime [ns].

        Returns:
            Pose in the session's space, with Handhold's axes.

        Raises:
            RuntimeLost: The runtime is gone.
        """
        session = self._session
        session.check(self._functions.xrLocateSpace(self._space, session.space, time, self._pointer))
        if self._location._location_flags & TRACKED != TRACKED:
            return None
        numbers = self._numbers.tolist()
        return convert_pose_from_openxr(numbers[4:], numbers[:4])


class ControlState:
    """A control of a hand that is asked for its state again and again.

    Attributes:
        state: The runtime's structure as it was read last: ``current_state`` and ``is_active``, zero for what is not bound.
    """

    def __init__(self, session: OpenXrSession, kind: str, action: Any, path: int) -> None:
        """Take an action and the hand's path.

        Args:
            session: The session.
            kind: Type of the action, of ``STATES``.
            action: The action.
            path: The hand.
        """
        import xr

        self._name = f"xrGet{STATES[kind]}"
        self._session = session
        self._functions = xr.raw_functions
        self._info = xr.ActionStateGetInfo(action, path)
        self.state = getattr(xr, STATES[kind])()
        self._arguments = (session.handle, ctypes.byref(self._info), ctypes.byref(self.state))

    def read(self) -> Any:
        """Ask for the state as it was at the last ``sync``, and return it.

        Raises:
            RuntimeLost: The runtime is gone.
        """
        self._session.check(getattr(self._functions, self._name)(*self._arguments))
        return self.state
