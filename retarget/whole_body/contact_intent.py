"""Which contacts a person asks for, without a button: a hand that rests on a surface braces, a lifted foot is lifted."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from handhold.perception.surface import Surface
from handhold.retarget.bracing.contacts.contacts import Contacts
from handhold.retarget.bracing.contacts.effector_command import EffectorCommand
from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.retarget.mode_report import ContactState
from handhold.retarget.whole_body.body_mapping import BodyMapping

TOUCHING, LEAVING = 0.02, 0.06
"""Distance of a hand's target from a surface below which it rests there, and beyond which it leaves [m]."""

DWELL, MAX_SPEED = 0.6, 0.05
"""How long a hand must rest there before it braces [s], and how fast it may be meanwhile [m/s]."""

OVER_FOOT = 0.2
"""How far the centre of mass may be from the other foot's end of the line between the feet for a foot to be lifted [-]."""

SEARCH_PERIOD = 0.02
"""Time between two searches for a surface under a slow hand [s]: in each period of the mode they took an eighth of all time of
a scenario with five surfaces."""

RETRY = 1.0
"""Time between two attempts to make or end a contact [s]."""

_SPEED_FILTER = 0.05
"""Time constant of a target's speed [s]."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Ends:
    """What a person's hands and feet ask for, in world.

    Attributes:
        hands: Contact frames of the arms' hands, shape ``(arms, 4, 4)``.
        feet: Those of left and right foot, shape ``(2, 4, 4)``.
        lifted: Whether the person's left and right foot are in the air.
        along: Where the centre of mass is asked to be, from the left foot (0) to the right one (1) [-].
        arrived: Whether the robot has come to the person: no contact is made or ended before.
    """

    hands: np.ndarray
    feet: np.ndarray
    lifted: tuple[bool, bool]
    along: float
    arrived: bool


class ContactIntent:
    """Follows the hands and feet of one person."""

    def __init__(self, mapping: BodyMapping) -> None:
        """Begin with nothing asked for."""
        self._mapping = mapping
        self._positions: dict[int, np.ndarray] = {}
        self._speeds: dict[int, float] = {}
        self._rested: dict[int, float] = {}
        # Whether a hand was where it could brace at the last search, and how long ago that was [s].
        self._rests: dict[int, bool] = {}
        self._since_search: dict[int, float] = {}
        self._wait: dict[int, float] = {}
        # Hands that braced and do not any more: each has to leave its surface before it braces again.
        self._braced: set[int] = set()
        self._must_leave: set[int] = set()

    def choose(
        self,
        ends: Ends,
        seiko: Seiko,
        contacts: Contacts,
        surfaces: tuple[Surface, ...],
        dt: float,
        *,
        cannot_brace: frozenset[int] = frozenset(),
    ) -> dict[int, EffectorCommand]:
        """Return what is asked of each hand and foot in a period.

        Args:
            ends: What the person's hands and feet ask for.
            seiko: The reference.
            contacts: Its contacts.
            surfaces: Surfaces that could support a hand.
            dt: Length of the period [s].
            cannot_brace: Hands whose grippers are open or hold something.
        """
        commands = {}
        for foot, effector in enumerate(self._mapping.feet):
            pressed = self._wants_foot(effector, foot, ends, seiko, contacts)
            commands[effector] = self._command(effector, ends.feet[foot], contacts, dt, pressed=pressed and ends.arrived)
        for arm, pose in zip(self._mapping.arms, ends.hands, strict=True):
            self._measure_speed(arm.hand, pose[:3, 3], dt)
            pressed = self._wants_hand(arm.hand, pose, seiko, contacts, surfaces, dt)
            if arm.hand in cannot_brace and arm.hand not in seiko.stance.effectors:
                self._rested[arm.hand], pressed = 0.0, False
            commands[arm.hand] = self._command(arm.hand, pose, contacts, dt, pressed=pressed and ends.arrived)
        return commands

    def _command(self, effector: int, pose: np.ndarray, contacts: Contacts, dt: float, *, pressed: bool) -> EffectorCommand:
        """Return a command; a button is pressed once, and only while nothing else is under way."""
        waiting = self._wait[effector] = max(0.0, self._wait.get(effector, 0.0) - dt)
        # What a stop has left half-way is brought to its end first.
        halfway = contacts.suspended and contacts.switch is not None and contacts.switch.effector == effector
        free = contacts.switch is None and not contacts.is_moving(effector)
        pressed = waiting == 0.0 and (halfway or (pressed and free))
        if pressed:
            self._wait[effector] = RETRY
        return EffectorCommand(desired_pose=pose, engaged=True, pressed=pressed, push=0.0)

    def _wants_foot(self, effector: int, foot: int, ends: Ends, seiko: Seiko, contacts: Contacts) -> bool:
        """Return whether a foot is to be lifted, which the other one must be able to do without, or put down."""
        in_contact = effector in seiko.stance.effectors
        if not ends.lifted[foot]:
            return not in_contact and not contacts.busy
        other = self._mapping.feet[1 - foot] in seiko.stance.effectors
        return in_contact and other and abs(ends.along - (1 - foot)) < OVER_FOOT

    def _wants_hand(
        self, hand: int, pose: np.ndarray, seiko: Seiko, contacts: Contacts, surfaces: tuple[Surface, ...], dt: float
    ) -> bool:
        """Return whether a hand has rested on a surface for long enough, or leaves the one that it braces on."""
        if hand in seiko.stance.effectors:
            self._rested[hand] = 0.0
            self._braced.add(hand)
            off = pose[:3, 3] - seiko.terms.poses[hand, :3, 3]
            return float(off @ seiko.terms.normals[hand]) > LEAVING
        if hand in self._braced:
            self._braced.discard(hand)
            self._must_leave.add(hand)
        slow = self._speeds[hand] < MAX_SPEED
        if not slow and hand not in self._must_leave:
            self._rested[hand], self._since_search[hand] = 0.0, math.inf
            return False
        self._since_search[hand] = self._since_search.get(hand, math.inf) + dt
        if self._since_search[hand] >= SEARCH_PERIOD:
            self._since_search[hand] = 0.0
            self._rests[hand] = self._find_rest(hand, pose, seiko, contacts, surfaces)
        rests = self._rests[hand] and slow and hand not in self._must_leave
        self._rested[hand] = self._rested.get(hand, 0.0) + dt if rests else 0.0
        return self._rested[hand] >= DWELL

    def _find_rest(self, hand: int, pose: np.ndarray, seiko: Seiko, contacts: Contacts, surfaces: tuple[Surface, ...]) -> bool:
        """Return whether a hand is where it could brace, and note whether it has left the surface that it braced on."""
        # Who leans on something puts the hand where it would be beyond the surface: there the robot's counts.
        touching = contacts.states[hand] is ContactState.TOUCHING
        considered = seiko.kinematics.poses[hand] if touching else pose
        approach = contacts.find_approach(hand, considered, surfaces)
        if approach is None or approach.distance > LEAVING:
            self._must_leave.discard(hand)
        return approach is not None and approach.distance < TOUCHING and not approach.obstacle

    def _measure_speed(self, hand: int, position: np.ndarray, dt: float) -> None:
        before = self._positions.get(hand, position)
        speed = float(np.linalg.norm(position - before)) / dt
        part = dt / (_SPEED_FILTER + dt)
        self._speeds[hand] = self._speeds.get(hand, 0.0) + part * (speed - self._speeds.get(hand, 0.0))
        self._positions[hand] = position.copy()
