"""What the runtime's events tell of a session: OpenXR's state machine, who is there and what has changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from handhold.devices.errors import RuntimeLost
from handhold.devices.openxr.refresh import read_rate, request_rate


class SessionState:
    """Follows the events of a session, which it begins and ends when the runtime says so.

    Attributes:
        running: Begun and not yet ended: actions, spaces and frames work.
        runs: How often it has begun.
        focused: The operator is there: input arrives from the headset, which is worn as far as the runtime tells.
        ended: The runtime has asked to leave, and nothing more will come.
        refresh_rate: Rate at which the headset shows frames [Hz]; 0 where it does not tell.
        profile_changes: How often the runtime has told of other interaction profiles.
        mask_changes: How often the area of the lenses that can be seen has changed.
        events_lost: How many events the runtime has had no room to keep.
    """

    def __init__(self, handle: Any, runtime: str, space_kind: Any, *, tells_rate: bool, max_frame_rate: float) -> None:
        """Follow a session from its creation on.

        Args:
            handle: The ``xr.Session``.
            runtime: Name of the runtime.
            space_kind: The ``xr.ReferenceSpaceType`` in which poses are located.
            tells_rate: Whether the headset's rate can be read and asked for.
            max_frame_rate: Rate at which frames are asked for at most [Hz]; 0 for as high as the headset goes.
        """
        self._handle = handle
        self._runtime = runtime
        self._space_kind = space_kind
        self._tells_rate = tells_rate
        self._max_frame_rate = max_frame_rate
        self.running = self.ended = self._in_focus = False
        self._worn = True
        self._focus_unknown = False
        self.runs = 0
        self.refresh_rate = 0.0
        self.profile_changes = 0
        self.mask_changes = 0
        self.events_lost = 0
        self._space_changes: list[int] = []

    @property
    def focused(self) -> bool:
        """Whether the operator is there."""
        return self.running and self._in_focus and self._worn

    def leave(self) -> None:
        """Take note that the session is no more."""
        self.running = self._in_focus = False

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
            kinds.EVENT_DATA_EVENTS_LOST: (xr.EventDataEventsLost, self._follow_lost_events),
            kinds.EVENT_DATA_VISIBILITY_MASK_CHANGED_KHR: (xr.EventDataVisibilityMaskChangedKHR, self._follow_mask),
        }
        if event.type in reactions:
            structure, react = reactions[event.type]
            react(structure.from_buffer_copy(bytes(event)))

    def note_controls(self, *, in_focus: bool) -> None:
        """Note whether the runtime gives the controls' state, which it does with focus only: known where events were lost."""
        if self._focus_unknown:
            self._in_focus, self._focus_unknown = in_focus, False

    def take_space_changes(self, time: int) -> int:
        """Return how often the space has moved up to a time [ns], and count those no more.

        The runtime announces a recentring ahead: poses located before its time are still in the former space.
        """
        if not self._space_changes:
            return 0
        due = [change for change in self._space_changes if change <= time]
        self._space_changes = [change for change in self._space_changes if change > time]
        return len(due)

    def _follow_state(self, event: Any) -> None:
        import xr

        states = xr.SessionState
        self._in_focus, self._focus_unknown = event.state == states.FOCUSED, False
        if event.state == states.READY:
            xr.begin_session(self._handle, xr.SessionBeginInfo(xr.ViewConfigurationType.PRIMARY_STEREO))
            self.running = True
            self.runs += 1
            if self._tells_rate:
                request_rate(self._handle, self._max_frame_rate)
                self.refresh_rate = read_rate(self._handle)
        elif event.state == states.STOPPING:
            self.running = False
            xr.end_session(self._handle)
        elif event.state == states.EXITING:
            self.ended = True
        elif event.state == states.LOSS_PENDING:
            self._follow_loss(event)

    def _follow_loss(self, event: Any) -> None:
        raise RuntimeLost(self._runtime, type(event).__name__)

    def _follow_space_change(self, event: Any) -> None:
        if event.reference_space_type == self._space_kind:
            self._space_changes.append(event.change_time)

    def _follow_presence(self, event: Any) -> None:
        self._worn = bool(event.is_user_present)

    def _follow_rate(self, event: Any) -> None:
        self.refresh_rate = float(event.to_display_refresh_rate)

    def _follow_profile(self, _event: Any) -> None:
        self.profile_changes += 1

    def _follow_mask(self, _event: Any) -> None:
        self.mask_changes += 1

    def _follow_lost_events(self, event: Any) -> None:
        """Take everything for changed that events tell of, so that it is read again; poses of before cannot be compared.

        Whether the operator is there is what the next look at the controls says. A headset that is worn stays so.
        """
        self.events_lost += int(event.lost_event_count)
        self.profile_changes += 1
        self.mask_changes += 1
        self._space_changes.append(0)
        self._focus_unknown = True
        if self.running and self._tells_rate:
            self.refresh_rate = read_rate(self._handle)
