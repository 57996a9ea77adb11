"""What the operator's hands do through OpenXR: the actions, the controls suggested for them, and their state."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio as pin

from handhold.devices.device import HapticPulse
from handhold.devices.openxr_poses import convert_pose_from_openxr
from handhold.devices.openxr_session import TRACKED, OpenXrSession
from handhold.devices.operator_input import Buttons, HandInput

HANDS = ("left", "right")

ACTION_TYPES = {
    "grip": "POSE_INPUT",
    "aim": "POSE_INPUT",
    "trigger": "FLOAT_INPUT",
    "squeeze": "FLOAT_INPUT",
    "stick": "VECTOR2F_INPUT",
    "primary": "BOOLEAN_INPUT",
    "secondary": "BOOLEAN_INPUT",
    "menu": "BOOLEAN_INPUT",
    "stick_click": "BOOLEAN_INPUT",
    "haptic": "VIBRATION_OUTPUT",
}

_POSES = {"grip": "input/grip/pose", "aim": "input/aim/pose", "haptic": "output/haptic"}
_STICK = {"stick": "input/thumbstick", "stick_click": "input/thumbstick/click"}
_ANALOG = {"trigger": "input/trigger/value", "squeeze": "input/squeeze/value"}
_INDEX = {
    **_POSES,
    **_STICK,
    **_ANALOG,
    "primary": "input/a/click",
    "secondary": "input/b/click",
    # The Index controller has no menu button, and its system button belongs to the runtime.
    "menu": "input/trackpad/force",
}
_TOUCH = {**_POSES, **_STICK, **_ANALOG}
# Two buttons must do for everything: the clutch, which nothing works without, and the menu.
# Its menu counts as the click of a stick as well, or nothing would stop the robot.
_SIMPLE = {**_POSES, "squeeze": "input/select/click", "menu": "input/menu/click", "stick_click": "input/menu/click"}
_SIMPLE_CONTROLLER = "/interaction_profiles/khr/simple_controller"

# Interaction profile -> hand -> action -> component of the hand's path.
SUGGESTED_BINDINGS: dict[str, dict[str, dict[str, str]]] = {
    "/interaction_profiles/valve/index_controller": {"left": _INDEX, "right": _INDEX},
    "/interaction_profiles/oculus/touch_controller": {
        "left": {**_TOUCH, "primary": "input/x/click", "secondary": "input/y/click", "menu": "input/menu/click"},
        # The right hand's menu button is the system's.
        "right": {**_TOUCH, "primary": "input/a/click", "secondary": "input/b/click"},
    },
    _SIMPLE_CONTROLLER: {"left": _SIMPLE, "right": _SIMPLE},
}


def name_stop_buttons(profiles: Iterable[str]) -> str:
    """Return what is pressed with both hands to stop, for people, by the hands' profiles (``""`` for a hand without one)."""
    present = {profile for profile in profiles if profile}
    return "menu buttons" if present == {_SIMPLE_CONTROLLER} else "sticks"


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class HandActions:
    """One hand's handles to what it does.

    Attributes:
        path: The hand's OpenXR path.
        infos: For every action, the structure that asks for this hand's state of it.
        grip_space: Space of the grip pose.
        aim_space: Space of the aim pose.
    """

    path: int
    infos: dict[str, Any]
    grip_space: Any
    aim_space: Any


def locate(session: OpenXrSession, space: Any, time: int) -> pin.SE3 | None:
    """Locate a space in the session's, or return None where it is not both valid and tracked.

    A runtime goes on guessing poses (valid, not tracked) when the cameras lose a controller: a guess must move no robot.

    Args:
        session: A session that runs.
        space: Space to locate.
        time: Time of the runtime [ns].

    Returns:
        Pose in the session's space, with Handhold's axes.

    Raises:
        RuntimeLost: The runtime is gone.
    """
    import xr

    with session.losing():
        location = xr.locate_space(space, session.space, time)
    if int(location.location_flags) & TRACKED != TRACKED:
        return None
    position, orientation = location.pose.position, location.pose.orientation
    return convert_pose_from_openxr(
        np.array([position.x, position.y, position.z]),
        np.array([orientation.x, orientation.y, orientation.z, orientation.w]),
    )


class OperatorActions:
    """The actions of a session, attached to it for as long as it lives."""

    def __init__(self, session: OpenXrSession) -> None:
        """Create the actions, suggest controls for them and attach them.

        Raises:
            RuntimeLost: The runtime refuses them.
        """
        import xr

        self._session = session
        with session.losing():
            self._set = xr.create_action_set(
                session.instance,
                xr.ActionSetCreateInfo(action_set_name="teleoperation", localized_action_set_name="Teleoperation"),
            )
            paths = {hand: xr.string_to_path(session.instance, f"/user/hand/{hand}") for hand in HANDS}
            self._actions = self._create_actions(list(paths.values()))
            self._suggest()
            xr.attach_session_action_sets(session.handle, xr.SessionActionSetsAttachInfo(action_sets=[self._set]))
            self._hands = {hand: self._create_hand(path) for hand, path in paths.items()}
        self._sync_info = xr.ActionsSyncInfo(active_action_sets=[xr.ActiveActionSet(self._set)])

    def _create_actions(self, paths: list[int]) -> dict[str, Any]:
        import xr

        subaction_paths = (xr.Path * len(paths))(*paths)
        return {
            name: xr.create_action(
                self._set,
                xr.ActionCreateInfo(
                    action_name=name,
                    action_type=getattr(xr.ActionType, kind),
                    subaction_paths=subaction_paths,
                    localized_action_name=name.replace("_", " ").capitalize(),
                ),
            )
            for name, kind in ACTION_TYPES.items()
        }

    def _suggest(self) -> None:
        import xr

        instance = self._session.instance
        for profile, hands in SUGGESTED_BINDINGS.items():
            bindings = [
                xr.ActionSuggestedBinding(self._actions[name], xr.string_to_path(instance, f"/user/hand/{hand}/{component}"))
                for hand, components in hands.items()
                for name, component in components.items()
            ]
            xr.suggest_interaction_profile_bindings(
                instance,
                xr.InteractionProfileSuggestedBinding(xr.string_to_path(instance, profile), suggested_bindings=bindings),
            )

    def _create_hand(self, path: int) -> HandActions:
        import xr

        def create_space(name: str) -> Any:
            return xr.create_action_space(
                self._session.handle, xr.ActionSpaceCreateInfo(action=self._actions[name], subaction_path=path)
            )

        return HandActions(
            path=path,
            infos={name: xr.ActionStateGetInfo(action, path) for name, action in self._actions.items()},
            grip_space=create_space("grip"),
            aim_space=create_space("aim"),
        )

    def sync(self) -> None:
        """Take the present state of all controls; without focus they are inactive.

        Raises:
            RuntimeLost: The runtime is gone.
        """
        import xr

        with self._session.losing(), contextlib.suppress(xr.exception.SessionNotFocused):
            xr.sync_actions(self._session.handle, self._sync_info)

    def read_hand(self, hand: str, time: int) -> HandInput:
        """Return what a hand does, its poses located at a time.

        Args:
            hand: ``"left"`` or ``"right"``.
            time: Time of the runtime [ns].

        Returns:
            The hand's input; poses None where they are not tracked, controls at rest where they are not there.

        Raises:
            RuntimeLost: The runtime is gone.
        """
        actions = self._hands[hand]
        with self._session.losing():
            stick = self._read("stick", actions).current_state
            return HandInput(
                pose=locate(self._session, actions.grip_space, time),
                aim=locate(self._session, actions.aim_space, time),
                trigger=float(self._read("trigger", actions).current_state),
                squeeze=float(self._read("squeeze", actions).current_state),
                stick=np.array([stick.x, stick.y], dtype=float),
                buttons=Buttons(
                    primary=bool(self._read("primary", actions).current_state),
                    secondary=bool(self._read("secondary", actions).current_state),
                    menu=bool(self._read("menu", actions).current_state),
                    stick=bool(self._read("stick_click", actions).current_state),
                ),
            )

    def locate_grip(self, hand: str, time: int) -> pin.SE3 | None:
        """Locate a hand's grip at a time of the runtime [ns], or return None where it is not tracked.

        Raises:
            RuntimeLost: The runtime is gone.
        """
        return locate(self._session, self._hands[hand].grip_space, time)

    def _read(self, name: str, actions: HandActions) -> Any:
        """Return the state of one action; OpenXR gives zero for what is not bound or not active."""
        import xr

        read_state = {
            "FLOAT_INPUT": xr.get_action_state_float,
            "VECTOR2F_INPUT": xr.get_action_state_vector2f,
            "BOOLEAN_INPUT": xr.get_action_state_boolean,
        }[ACTION_TYPES[name]]
        return read_state(self._session.handle, actions.infos[name])

    def can_stop(self) -> bool:
        """Say whether every hand that could take a clutch has a control for the stop bound to it, by the last ``sync``.

        The operator may have taken it away in the runtime's own settings.

        Raises:
            RuntimeLost: The runtime is gone.
        """
        with self._session.losing():
            return all(
                self._read("stick_click", actions).is_active or not self._read("squeeze", actions).is_active
                for actions in self._hands.values()
            )

    def read_profile(self, hand: str) -> str:
        """Return the interaction profile that a hand's controls come from now, or ``""`` where there is none.

        Raises:
            RuntimeLost: The runtime is gone.
        """
        import xr

        with self._session.losing():
            state = xr.get_current_interaction_profile(self._session.handle, self._hands[hand].path)
            profile = state.interaction_profile
            return xr.path_to_string(self._session.instance, profile) if profile else ""

    def vibrate(self, pulse: HapticPulse) -> None:
        """Let a hand feel a pulse; without focus nothing is felt.

        Raises:
            RuntimeLost: The runtime is gone.
        """
        import xr

        vibration = xr.HapticVibration(
            duration=round(pulse.duration * 1e9), frequency=pulse.frequency, amplitude=min(max(pulse.amplitude, 0.0), 1.0)
        )
        info = xr.HapticActionInfo(self._actions["haptic"], self._hands[pulse.hand].path)
        with self._session.losing(), contextlib.suppress(xr.exception.SessionNotFocused):
            xr.apply_haptic_feedback(
                self._session.handle, info, ctypes.cast(ctypes.byref(vibration), ctypes.POINTER(xr.HapticBaseHeader)).contents
            )
