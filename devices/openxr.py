"""A headset and its two controllers, through any conformant OpenXR runtime.

``read`` never waits and may be called at any rate: poses are those of the moment it is called. A runtime that wants pictures
gives input only while frames are ended for it, which is ``render.headset``'s work (with ``session``); a headless session
needs none.

A hand's pose is OpenXR's grip pose in Handhold's axes. Of a fist, the x axis comes out beside the thumb, z points from the
fingers' knuckles to the wrist, and y to the left of a hand that hangs down: into the left palm, out of the right one.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import pinocchio as pin

from handhold.devices.device import HapticPulse
from handhold.devices.errors import DeviceNotOpen, RuntimeLost
from handhold.devices.openxr_actions import HANDS, OperatorActions, locate, name_stop_buttons
from handhold.devices.openxr_poses import compute_origin_below
from handhold.devices.openxr_session import GraphicsBinding, OpenXrSession
from handhold.devices.operator_input import HandInput, OperatorInput


class OpenXrDevice:
    """Operator device on an OpenXR runtime (see ``OperatorDevice``).

    Attributes:
        name: ``"openxr"``; the name within each sample also tells the run, from one ``open`` to the next ``close``.
    """

    name = "openxr"

    def __init__(self, *, clock: Callable[[], float], graphics: GraphicsBinding | None = None) -> None:
        """Remember how to open the session; nothing is connected yet.

        Args:
            clock: The monotonic clock [s] (``time.monotonic``, which is also the runtime's), for the time of each sample.
            graphics: What the session draws with, or None for a session without pictures.
        """
        self._clock = clock
        self._graphics = graphics
        self._session: OpenXrSession | None = None
        self._origin = 0
        self._stop_buttons = name_stop_buttons(())
        self._profiles_known = -1

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
        running = self.session.running
        return {hand: self._actions.read_profile(hand) if running else "" for hand in HANDS}

    @property
    def stop_buttons(self) -> str:
        """What is pressed with both hands to stop: ``"sticks"``, or ``"menu buttons"`` of controllers without sticks.

        Raises:
            DeviceNotOpen: ``open`` has not succeeded.
            RuntimeLost: The runtime is gone.
        """
        changes = self.session.profile_changes
        if self._profiles_known != changes:
            self._stop_buttons, self._profiles_known = name_stop_buttons(self.profiles.values()), changes
        return self._stop_buttons

    def open(self) -> None:
        """Connect to the runtime and create a session; it gets focus a few samples later.

        Raises:
            RuntimeNotFound: There is no OpenXR runtime, or it does not start.
            HeadsetNotFound: The runtime has no headset.
            PictureNeeded: The runtime does not offer what the graphics, or their absence, needs.
            RuntimeLost: The runtime fails on the way.
        """
        session = OpenXrSession(self._graphics)
        try:
            self._actions = OperatorActions(session)
        except BaseException:
            session.close()
            raise
        self._session = session
        self._sequence = 0
        self._profiles_known = -1
        self._transform_operator_to_space = pin.SE3.Identity()
        # The clock never gives the same time twice, so that a restarted process has another name as well.
        self._run = f"{self.name} {self._clock():.6f}"

    def read(self) -> OperatorInput:
        """Return the present sample; nothing is tracked while the session does not run.

        Raises:
            DeviceNotOpen: ``open`` has not succeeded.
            RuntimeLost: The runtime is gone; ``close`` and ``open`` try again.
            SessionEnded: The operator or the runtime has ended the session.
        """
        session = self.session
        session.poll()
        if session.running:
            self._actions.sync()
        now = self._clock()
        time = session.convert_time(now)
        if session.take_space_changes(time):
            self._move_origin(pin.SE3.Identity())
        located = session.running and time > 0
        sample = OperatorInput(
            time=now,
            sequence=self._sequence,
            device=self._run,
            origin=self._origin,
            focused=session.focused,
            can_stop=self._actions.can_stop() if located else True,
            head=self._place_if(locate(session, session.view_space, time)) if located else None,
            left=self._read_hand("left", time) if located else HandInput(),
            right=self._read_hand("right", time) if located else HandInput(),
        )
        self._sequence += 1
        return sample

    def _read_hand(self, hand: str, time: int) -> HandInput:
        sample = self._actions.read_hand(hand, time)
        return HandInput(
            pose=self._place_if(sample.pose),
            aim=self._place_if(sample.aim),
            trigger=sample.trigger,
            squeeze=sample.squeeze,
            stick=sample.stick,
            buttons=sample.buttons,
        )

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
        return {hand: self._place_if(self._actions.locate_grip(hand, time)) for hand in HANDS}

    def place(self, pose: pin.SE3) -> pin.SE3:
        """Return a pose of the session's space in the operator's, which ``recentre`` lays anew."""
        return self._transform_operator_to_space.actInv(pose)

    def _place_if(self, pose: pin.SE3 | None) -> pin.SE3 | None:
        return None if pose is None else self.place(pose)

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
        head = locate(session, session.view_space, time) if session.running and time > 0 else None
        if head is None:
            return False
        self._move_origin(compute_origin_below(head))
        return True

    def pulse(self, pulse: HapticPulse) -> None:
        """Let the operator feel a pulse; nothing is felt without focus, or of a lost runtime (which ``read`` reports).

        Raises:
            DeviceNotOpen: ``open`` has not succeeded.
        """
        if self.session.running:
            with contextlib.suppress(RuntimeLost):
                self._actions.vibrate(pulse)

    def close(self) -> None:
        """Leave the session and let go of the runtime, also of a lost one; closing twice does nothing."""
        if self._session is not None:
            self._session.close()
            self._session = None
