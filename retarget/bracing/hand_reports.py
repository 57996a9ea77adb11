"""Approach and support of the operator's hands, for viewers."""

from __future__ import annotations

import numpy as np

from handhold.perception.surface import Surface
from handhold.retarget.bracing.contacts.contacts import Contacts
from handhold.retarget.bracing.margin.margin_gains import MarginGains
from handhold.retarget.mode_report import HandReport

PERIOD = 1.0 / 60.0
"""Time between two reports [s]: viewers are updated as often."""


class HandReports:
    """Reports of the effectors that the operator's hands command, made now and then.

    Attributes:
        left: Of the effector that the left hand commands.
        right: Of the one that the right hand commands.
    """

    def __init__(self, contacts: Contacts, gains: MarginGains) -> None:
        """Take what is known of the contacts, and what each adds to the margin."""
        self._contacts, self._gains = contacts, gains
        self._since = PERIOD
        self.left = self.right = HandReport()

    def update(
        self, hands: tuple[int | None, int | None], poses: np.ndarray, surfaces: tuple[Surface, ...], dt: float
    ) -> None:
        """Let time pass [s], and report anew when it is time.

        Args:
            hands: Effectors that the left and the right hand command.
            poses: Measured poses of all effectors in world, shape ``(effectors, 4, 4)``.
            surfaces: What is known of the surroundings.
            dt: Time since the last call [s].
        """
        self._since += dt
        if self._since >= PERIOD:
            self._since = 0.0
            self.left, self.right = (self._report(hand, poses, surfaces) for hand in hands)

    def _report(self, effector: int | None, poses: np.ndarray, surfaces: tuple[Surface, ...]) -> HandReport:
        if effector is None:
            return HandReport()
        return HandReport(
            approach=self._contacts.find_approach(effector, poses[effector], surfaces),
            support=self._contacts.describe_support(effector, self._gains.get(effector)),
        )
