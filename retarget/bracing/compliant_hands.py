"""Free hands that give way to who pushes them, on top of what the operator commands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from handhold.retarget.admittance import Admittance, AdmittanceParameters
from handhold.retarget.bracing.contacts.contacts import Contacts
from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.retarget.mode_report import Toggle
from handhold.robots.model import RobotModel

DISPLACED = 1e-3
"""Displacement below which a hand that is not pushed counts as where it was commanded [m]."""

MOVES = 0.01
"""Speed above which a hand that gives way is told of [m/s]."""

_PREFIX = "compliant-"
_NOTHING = np.zeros(3)
_NOTHING.setflags(write=False)


class CompliantHands:
    """The admittances of the operator's hands, and which of them the operator has switched on.

    Only what is free gives way: a hand on its way to a surface keeps its displacement, and one that has come into contact
    counts as where the operator has it, so that its clutch begins anew there.

    Attributes:
        absorbed: Hands whose displacement has become the operator's in the last step.
    """

    def __init__(self, model: RobotModel, parameters: AdmittanceParameters | None = None) -> None:
        """Take the robot's hands, all of them stiff; ``begin`` comes first."""
        self._parameters = parameters or AdmittanceParameters()
        self._hands = {side: hand for side in ("left", "right") if (hand := model.effector_of_hand(side)) is not None}
        self._compliant: frozenset[int] = frozenset()
        self._admittances: dict[int, Admittance] = {}
        self.absorbed: frozenset[int] = frozenset()

    def begin(self, seiko: Seiko, contacts: Contacts) -> None:
        """Begin with hands where they are, of a reference and its contacts; which of them give way stays as it was."""
        self._seiko, self._contacts = seiko, contacts
        self._admittances, self.absorbed = {}, frozenset()

    @property
    def toggles(self) -> tuple[Toggle, ...]:
        """Whether each hand gives way."""
        return tuple(
            Toggle(name=f"{_PREFIX}{side}", title=f"Let people lead my {side} hand", on=hand in self._compliant)
            for side, hand in self._hands.items()
        )

    @property
    def displacements(self) -> Mapping[int, np.ndarray]:
        """How far hands are from where they are commanded, by effector, in world, shape ``(3,)`` [m]."""
        return {hand: admittance.displacement for hand, admittance in self._admittances.items()}

    @property
    def busy(self) -> bool:
        """Whether a hand gives way or goes back."""
        return bool(self._admittances)

    @property
    def messages(self) -> tuple[str, ...]:
        """What the operator should know."""
        led = [hand for hand, about in self._admittances.items() if float(about.velocity @ about.velocity) > MOVES**2]
        return tuple(f"the {side} hand is led" for side, hand in self._hands.items() if hand in led)

    def turn_over(self, name: str) -> bool:
        """Turn a hand's toggle over; says whether there is one of this name."""
        hand = self._hands.get(name.removeprefix(_PREFIX)) if name.startswith(_PREFIX) else None
        if hand is not None:
            self._compliant ^= {hand}
        return hand is not None

    def absorb_others(self, commanded: Iterable[int]) -> None:
        """Let hands that the operator does not command any more count as where they were led."""
        left = self._admittances.keys() - set(commanded)
        for hand in left:
            del self._admittances[hand]
        self.absorbed = (self.absorbed & set(commanded)) | left

    def move(self, hand: int, desired: np.ndarray, force: np.ndarray, dt: float, *, hold: bool) -> np.ndarray:
        """Return the target pose of an effector for the pose that is commanded, shape ``(4, 4)`` both.

        Args:
            hand: Index of the effector.
            desired: Pose that is commanded.
            force: What pushes it, in world, shape ``(3,)`` [N].
            dt: Length of the step [s].
            hold: Whether everything holds: nothing is led any further, and nothing goes back.
        """
        self.absorbed -= {hand}
        pushed = force if hand in self._compliant else _NOTHING
        admittance = self._find(hand, pushed)
        if admittance is None:
            return desired
        if hand in self._seiko.stance.effectors:
            del self._admittances[hand]
            self.absorbed |= {hand}
            return desired
        moved = desired.copy()
        moved[:3, 3] += admittance.displacement
        if not (hold or self._contacts.is_moving(hand)):
            admittance.update(pushed, moved[:3, 3] - self._seiko.kinematics.poses[hand, :3, 3], dt)
            self._end_at_rest(hand, pushed)
        return moved

    def _find(self, hand: int, force: np.ndarray) -> Admittance | None:
        """Return the admittance of a hand that is displaced, or pushed by more than the dead zone."""
        known = self._admittances.get(hand)
        if known is None and float(force @ force) > self._parameters.dead_zone**2:
            known = self._admittances[hand] = Admittance(self._parameters)
        return known

    def _end_at_rest(self, hand: int, force: np.ndarray) -> None:
        """Forget the displacement of a hand that has gone back and is not pushed."""
        about = self._admittances[hand]
        small = max(
            float(np.abs(about.displacement).max()), float(np.abs(about.velocity).max()) * self._parameters.response_time
        )
        if small < DISPLACED and float(force @ force) <= self._parameters.dead_zone**2:
            del self._admittances[hand]
