"""A process with an OpenXrDevice: takes one JSON object a line, does what it says, answers with one JSON object a line."""

from __future__ import annotations

import ctypes
import itertools
import json
import sys
import time
from dataclasses import asdict, replace
from typing import Any

import pinocchio as pin

from handhold.app.link.messages import Stamp, operator_codec
from handhold.devices.device import HapticPulse
from handhold.devices.errors import DeviceError
from handhold.devices.openxr import actions as openxr_actions
from handhold.devices.openxr.device import OpenXrDevice
from handhold.devices.openxr.profiles import Components
from handhold.devices.openxr.worn_trackers import TrackerProfile, WornTrackers
from handhold.devices.operator_input import HandInput
from handhold.devices.operator_sample import place_in_world
from handhold.devices.tracked_human import Segment


def describe_pose(pose: pin.SE3 | None) -> list[list[float]] | None:
    return None if pose is None else pose.homogeneous.tolist()


def describe_hand(hand: HandInput) -> dict[str, Any]:
    return {
        "pose": describe_pose(hand.pose),
        "aim": describe_pose(hand.aim),
        "trigger": hand.trigger,
        "squeeze": hand.squeeze,
        "stick": hand.stick.tolist(),
        **{name: getattr(hand.buttons, name) for name in ("primary", "secondary", "menu")},
        "stick_click": hand.buttons.stick,
    }


class UnknownGraphics:
    """Graphics that no runtime knows."""

    extensions = ("XR_NOBODY_paper",)

    def bind(self, instance: Any, system: Any) -> Any:
        raise AssertionError("the runtime must be asked before")


class Worker:
    """What can be asked of the device."""

    def __init__(self, graphics: str) -> None:
        self.headset = None
        if graphics == "headless":
            self.device = OpenXrDevice(clock=time.monotonic)
        elif graphics == "unknown":
            self.device = OpenXrDevice(clock=time.monotonic, graphics=UnknownGraphics())
        else:
            from handhold.render.gl.context import EglContext, GlxContext
            from handhold.render.gl.renderer import Renderer
            from handhold.render.openxr.headset import Headset

            context = {"egl": EglContext, "glx": GlxContext}[graphics]()
            self.device = OpenXrDevice(clock=time.monotonic, graphics=context)
            self.headset = Headset(self.device, Renderer({}), Renderer({}), lambda: None)

    def open(self) -> dict[str, Any]:
        self.device.open()
        return {"done": True}

    def open_with_controllers_as_trackers(self) -> dict[str, Any]:
        """Open the device, the controllers' bindings given to trackers on the feet: Monado knows no real ones."""
        users = {Segment.LEFT_FOOT: "/user/hand/left", Segment.RIGHT_FOOT: "/user/hand/right"}
        path = "/interaction_profiles/valve/index_controller"
        openxr_actions.PROFILES = ()
        openxr_actions.make_worn_trackers = lambda session: WornTrackers(session, TrackerProfile(path=path, users=users))
        return self.open()

    def read(self) -> dict[str, Any]:
        if self.headset is not None:
            self.headset.pump()
        sample = self.device.read()
        return {
            "time": sample.time,
            "sequence": sample.sequence,
            "device": sample.device,
            "origin": sample.origin,
            "focused": sample.focused,
            "can_stop": sample.can_stop,
            "head": describe_pose(sample.head),
            "left": describe_hand(sample.left),
            "right": describe_hand(sample.right),
            "joints": sorted(segment.name for segment in sample.joints),
            "trackers": {segment.name: describe_pose(pose) for segment, pose in sample.trackers.items()},
        }

    def sample(self) -> dict[str, str]:
        """Read a sample, encoded as the station sends it to the robot."""
        sample = place_in_world(self.device.read(), pin.SE3.Identity())
        return {"message": operator_codec().encode(sample, Stamp(run=1, sequence=sample.sequence, time=sample.time)).hex()}

    def profiles(self) -> dict[str, str]:
        return self.device.profiles

    def control_names(self) -> dict[str, Any]:
        return asdict(self.device.control_names)

    def suggested(self) -> list[str]:
        """Name the profiles that the runtime has taken suggestions for."""
        return [profile.path for profile in self.device._actions.suggested]

    def bind_profile(self, path: str) -> dict[str, Any]:
        """Let both hands' controls come from another profile from now on, and tell the session so, as a runtime does."""
        import xr

        find_profile = xr.raw_functions.xrGetCurrentInteractionProfile
        profile = xr.string_to_path(self.device.session.instance, path)

        def find_other_profile(session: Any, hand: Any, state: Any) -> Any:
            result = find_profile(session, hand, state)
            state._obj.interaction_profile = profile
            return result

        xr.raw_functions.xrGetCurrentInteractionProfile = find_other_profile
        return self.announce_profiles()

    def lose_events(self, count: int, focused: bool) -> dict[str, Any]:
        """Hand the session the event of events that were lost, one of which may have taken the focus away."""
        import xr

        if not focused:
            self.lose("xrSyncActions", "SESSION_NOT_FOCUSED")
        self.follow(xr.EventDataEventsLost(lost_event_count=count))
        state = self.device.session.state
        return {"profiles": state.profile_changes, "masks": state.mask_changes, "lost": state.events_lost}

    def refresh_rate(self) -> dict[str, float]:
        return {"rate": self.device.session.state.refresh_rate}

    def offer_refresh_rates(self, rates: list[float]) -> dict[str, Any]:
        """Let the headset have other refresh rates from its next session on, and keep what it is asked for."""
        import xr

        self.asked_rates: list[float] = []
        xr.enumerate_display_refresh_rates_fb = lambda _session: rates
        xr.request_display_refresh_rate_fb = lambda _session, rate: self.asked_rates.append(rate)
        return {"done": True}

    def rates_asked_for(self) -> list[float]:
        return self.asked_rates

    def announce_profiles(self) -> dict[str, Any]:
        import xr

        self.follow(xr.EventDataInteractionProfileChanged(session=self.device.session.handle))
        return {"done": True}

    def recentre(self) -> dict[str, Any]:
        return {"done": self.device.recentre()}

    def pulse(self, **pulse: Any) -> dict[str, Any]:
        self.device.pulse(HapticPulse(**pulse))
        return {"done": True}

    def request_exit(self) -> dict[str, Any]:
        """Ask the runtime to end the session, as its own menu does."""
        import xr

        xr.request_exit_session(self.device.session.handle)
        return {"done": True}

    def announce_recentring(self, delay: float) -> dict[str, Any]:
        """Hand the session the event of the headset's own recentring, which Monado has no button for."""
        import xr

        session = self.device.session
        self.follow(
            xr.EventDataReferenceSpaceChangePending(
                session=session.handle,
                reference_space_type=session.space_kind,
                change_time=session.convert_time(time.monotonic() + delay),
            )
        )
        return {"done": True}

    def announce_presence(self, present: bool) -> dict[str, Any]:
        """Hand the session the event of a headset put on or taken off, which Monado does not send."""
        import xr

        self.follow(xr.EventDataUserPresenceChangedEXT(session=self.device.session.handle, is_user_present=present))
        return {"done": True}

    def follow(self, event: Any) -> None:
        import xr

        buffer = xr.EventDataBuffer()
        ctypes.memmove(ctypes.byref(buffer), ctypes.byref(event), ctypes.sizeof(event))
        self.device.session.state.follow(buffer)

    def lose(self, function: str, result: str, times: int = 1_000_000) -> dict[str, Any]:
        """Let a function of the runtime return an error from now on, or so many times, as when the runtime is killed."""
        import xr

        called, works = itertools.count(), getattr(xr.raw_functions, function)
        setattr(xr.raw_functions, function, lambda *given: xr.Result[result] if next(called) < times else works(*given))
        return {"done": True}

    def guess_poses(self) -> dict[str, Any]:
        """Let all poses be valid and not tracked from now on, as headsets do that guess; Monado's remote driver never does."""
        import xr

        locate_space = xr.raw_functions.xrLocateSpace

        def locate_space_untracked(space: Any, base: Any, at: Any, location: Any) -> Any:
            result = locate_space(space, base, at, location)
            location._obj._location_flags &= 0b0011
            return result

        xr.raw_functions.xrLocateSpace = locate_space_untracked
        return {"done": True}

    def restore(self, function: str) -> dict[str, Any]:
        import xr

        setattr(xr.raw_functions, function, getattr(xr.library.openxr_loader_library, function))
        return {"done": True}

    def recommend(self, width: int, height: int) -> dict[str, Any]:
        """Let the runtime recommend another size of pictures from now on."""
        import xr

        enumerate_views = xr.raw_functions.xrEnumerateViewConfigurationViews

        def enumerate_other_views(instance: Any, system: Any, kind: Any, capacity: Any, count: Any, views: Any) -> Any:
            result = enumerate_views(instance, system, kind, capacity, count, views)
            for number in range(int(getattr(capacity, "value", capacity)) if views is not None else 0):
                views[number].recommended_image_rect_width = width
                views[number].recommended_image_rect_height = height
            return result

        xr.raw_functions.xrEnumerateViewConfigurationViews = enumerate_other_views
        return {"done": True}

    def rate(self, seconds: float) -> dict[str, Any]:
        """Count the frames, and the samples' thread time [s], over some seconds and 30 frames at least."""
        frames, spent, begin = 0, 0.0, time.monotonic()
        while time.monotonic() - begin < seconds or frames < 30:
            if self.headset is not None:
                self.headset.pump()
            before = time.thread_time()
            self.device.read()
            spent += time.thread_time() - before
            frames += 1
        return {"frames": frames, "seconds": time.monotonic() - begin, "read": spent / frames}

    def gl_version(self) -> dict[str, Any]:
        from OpenGL import GL

        return {"version": GL.glGetString(GL.GL_VERSION).decode()}

    def close(self) -> dict[str, Any]:
        self.device.close()
        return {"done": True}


def leave_out(components: Components, unbound: list[str]) -> Components:
    """Return what is left when an operator has unbound actions in the runtime's own settings."""
    return {name: component for name, component in components.items() if name not in unbound}


def serve(worker: Worker) -> None:
    """Do what standard input asks for until it ends."""
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = getattr(worker, request.pop("do"))(**request)
        except DeviceError as error:
            answer = {"error": type(error).__name__, "message": str(error)}
        print(json.dumps(answer), flush=True)


def main() -> None:
    graphics, words = sys.argv[1:]
    only, *unbound = words.split()
    openxr_actions.PROFILES = tuple(
        replace(profile, left=leave_out(profile.left, unbound), right=leave_out(profile.right, unbound))
        for profile in openxr_actions.PROFILES
        if only in ("all", profile.full_path)
    )
    serve(Worker(graphics))


if __name__ == "__main__":
    main()
