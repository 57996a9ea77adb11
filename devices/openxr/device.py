"""A headset and its two controllers, through any conformant OpenXR runtime.

``read`` never waits and may be called at any rate: poses are those of the moment it is called. A runtime that wants pictures
gives input only while frames are ended for it, which is ``render.headset``'s work (with ``session``); a headless session
needs none.

A hand's pose is OpenXR's grip pose in Handhold's axes. Of a fist, the x axis comes out beside the thumb, z points from the
fingers' knuckles to the wrist, and y to the left of a hand that hangs down: into the left palm, out of the right one.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pinocchio as pin

from handhold.devices.control_names import DEFAULT_CONTROL_NAMES, HandsControlNames
from handhold.devices.device import HapticPulse
from handhold.devices.errors import DeviceNotOpen, RuntimeLost
from handhold.devices.openxr.actions import OperatorActions
from handhold.devices.openxr.body_tracking import make_body_tracker, read_body
from handhold.devices.openxr.poses import compute_origin_below
from handhold.devices.openxr.profiles import BARE_HAND, HANDS, name_controls
from handhold.devices.openxr.session import GraphicsBinding, OpenXrSession
from handhold.devices.openxr.state import LocatedSpace
from handhold.devices.operator_sample import NO_JOINTS, NO_TRACKERS, HandSample, OperatorSample
from handhold.devices.tracked_human import Segment

CHANGED_FOR = 0.1
"""How long a hand is not there after it has taken up or put down a controller [s]: its pose jumps, and its clutch opens."""


class OpenXrDevice:
    """Operator device on an OpenXR runtime (see ``OperatorDevice``).

    Attributes:
        name: ``"openxr"``; the name within each sample also tells the run, from one ``open`` to the next ``close``.
    """

    name = "openxr"

    def __init__(
        self, *, clock: Callable[[], float], graphics: GraphicsBinding | None = None, max_frame_rate: float = 0.0
    ) -> None:
        """Remember how to open the session; nothing is connected yet.

        Args:
            clock: The monotonic clock [s] (``time.monotonic``, which is also the runtime's), for the time of each sample.
            graphics: What the session draws with, or None for a session without pictures.
            max_frame_rate: Rate at which frames are asked for at most [Hz]; 0 for as high as the headset goes.
        """
        self._clock = clock
        self._graphics, self._max_frame_rate = graphics, max_frame_rate
        self._session: OpenXrSession | None = None
        self._origin = 0
        self._control_names = DEFAULT_CONTROL_NAMES
        self._profiles_known: tuple[int, frozenset[str]] | None = None
        self._held: dict[str, tuple[str, float]] = {}

    @property
    def session(self) -> OpenXrSession:
        """The session, for whoever ends its frames.

        Raises:
            DeviceNotOpen: There is none.
        """
        if self._session is None:
            raise DeviceNotOpen(self.name)
        return self._session

    @property
    def profiles(self) -> dict[str, str]:
        """The interaction profile in use by each hand, ``""`` where its controller is not there."""
        running = self.session.state.running
        return {hand: self._actions.read_profile(hand) if running else "" for hand in HANDS}

    @property
    def control_names(self) -> HandsControlNames:
        """What the controls are called that are bound to the hands now; the same object until the runtime reports others.

        A hand that is not there keeps the names of what it held last.

        Raises:
            DeviceNotOpen: ``open`` has not succeeded.
            RuntimeLost: The runtime is gone.
        """
        state = self.session.state
        known = (state.profile_changes, self._actions.bare)
        if self._profiles_known != known and state.running:
            bound = {hand: name_controls(hand, path) for hand, path in self.profiles.items() if path}
            bare = dict.fromkeys(self._actions.bare, BARE_HAND)
            self._control_names, self._profiles_known = replace(self._control_names, **bound | bare), known
        return self._control_names

    def open(self) -> None:
        """Connect to the runtime and create a session; it gets focus a few samples later.

        Raises:
            RuntimeNotFound: There is no OpenXR runtime, or it does not start.
            HeadsetNotFound: The runtime has no headset.
            PictureNeeded: The runtime does not offer what the graphics, or their absence, needs.
            RuntimeLost: The runtime fails on the way.
        """
        session = OpenXrSession(self._graphics, self._max_frame_rate)
        try:
            self._actions = OperatorActions(session)
        except BaseException:
            session.close()
            raise
        self._session = session
        self._head = LocatedSpace(session, session.view_space)
        self._body = make_body_tracker(session)
        self._sequence = 0
        self._profiles_known = None
        self._held = dict.fromkeys(HANDS, ("", -math.inf))
        self._transform_operator_to_space = pin.SE3.Identity()
        # The clock never gives the same time twice, so that a restarted process has another name as well.
        self._run = f"{self.name} {self._clock():.6f}"

    def read(self, *, events: bool = True) -> OperatorSample:
        """Return the present sample; nothing is tracked while the session does not run.

        Args:
            events: Whether the session's events are followed first; between a frame's begin and its end they have to wait.

        Raises:
            DeviceNotOpen: ``open`` has not succeeded.
            RuntimeLost: The runtime is gone; ``close`` and ``open`` try again.
            SessionEnded: The operator or the runtime has ended the session.
        """
        session = self.session
        if events:
            session.poll()
        if session.state.running:
            self._actions.sync()
        now = self._clock()
        time = session.convert_time(now)
        if session.state.take_space_changes(time):
            self._move_origin(pin.SE3.Identity())
        located = session.state.running and time > 0
        left, right = (self._read_hand(hand, time, now) if located else HandSample() for hand in HANDS)
        sample = OperatorSample(
            time=now,
            sequence=self._sequence,
            device=self._run,
            origin=self._origin,
            focused=session.state.focused,
            can_stop=self._actions.can_stop() if located else True,
            head=self._to_operator_space_if_tracked(self._head.locate(time)) if located else None,
            left=left,
            right=right,
            joints=self._read_joints(time) if located else NO_JOINTS,
            trackers=self._read_trackers(time) if located else NO_TRACKERS,
        )
        self._sequence += 1
        return sample

    def _read_joints(self, time: int) -> Mapping[Segment, np.ndarray]:
        """Return the joints of the operator's body that the headset sees, in the operator's space."""
        joints, to_space = read_body(self._body, time), self._transform_operator_to_space
        return {segment: to_space.actInv(place) for segment, place in joints.items()} if joints else NO_JOINTS

    def _read_trackers(self, time: int) -> Mapping[Segment, pin.SE3]:
        """Return the trackers that the operator wears, in the operator's space."""
        worn = self._actions.worn
        return NO_TRACKERS if worn is None else {one: self.to_operator_space(pose) for one, pose in worn.read(time).items()}

    def _read_hand(self, hand: str, time: int, now: float) -> HandSample:
        sample = self._actions.read_hand(hand, time)
        if self._has_just_changed(hand, now):
            return HandSample()
        # The thumb of a fist touches the fingers as that of a pinch does: what stops must not move the robot meanwhile.
        released = sample.buttons.stick and self.control_names.of(hand).trigger_is_squeeze
        return HandSample(
            pose=self._to_operator_space_if_tracked(sample.pose),
            aim=self._to_operator_space_if_tracked(sample.aim),
            trigger=0.0 if released else sample.trigger,
            squeeze=0.0 if released else sample.squeeze,
            stick=sample.stick,
            buttons=sample.buttons,
        )

    def _has_just_changed(self, hand: str, now: float) -> bool:
        """Return whether a hand has taken something else up, or put it down, so that it is elsewhere than a moment before."""
        held, since = self._held[hand]
        present = self.control_names.of(hand).device
        if held != present:
            # The first thing that a hand is known to hold has moved nothing.
            since = now if held else -math.inf
            self._held[hand] = (present, since)
        return now - since < CHANGED_FOR

    def locate_hands(self, time: int) -> dict[str, pin.SE3 | None]:
        """Locate both hands' grips, for what is drawn at them.

        Args:
            time: Time of the runtime, which may lie ahead [ns].

        Returns:
            Poses in the operator's space by hand; None where not tracked.

        Raises:
            DeviceNotOpen: ``open`` has not succeeded.
            RuntimeLost: The runtime is gone.
        """
        return {hand: self._to_operator_space_if_tracked(self._actions.locate_grip(hand, time)) for hand in HANDS}

    def to_operator_space(self, pose: pin.SE3) -> pin.SE3:
        """Return a pose of the session's space in the operator's, which ``recentre`` lays anew."""
        return self._transform_operator_to_space.actInv(pose)

    def _to_operator_space_if_tracked(self, pose: pin.SE3 | None) -> pin.SE3 | None:
        return None if pose is None else self.to_operator_space(pose)

    def _move_origin(self, transform_operator_to_space: pin.SE3) -> None:
        self._transform_operator_to_space = transform_operator_to_space
        self._origin += 1

    def recentre(self) -> bool:
        """Lay the operator's space anew: forward is where the head faces now, the origin on the floor below it.

        Samples from the next one on count another ``origin``. The headset's own recentring does the same, and undoes this one.

        Returns:
            Whether it was done: without a tracked head nothing changes.

        Raises:
            DeviceNotOpen: ``open`` has not succeeded.
            RuntimeLost: The runtime is gone.
        """
        session = self.session
        time = session.convert_time(self._clock())
        head = self._head.locate(time) if session.state.running and time > 0 else None
        if head is None:
            return False
        self._move_origin(compute_origin_below(head))
        return True

    def pulse(self, pulse: HapticPulse) -> None:
        """Let the operator feel a pulse; nothing is felt without focus, or of a lost runtime (which ``read`` reports).

        Raises:
            DeviceNotOpen: ``open`` has not succeeded.
        """
        if self.session.state.running:
            with contextlib.suppress(RuntimeLost):
                self._actions.vibrate(pulse)

    def close(self) -> None:
        """Leave the session and let go of the runtime, also of a lost one; closing twice does nothing."""
        if self._session is not None:
            self._session.close()
            self._session = None
