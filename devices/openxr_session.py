"""An OpenXR instance with one session: its states, events, spaces and frames.

The session is independent of what is drawn: whoever draws passes a graphics binding in when it is opened, and hands the layers
of each frame to ``end_frame``. Without a binding the session is headless, for runtimes that offer ``XR_MND_headless``.
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from handhold.devices.errors import HeadsetNotFound, PictureNeeded, RuntimeLost, SessionEnded
from handhold.devices.openxr_runtime import (
    DEPTH_LAYER,
    HEADLESS,
    LOCAL_FLOOR,
    REFRESH_RATE,
    TIMESPEC,
    USER_PRESENCE,
    VISIBILITY_MASK,
    create_instance,
    enumerate_extensions,
)

WELCOME = {TIMESPEC, LOCAL_FLOOR, USER_PRESENCE}
"""Extensions that every session uses where they are offered."""

WELCOME_TO_PICTURES = {DEPTH_LAYER, VISIBILITY_MASK, REFRESH_RATE}
"""Extensions that a session with pictures uses besides."""

TRACKED = 0b1111  # position and orientation, each both valid and tracked
ROUNDS_TO_END = 50  # events and frames awaited for a session to end in order before it is cut off


class GraphicsBinding(Protocol):
    """What binds a session to a graphics API.

    Attributes:
        extensions: Instance extensions it needs.
    """

    extensions: tuple[str, ...]

    def bind(self, instance: Any, system: Any) -> Any:
        """Ask the runtime for its requirements, as OpenXR demands, and return the structure for ``xrCreateSession``."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One frame that the runtime asked for.

    Attributes:
        display_time: When it will be seen, by the runtime's clock [ns].
        period: Time from one frame to the next [ns].
        should_render: Whether it will be seen at all.
    """

    display_time: int
    period: int
    should_render: bool


class OpenXrSession:
    """A session with the runtime, from ``open`` on.

    Attributes:
        runtime: Name of the runtime.
        system: Name of the headset.
        system_id: The runtime's handle of the headset.
        handle: The runtime's handle of the session; None once it is closed, which all that belonged to it is with.
        running: Begun and not yet ended: actions, spaces and frames work.
        focused: The operator is there: input arrives from the headset, which is worn as far as the runtime tells.
        ended: The runtime has asked to leave, and nothing more will come.
        headless: No frames are wanted.
        floor: Whether the space's origin is on the floor (it is at the head's first height otherwise).
        display_time: When the frame in hand will be seen, by the runtime's clock [ns]; 0 before the first.
        refresh_rate: Rate at which the headset shows frames [Hz]; 0 where it does not tell.
        profile_changes: How often the runtime has told of other interaction profiles.
        mask_changes: How often the area of the lenses that can be seen has changed.
    """

    def __init__(self, graphics: GraphicsBinding | None) -> None:
        """Connect to the runtime and create a session, with the graphics passed in or headless.

        Raises:
            RuntimeNotFound: There is no OpenXR runtime, or it does not start.
            HeadsetNotFound: The runtime has no headset now.
            PictureNeeded: No graphics were passed in, and the runtime has no headless sessions.
        """
        offered = enumerate_extensions()
        self.headless = graphics is None
        needed = (HEADLESS,) if graphics is None else graphics.extensions
        welcome = WELCOME if graphics is None else WELCOME | WELCOME_TO_PICTURES
        self.extensions = tuple(needed) + tuple(sorted(offered & welcome))
        if not offered.issuperset(needed):
            raise PictureNeeded(tuple(needed), graphics is None)
        self.instance = create_instance(self.extensions)
        self.handle: Any = None
        self.running = self.ended = self._state_is_focused = False
        self._worn = True
        self.display_time = 0
        self._begun = False
        self.refresh_rate = 0.0
        self.profile_changes = 0
        self.mask_changes = 0
        self.system = ""
        self._space_changes: list[int] = []
        self._blend_mode: Any = None
        try:
            self._create(graphics)
        except BaseException:
            self._destroy()
            raise

    @property
    def focused(self) -> bool:
        """Whether the operator is there."""
        return self.running and self._state_is_focused and self._worn

    def _create(self, graphics: GraphicsBinding | None) -> None:
        import xr

        self.runtime = xr.get_instance_properties(self.instance).runtime_name.decode()
        try:
            system = xr.get_system(self.instance, xr.SystemGetInfo(xr.FormFactor.HEAD_MOUNTED_DISPLAY))
        except xr.exception.XrException as error:
            raise HeadsetNotFound(self.runtime, str(error)) from error
        self.system_id = system
        with self.losing():
            self.system = xr.get_system_properties(self.instance, system).system_name.decode()
            self._blend_mode = xr.enumerate_environment_blend_modes(
                self.instance, system, xr.ViewConfigurationType.PRIMARY_STEREO
            )[0]
            self._binding = None if graphics is None else graphics.bind(self.instance, system)
            self.handle = xr.create_session(self.instance, xr.SessionCreateInfo(system_id=system, next=self._binding))
            self._create_spaces()

    def _create_spaces(self) -> None:
        """Choose the space that recentres with the headset's own button, with its origin on the floor where there is one."""
        import xr

        kinds = xr.ReferenceSpaceType
        offered = set(xr.enumerate_reference_spaces(self.handle))
        self.space_kind = next(k for k in (kinds.LOCAL_FLOOR, kinds.STAGE, kinds.LOCAL) if k in offered or k == kinds.LOCAL)
        self.floor = self.space_kind != kinds.LOCAL
        self.space = xr.create_reference_space(self.handle, xr.ReferenceSpaceCreateInfo(self.space_kind))
        self.view_space = xr.create_reference_space(self.handle, xr.ReferenceSpaceCreateInfo(kinds.VIEW))

    @contextlib.contextmanager
    def losing(self) -> Iterator[None]:
        """Turn any error of the runtime within into RuntimeLost: nothing but opening again mends one."""
        import xr

        try:
            yield
        except xr.exception.XrException as error:
            raise RuntimeLost(self.runtime, str(error)) from error

    def poll(self) -> None:
        """Take all events that wait and follow the session's state.

        Raises:
            RuntimeLost: The runtime or the session is gone, or about to be.
            SessionEnded: The operator or the runtime has ended the session.
        """
        import xr

        with self.losing():
            while not self.ended:
                try:
                    event = xr.poll_event(self.instance)
                except xr.exception.EventUnavailable:
                    break
                self.follow(event)
        if self.ended:
            raise SessionEnded(self.runtime)

    def follow(self, event: Any) -> None:
        """Follow one event of the runtime (an ``xr.EventDataBuffer``); those that are not the session's change nothing.

        Raises:
            RuntimeLost: It says that the runtime is about to be lost.
        """
        import xr

        kinds = xr.StructureType
        reactions: dict[Any, tuple[Any, Callable[[Any], None]]] = {
            kinds.EVENT_DATA_SESSION_STATE_CHANGED: (xr.EventDataSessionStateChanged, self._follow_state),
            kinds.EVENT_DATA_INSTANCE_LOSS_PENDING: (xr.EventDataInstanceLossPending, self._follow_loss),
            kinds.EVENT_DATA_REFERENCE_SPACE_CHANGE_PENDING: (
                xr.EventDataReferenceSpaceChangePending,
                self._follow_space_change,
            ),
            kinds.EVENT_DATA_USER_PRESENCE_CHANGED_EXT: (xr.EventDataUserPresenceChangedEXT, self._follow_presence),
            kinds.EVENT_DATA_DISPLAY_REFRESH_RATE_CHANGED_FB: (xr.EventDataDisplayRefreshRateChangedFB, self._follow_rate),
            kinds.EVENT_DATA_INTERACTION_PROFILE_CHANGED: (xr.EventDataInteractionProfileChanged, self._follow_profile),
            kinds.EVENT_DATA_VISIBILITY_MASK_CHANGED_KHR: (xr.EventDataVisibilityMaskChangedKHR, self._follow_mask),
        }
        if event.type in reactions:
            structure, react = reactions[event.type]
            react(structure.from_buffer_copy(bytes(event)))

    def _follow_state(self, event: Any) -> None:
        import xr

        states = xr.SessionState
        self._state_is_focused = event.state == states.FOCUSED
        if event.state == states.READY:
            xr.begin_session(self.handle, xr.SessionBeginInfo(xr.ViewConfigurationType.PRIMARY_STEREO))
            self.running = True
            if REFRESH_RATE in self.extensions:
                self.refresh_rate = float(xr.get_display_refresh_rate_fb(self.handle).value)
        elif event.state == states.STOPPING:
            self.running = False
            xr.end_session(self.handle)
        elif event.state == states.EXITING:
            self.ended = True
        elif event.state == states.LOSS_PENDING:
            self._follow_loss(event)

    def _follow_loss(self, event: Any) -> None:
        raise RuntimeLost(self.runtime, type(event).__name__)

    def _follow_space_change(self, event: Any) -> None:
        if event.reference_space_type == self.space_kind:
            self._space_changes.append(event.change_time)

    def _follow_presence(self, event: Any) -> None:
        self._worn = bool(event.is_user_present)

    def _follow_rate(self, event: Any) -> None:
        self.refresh_rate = float(event.to_display_refresh_rate)

    def _follow_profile(self, _event: Any) -> None:
        self.profile_changes += 1

    def _follow_mask(self, _event: Any) -> None:
        self.mask_changes += 1

    def take_space_changes(self, time: int) -> int:
        """Return how often the space has moved up to a time [ns], and count those no more.

        The runtime announces a recentring ahead: poses located before its time are still in the former space.
        """
        due = [change for change in self._space_changes if change <= time]
        self._space_changes = [change for change in self._space_changes if change > time]
        return len(due)

    def convert_time(self, seconds: float) -> int:
        """Convert a time of the monotonic clock [s] to the runtime's [ns].

        A runtime that cannot convert gives the time of the frame in hand, which is 0 before the first.
        """
        import xr

        if TIMESPEC not in self.extensions:
            return self.display_time
        nanoseconds = round(seconds * 1e9)
        with self.losing():
            time = xr.timespec(nanoseconds // 1_000_000_000, nanoseconds % 1_000_000_000)
            return int(xr.convert_timespec_time_to_time_khr(self.instance, time).value)

    def wait_frame(self) -> Frame | None:
        """Wait for the runtime's next frame, which paces the caller; None where none is wanted now.

        A frame that was waited for has to be begun and ended.

        Raises:
            RuntimeLost: The runtime is gone.
        """
        import xr

        if self.headless or not self.running:
            return None
        with self.losing():
            state = xr.wait_frame(self.handle)
        self.display_time = int(state.predicted_display_time)
        return Frame(
            display_time=self.display_time,
            period=int(state.predicted_display_period),
            should_render=bool(state.should_render),
        )

    def begin_frame(self) -> None:
        """Begin to draw the frame waited for.

        Raises:
            RuntimeLost: The runtime is gone.
        """
        import xr

        # A discarded frame is no error: the one before it was never ended.
        with self.losing(), contextlib.suppress(xr.exception.FrameDiscarded):
            xr.begin_frame(self.handle)
        self._begun = True

    def end_frame(self, frame: Frame, layers: Sequence[Any] = ()) -> None:
        """Hand a frame's layers (the runtime's structures) over; none show nothing.

        Raises:
            RuntimeLost: The runtime is gone.
        """
        import xr

        pointers = [ctypes.byref(layer) for layer in layers]
        self._begun = False
        with self.losing():
            xr.end_frame(
                self.handle,
                xr.FrameEndInfo(display_time=frame.display_time, environment_blend_mode=self._blend_mode, layers=pointers),
            )

    def close(self) -> None:
        """Leave the session in the order that OpenXR wants, or cut it off where the runtime does not answer."""
        import xr

        with contextlib.suppress(RuntimeLost):
            if self._begun:
                # Monado crashes when a session is destroyed in the middle of a frame.
                self.end_frame(Frame(display_time=self.display_time, period=0, should_render=False))
        with contextlib.suppress(RuntimeLost, SessionEnded):
            if self.running and not self.ended:
                with self.losing():
                    xr.request_exit_session(self.handle)
            for _ in range(ROUNDS_TO_END if self.running else 0):
                self.poll()
                frame = self.wait_frame()
                if frame is not None:
                    self.begin_frame()
                    self.end_frame(frame)
        self._destroy()

    def _destroy(self) -> None:
        import xr

        # Destroying the instance destroys the session, spaces and actions with it; a lost one may refuse.
        with contextlib.suppress(xr.exception.XrException):
            if self.handle is not None:
                xr.destroy_session(self.handle)
        with contextlib.suppress(xr.exception.XrException):
            xr.destroy_instance(self.instance)
        self.handle = None
        self.running = self._state_is_focused = False
