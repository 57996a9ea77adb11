"""What the operator's hands do through OpenXR: the actions, the controls suggested for them, and their state."""

from __future__ import annotations

import contextlib
import ctypes
from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio as pin

from handhold.devices.device import HapticPulse
from handhold.devices.openxr.hand_tracking import BareHand, make_trackers
from handhold.devices.openxr.profiles import HANDS, PROFILES, Profile
from handhold.devices.openxr.session import OpenXrSession
from handhold.devices.openxr.state import STATES, ControlState, LocatedSpace
from handhold.devices.openxr.worn_trackers import make_worn_trackers
from handhold.devices.operator_input import Buttons
from handhold.devices.operator_sample import HandSample

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


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class HandActions:
    """One hand's handles to what it does.

    Attributes:
        path: The hand's OpenXR path.
        controls: The state of every control, by the name of its action.
        grip: Where its grip is.
        aim: Where it aims.
    """

    path: int
    controls: dict[str, ControlState]
    grip: LocatedSpace
    aim: LocatedSpace


class OperatorActions:
    """The actions of a session, attached to it for as long as it lives.

    Attributes:
        suggested: Profiles that the runtime has taken suggestions for.
        worn: Trackers that the operator wears besides; None where the runtime knows none.
        bare: Hands (``"left"``, ``"right"``) that nothing is bound to and that are known by their joints, as read last.
    """

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
            self.suggested = self._suggest()
            self.worn = make_worn_trackers(session)
            sets = [self._set] if self.worn is None else [self._set, self.worn.action_set]
            xr.attach_session_action_sets(session.handle, xr.SessionActionSetsAttachInfo(action_sets=sets))
            if self.worn is not None:
                self.worn.begin()
            self._hands = {hand: self._create_hand(path) for hand, path in paths.items()}
        self._trackers = make_trackers(session, HANDS)
        self.bare: frozenset[str] = frozenset()
        self._functions = xr.raw_functions
        self._sync_info = xr.ActionsSyncInfo(active_action_sets=[xr.ActiveActionSet(each) for each in sets])
        self._sync_pointer = ctypes.byref(self._sync_info)

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

    def _suggest(self) -> tuple[Profile, ...]:
        """Suggest controls for every profile that the runtime knows, and return those.

        A runtime may offer an extension and not know each profile or component of it: the other profiles serve.
        """
        import xr

        accepted = []
        for profile in PROFILES:
            if profile.extension and profile.extension not in self._session.extensions:
                continue
            with contextlib.suppress(xr.exception.PathUnsupportedError):
                self._suggest_profile(profile)
                accepted.append(profile)
        return tuple(accepted)

    def _suggest_profile(self, profile: Profile) -> None:
        import xr

        instance = self._session.instance
        bindings = [
            xr.ActionSuggestedBinding(self._actions[name], xr.string_to_path(instance, f"/user/hand/{hand}/{component}"))
            for hand in HANDS
            for name, component in profile.components(hand).items()
        ]
        path = xr.string_to_path(instance, profile.full_path)
        xr.suggest_interaction_profile_bindings(
            instance, xr.InteractionProfileSuggestedBinding(path, suggested_bindings=bindings)
        )

    def _create_hand(self, path: int) -> HandActions:
        import xr

        def create_space(name: str) -> LocatedSpace:
            info = xr.ActionSpaceCreateInfo(action=self._actions[name], subaction_path=path)
            return LocatedSpace(self._session, xr.create_action_space(self._session.handle, info))

        return HandActions(
            path=path,
            controls={
                name: ControlState(self._session, kind, self._actions[name], path)
                for name, kind in ACTION_TYPES.items()
                if kind in STATES
            },
            grip=create_space("grip"),
            aim=create_space("aim"),
        )

    def sync(self) -> None:
        """Take the present state of all controls; without focus they are inactive.

        Raises:
            RuntimeLost: The runtime is gone.
        """
        import xr

        result = self._functions.xrSyncActions(self._session.handle, self._sync_pointer)
        self._session.check(result)
        self._session.state.note_controls(in_focus=result != xr.Result.SESSION_NOT_FOCUSED)

    def read_hand(self, hand: str, time: int) -> HandSample:
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
        read = {name: control.read().current_state for name, control in actions.controls.items()}
        # What is held counts; only of a hand that nothing is bound to are the joints evaluated.
        bare = None if actions.controls["squeeze"].state.is_active else self._read_bare(hand, time)
        if (bare is not None) != (hand in self.bare):
            self.bare = self.bare ^ {hand}
        if bare is not None:
            return HandSample(pose=bare.pose, trigger=bare.pinch, squeeze=bare.pinch, buttons=Buttons(stick=bare.fist))
        stick = read["stick"]
        return HandSample(
            pose=actions.grip.locate(time),
            aim=actions.aim.locate(time),
            trigger=read["trigger"],
            squeeze=read["squeeze"],
            stick=np.array((stick.x, stick.y)),
            buttons=Buttons(
                primary=read["primary"] != 0,
                secondary=read["secondary"] != 0,
                menu=read["menu"] != 0,
                stick=read["stick_click"] != 0,
            ),
        )

    def locate_grip(self, hand: str, time: int) -> pin.SE3 | None:
        """Locate a hand's grip at a time of the runtime [ns], or return None where it is not tracked.

        Raises:
            RuntimeLost: The runtime is gone.
        """
        if hand in self.bare:
            bare = self._read_bare(hand, time)
            return None if bare is None else bare.pose
        return self._hands[hand].grip.locate(time)

    def _read_bare(self, hand: str, time: int) -> BareHand | None:
        """Return what the joints of a hand say, which count only while the operator is there."""
        return self._trackers[hand].read(time) if self._session.state.focused and hand in self._trackers else None

    def can_stop(self) -> bool:
        """Say whether every hand that could take a clutch has a control for the stop bound to it, as both were read last.

        The operator may have taken it away in the runtime's own settings.
        """
        return all(
            hand.controls["stick_click"].state.is_active or not hand.controls["squeeze"].state.is_active
            for hand in self._hands.values()
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
