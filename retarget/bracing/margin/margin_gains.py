r"""What each supporting hand adds to the stability margin: :math:`\Delta m_h = m(C) - m(C \setminus h)`.

The margins are those of the centre of mass where it is, of the regions with all contacts C and without the hand's. The second
one is computed for viewers only: whole, for one hand at a time, which costs 0.12 ms of Talos.
"""

from __future__ import annotations

import math

from handhold.retarget.bracing.margin.preview_region import compute_region_once
from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.retarget.stability.support_region import NoRegion
from handhold.robots.contact import Stance
from handhold.robots.model import RobotModel

PERIOD = 0.25
"""Time between two evaluations, each of one hand [s]: a number that is read changes no faster."""


class MarginGains:
    """Evaluates now and then what the hands of a SEIKO add to its margin, one after another."""

    def __init__(self, model: RobotModel, seiko: Seiko) -> None:
        self._model = model
        self._seiko = seiko
        self._stance: Stance | None = None
        self._hands: tuple[int, ...] = ()
        self._gains: dict[int, float] = {}
        self._turn = 0
        self._since = 0.0

    def get(self, effector: int) -> float:
        """Return what an effector adds to the margin [m]; not a number where that is not known."""
        return self._gains.get(effector, math.nan)

    def update(self, dt: float) -> None:
        """Advance the time [s], and evaluate when it is due: at once where contacts have changed."""
        self._since += dt
        if self._seiko.stance is not self._stance:
            self._stance = self._seiko.stance
            self._hands = tuple(e for e in self._stance.effectors if not self._model.effectors[e].is_foot)
            self._gains, self._since = {}, PERIOD
        if self._hands and self._since >= PERIOD:
            self._since = 0.0
            self._turn = (self._turn + 1) % len(self._hands)
            hand = self._hands[self._turn]
            self._gains[hand] = compute_margin_gain(self._model, self._seiko, hand)


def compute_margin_gain(model: RobotModel, seiko: Seiko, hand: int) -> float:
    """Compute what a supporting hand adds to the margin [m].

    Infinite where nothing would hold the robot up without it, not a number where nothing holds it with it.

    Args:
        model: Robot.
        seiko: The reference, with its contacts and its nearest edge as last stepped.
        hand: Index of the hand.
    """
    edge = seiko.balance.edge
    if edge is None:
        return math.nan
    in_contact = seiko.stance.contact_flags(len(model.effectors))
    in_contact[hand] = False
    if not in_contact.any():
        return math.inf
    try:
        without = compute_region_once(model, seiko, seiko.terms, in_contact)
    except NoRegion:
        return math.inf
    return edge.margin - without.edge.margin
