"""Free hands that give way to who pushes them, on top of what the operator commands."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from handhold.retarget.admittance import AdmittanceParameters
from handhold.retarget.bracing.compliance.balance_filter import NOISE_LEFT, fade_in, follow, smooth
from handhold.retarget.bracing.compliance.hand_moments import HandMoments
from handhold.retarget.bracing.contacts.contacts import Contacts
from handhold.retarget.bracing.contacts.touch import Touch
from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.retarget.mode_report import Toggle
from handhold.retarget.pose_admittance import PoseAdmittance
from handhold.robots.model import RobotModel

DEAD_ZONE = 3.0
"""Force on a hand that is no push, where nothing is less certain [N]."""

LED = AdmittanceParameters(dead_zone=0.0)
"""How its position gives way, to a force of which nothing within the dead zone is left."""

TURNING = AdmittanceParameters(
    damping=2.0, dead_zone=0.5, return_time=5.0, response_time=0.05, max_speed=1.0, max_displacement=0.6, max_lag=0.15
)
"""How its orientation gives way, in Nm and rad: by 1 Nm above the dead zone at 0.5 rad/s."""

DISPLACED, TURNED = 1e-3, 5e-3
"""Displacement [m] and turn [rad] below which a hand that nobody holds counts as where it was commanded."""

MOVES, TURNS = 0.01, 0.05
"""Speeds above which a hand that gives way is told of [m/s], [rad/s]."""

_PREFIX = "compliant-"
NO_TOUCH = Touch(force=np.zeros(3), noise=0.0, uncertainty=0.0)
"""Of a hand that is stiff."""


class CompliantHands:
    """The admittances of the operator's hands, and which of them are switched on, by the description or the operator.

    Only what is free gives way: a hand on its way to a surface keeps its displacement, and one that has come into contact
    counts as where it is, so that its clutch begins anew there.

    Attributes:
        absorbed: Hands whose displacement has become the operator's in the last step.
        offsets: Motions in world that took hands from where they are commanded, by effector, homogeneous, shape ``(4, 4)``.
    """

    def __init__(self, model: RobotModel) -> None:
        """Take the robot's hands, stiff or compliant as its description has them; ``begin`` comes first."""
        self._hands = {side: hand for side in ("left", "right") if (hand := model.effector_of_hand(side)) is not None}
        self._compliant = frozenset(hand for hand in self._hands.values() if model.effectors[hand].compliant)
        self._sensed = frozenset(hand for hand in self._hands.values() if model.effectors[hand].sensed)
        self._admittances: dict[int, PoseAdmittance] = {}
        self._moments = HandMoments(TURNING.dead_zone)
        self.offsets: dict[int, np.ndarray] = {}
        self.absorbed: frozenset[int] = frozenset()
        self._moving: frozenset[int] = frozenset()
        self._pushed: frozenset[int] = frozenset()
        self._smoothed: dict[int, np.ndarray] = {}
        # What of these the balance reckons with.
        self._balanced: dict[int, np.ndarray] = {}

    def begin(self, seiko: Seiko, contacts: Contacts) -> None:
        """Begin with hands where they are, of a reference and its contacts; which of them give way stays as it was."""
        self._seiko, self._contacts = seiko, contacts
        self._admittances, self.offsets = {}, {}
        self._moments = HandMoments(TURNING.dead_zone)
        self.absorbed = self._moving = self._pushed = frozenset()
        self._smoothed, self._balanced = {}, {}

    @property
    def toggles(self) -> tuple[Toggle, ...]:
        """Whether each hand gives way."""
        return tuple(
            Toggle(name=f"{_PREFIX}{side}", title=f"Let people lead my {side} hand", on=hand in self._compliant)
            for side, hand in self._hands.items()
        )

    @property
    def busy(self) -> bool:
        """Whether a hand gives way, or goes back."""
        return bool(self._admittances)

    def is_led(self, hand: int) -> bool:
        """Whether an effector gives way, or goes back."""
        return hand in self._admittances

    @property
    def messages(self) -> tuple[str, ...]:
        """What the operator should know."""
        moved = ((side, hand) for side, hand in self._hands.items() if hand in self._moving)
        return tuple(f"the {side} hand {'is led' if hand in self._pushed else 'goes back'}" for side, hand in moved)

    def turn_over(self, name: str) -> bool:
        """Turn a hand's toggle over; says whether there is one of this name."""
        hand = self._hands.get(name.removeprefix(_PREFIX)) if name.startswith(_PREFIX) else None
        if hand is not None:
            self._compliant ^= {hand}
        return hand is not None

    def measure_forces(self, dt: float) -> dict[int, np.ndarray]:
        """Measure what the balance is to reckon with: the forces on free hands that give way, in world, shape ``(3,)`` [N].

        Args:
            dt: Length of a period [s].
        """
        forces: dict[int, np.ndarray] = {}
        balanced = frozenset(self._seiko.external.pushed).intersection(self._hands.values())
        for hand in sorted(self._compliant.union(balanced)):
            begins = hand in self._compliant and not self._contacts.is_moving(hand)
            if hand in self._seiko.stance.effectors or not (begins or hand in balanced):
                continue
            force = self._measure_force(hand, dt)
            # A hand that is held on to does not lose its balance when it is made stiff, or sent to a surface.
            if begins or force.any():
                forces[hand] = force
        return forces

    def _measure_force(self, hand: int, dt: float) -> np.ndarray:
        touch = self._contacts.measure_touch(hand, dt)
        measured = fade_in(touch.force, max(DEAD_ZONE, touch.uncertainty))
        smoothed = smooth(self._smoothed.get(hand, NO_TOUCH.force), measured, dt)
        balanced = follow(self._balanced.get(hand, NO_TOUCH.force), smoothed, NOISE_LEFT * touch.noise)
        self._smoothed[hand], self._balanced[hand] = smoothed, balanced
        return balanced

    def measure_moments(self, wrenches: np.ndarray, poses: np.ndarray, dt: float) -> None:
        """Measure what turns the hands that give way and have a sensor: an estimate is too coarse.

        Args:
            wrenches: Exerted on the effectors, in their contact frames, shape ``(effectors, 6)`` [N, Nm].
            poses: Of these, in world, shape ``(effectors, 4, 4)``.
            dt: Length of a period [s].
        """
        for hand in self._compliant & self._sensed:
            if hand in self._seiko.stance.effectors or self._contacts.is_moving(hand):
                self._moments.forget(hand)
                continue
            touch = self._contacts.measure_touch(hand, dt)
            pushed = self._is_pushed(touch)
            self._moments.update(hand, wrenches[hand, 3:], poses[hand, :3, :3], dt, pushed=pushed)

    def _is_pushed(self, touch: Touch) -> bool:
        return float(touch.force.dot(touch.force)) > max(DEAD_ZONE, touch.uncertainty) ** 2

    def absorb_others(self, commanded: Iterable[int]) -> None:
        """Let hands that the operator does not command any more count as where they were led."""
        if not (self._admittances or self.absorbed):
            return
        left = self._admittances.keys() - set(commanded)
        for hand in left:
            self._forget(hand)
        self.absorbed = (self.absorbed & set(commanded)) | left
        self._moving -= left

    def move(self, hand: int, desired: np.ndarray, dt: float, *, hold: bool) -> np.ndarray:
        """Return the target pose of an effector for the pose that is commanded, shape ``(4, 4)`` both.

        Args:
            hand: Index of the effector.
            desired: Pose that is commanded.
            dt: Length of the step [s].
            hold: Whether everything holds: nothing is led any further, and nothing goes back.
        """
        if not (self._compliant or self._admittances or self.absorbed):
            return desired
        self.absorbed, self._moving, self._pushed = self.absorbed - {hand}, self._moving - {hand}, self._pushed - {hand}
        if hand in self._seiko.stance.effectors:
            if hand in self._admittances:
                self._forget(hand)
                self.absorbed |= {hand}
            return desired
        compliant = hand in self._compliant
        touch = self._contacts.measure_touch(hand, dt) if compliant else NO_TOUCH
        moment = self._moments.get(hand) if compliant else NO_TOUCH.force
        if self._is_pushed(touch) or float(moment.dot(moment)) > TURNING.dead_zone**2:
            self._pushed |= {hand}
        if hand not in self._admittances and hand not in self._pushed:
            return desired
        admittance = self._admittances.setdefault(hand, PoseAdmittance(LED, TURNING))
        moved = admittance.displace(desired)
        if hold or self._contacts.is_moving(hand):
            admittance.stop()
        else:
            force = fade_in(touch.force, max(DEAD_ZONE, touch.uncertainty))
            admittance.update(force, moment, (self._seiko.kinematics.poses[hand], moved), dt)
            self._note(hand, admittance)
        if hand in self._admittances:
            self.offsets[hand] = admittance.compute_offset(desired)
        return moved

    def _note(self, hand: int, admittance: PoseAdmittance) -> None:
        """Note whether a hand moves, and forget the displacement of one that has gone back and is not pushed."""
        linear, angular = admittance.linear, admittance.angular
        if float(linear.velocity.dot(linear.velocity)) > MOVES**2 or float(angular.velocity.dot(angular.velocity)) > TURNS**2:
            self._moving |= {hand}
        ahead = linear.displacement + LED.response_time * linear.velocity
        turned = angular.displacement + TURNING.response_time * angular.velocity
        is_back = float(ahead.dot(ahead)) < DISPLACED**2 and float(turned.dot(turned)) < TURNED**2
        if hand not in self._pushed and is_back:
            self._forget(hand)
            self._moving -= {hand}

    def _forget(self, hand: int) -> None:
        del self._admittances[hand]
        self.offsets.pop(hand, None)
