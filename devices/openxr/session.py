"""An OpenXR instance with one session: its spaces, clock and frames; what its events tell is in ``openxr_session_state``.

The session is independent of what is drawn: whoever draws passes a graphics binding in when it is opened, and hands the layers
of each frame to ``end_frame``. Without a binding the session is headless, for runtimes that offer ``XR_MND_headless``.
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from handhold.devices.display import Display
from handhold.devices.errors import HeadsetNotFound, PictureNeeded, RuntimeLost, SessionEnded
from handhold.devices.openxr.blending import choose_blend_mode, find_display, read_blend_modes
from handhold.devices.openxr.frame_waiter import ENDED_WITHIN, FrameWaiter
from handhold.devices.openxr.profiles import EXTENSIONS as PROFILE_EXTENSIONS
from handhold.devices.openxr.runtime import (
    BODY_TRACKING_BD,
    BODY_TRACKING_FB,
    DEPTH_LAYER,
    HAND_TRACKING,
    HEADLESS,
    LOCAL_FLOOR,
    REFRESH_RATE,
    TIMESPEC,
    USER_PRESENCE,
    VISIBILITY_MASK,
    VIVE_TRACKERS,
    create_instance,
    enumerate_extensions,
)
from handhold.devices.openxr.session_state import SessionState

WELCOME = {TIMESPEC, LOCAL_FLOOR, USER_PRESENCE, HAND_TRACKING} | PROFILE_EXTENSIONS
WELCOME |= {BODY_TRACKING_BD, BODY_TRACKING_FB, VIVE_TRACKERS}
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
        state: What the runtime's events have told of it.
        headless: No frames are wanted.
        floor: Whether the space's origin is on the floor (it is at the head's first height otherwise).
        display_time: When the frame in hand will be seen, by the runtime's clock [ns]; 0 before the first.
    """

    def __init__(self, graphics: GraphicsBinding | None, max_frame_rate: float = 0.0) -> None:
        """Connect to the runtime and create a session, with the graphics passed in or headless.

        Args:
            graphics: What the session draws with, or None for a headless one.
            max_frame_rate: Rate at which frames are asked for at most [Hz]; 0 for as high as the headset goes.

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
        self.display_time = 0
        self._begun = False
        self._waiter: FrameWaiter[Any] | None = None
        self._waiter_run = 0
        self.system = ""
        try:
            self._create(graphics, max_frame_rate)
        except BaseException:
            self._destroy()
            raise

    def _make_structures(self) -> None:
        """Make what events and times are asked for by: once, because every sample does."""
        import xr

        self._event = xr.EventDataBuffer()
        self._event_pointer = ctypes.byref(self._event)
        self._timespec, self._time = xr.timespec(), xr.Time()
        self._time_pointer = ctypes.byref(self._time)
        self._convert_timespec: Callable[..., int] | None = None
        if TIMESPEC in self.extensions:
            function = xr.get_instance_proc_addr(self.instance, "xrConvertTimespecTimeToTimeKHR")
            self._convert_timespec = ctypes.cast(function, xr.PFN_xrConvertTimespecTimeToTimeKHR)

    def _create(self, graphics: GraphicsBinding | None, max_frame_rate: float) -> None:
        import xr

        self.runtime = xr.get_instance_properties(self.instance).runtime_name.decode()
        try:
            system = xr.get_system(self.instance, xr.SystemGetInfo(xr.FormFactor.HEAD_MOUNTED_DISPLAY))
        except xr.exception.XrException as error:
            raise HeadsetNotFound(self.runtime, str(error)) from error
        self.system_id = system
        with self.losing():
            self._make_structures()
            self.system = xr.get_system_properties(self.instance, system).system_name.decode()
            self._blend_modes = read_blend_modes(self.instance, system)
            self._binding = None if graphics is None else graphics.bind(self.instance, system)
            self.handle = xr.create_session(self.instance, xr.SessionCreateInfo(system_id=system, next=self._binding))
            self._create_spaces()
        self.state = SessionState(
            self.handle,
            self.runtime,
            self.space_kind,
            tells_rate=REFRESH_RATE in self.extensions,
            max_frame_rate=max_frame_rate,
        )

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
        """Turn any error of the runtime within into RuntimeLost: opening again is the only remedy."""
        import xr

        try:
            yield
        except xr.exception.XrException as error:
            raise RuntimeLost(self.runtime, str(error)) from error

    def check(self, result: int) -> None:
        """Raise ``RuntimeLost`` where the result of one of the runtime's functions, called directly, is an error."""
        import xr

        if result < 0 or result == xr.Result.SESSION_LOSS_PENDING:
            raise RuntimeLost(self.runtime, str(xr.check_result(xr.Result(result))))

    def poll(self) -> None:
        """Take all events that wait and follow the session's state.

        Raises:
            RuntimeLost: The runtime or the session is gone, or about to be.
            SessionEnded: The operator or the runtime has ended the session.
        """
        import xr

        while not self.state.ended:
            self._event._type = xr.StructureType.EVENT_DATA_BUFFER.value
            result = xr.raw_functions.xrPollEvent(self.instance, self._event_pointer)
            if result == xr.Result.EVENT_UNAVAILABLE:
                break
            self.check(result)
            with self.losing():
                self.state.follow(self._event)
        if self.state.ended:
            raise SessionEnded(self.runtime)

    def convert_time(self, seconds: float) -> int:
        """Convert a time of the monotonic clock [s] to the runtime's [ns].

        A runtime that cannot convert gives the time of the frame in hand, which is 0 before the first.
        """
        if self._convert_timespec is None:
            return self.display_time
        self._timespec.tv_sec, self._timespec.tv_nsec = divmod(round(seconds * 1e9), 1_000_000_000)
        self.check(self._convert_timespec(self.instance, self._timespec, self._time_pointer))
        return int(self._time.value)

    @property
    def wants_frames(self) -> bool:
        """Whether the runtime asks for frames now: of a session with pictures, while it runs."""
        return not self.headless and self.state.running

    def wait_frame(self, timeout: float | None = None) -> Frame | None:
        """Wait for the runtime's next frame, which paces the caller; None where none is wanted now, or none has come yet.

        A frame that was waited for has to be begun and ended.

        Args:
            timeout: How long to wait [s]; None for until it comes.

        Raises:
            RuntimeLost: The runtime is gone.
        """
        if not self.wants_frames:
            return None
        with self.losing():
            state = self._find_waiter().wait(timeout)
        if state is None:
            return None
        self.display_time = int(state.predicted_display_time)
        return Frame(
            display_time=self.display_time,
            period=int(state.predicted_display_period),
            should_render=bool(state.should_render),
        )

    def _find_waiter(self) -> FrameWaiter[Any]:
        """Return what waits for frames in this run of the session: a frame of the run before is none of it."""
        import xr

        if self._waiter is None or self._waiter_run != self.state.runs:
            if self._waiter is not None:
                self._waiter.close(timeout=0.0)
            handle = self.handle
            self._waiter, self._waiter_run = FrameWaiter(lambda: xr.wait_frame(handle)), self.state.runs
        return self._waiter

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

    @property
    def display(self) -> Display:
        """How the headset's display puts what is drawn together with the real room."""
        return find_display(self._blend_modes)

    def end_frame(self, frame: Frame, layers: Sequence[Any] = (), *, see_through: bool = False) -> None:
        """Hand a frame's layers (the runtime's structures) over; none show nothing.

        Args:
            frame: The frame waited for.
            layers: What it shows.
            see_through: Whether the real room is to be seen where nothing is drawn; a display that cannot shows nothing there.

        Raises:
            RuntimeLost: The runtime is gone.
        """
        import xr

        pointers = [ctypes.byref(layer) for layer in layers]
        blend_mode = choose_blend_mode(self._blend_modes, see_through=see_through)
        self._begun = False
        with self.losing():
            xr.end_frame(
                self.handle,
                xr.FrameEndInfo(display_time=frame.display_time, environment_blend_mode=blend_mode, layers=pointers),
            )

    def close(self) -> None:
        """Leave the session in the order that OpenXR wants, or cut it off where the runtime does not answer."""
        import xr

        with contextlib.suppress(RuntimeLost):
            if self._begun:
                # Monado crashes when a session is destroyed in the middle of a frame.
                self.end_frame(Frame(display_time=self.display_time, period=0, should_render=False))
        with contextlib.suppress(RuntimeLost, SessionEnded):
            if self.state.running and not self.state.ended:
                with self.losing():
                    xr.request_exit_session(self.handle)
            for _ in range(ROUNDS_TO_END if self.state.running else 0):
                self.poll()
                frame = self.wait_frame(ENDED_WITHIN)
                if frame is not None:
                    self.begin_frame()
                    self.end_frame(frame)
        self._destroy()
        self.state.leave()

    def _destroy(self) -> None:
        import xr

        if self._waiter is not None and not self._waiter.close():
            # The runtime hangs, and its thread with it: what that thread uses has to stay.
            self.handle = None
            return
        # Destroying the instance destroys the session, spaces and actions with it; a lost one may refuse.
        with contextlib.suppress(xr.exception.XrException):
            if self.handle is not None:
                xr.destroy_session(self.handle)
        with contextlib.suppress(xr.exception.XrException):
            xr.destroy_instance(self.instance)
        self.handle = None
