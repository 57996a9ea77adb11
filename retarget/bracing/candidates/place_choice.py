"""Which of the places that are offered the operator has taken."""

from __future__ import annotations

import math
from collections.abc import Collection
from functools import lru_cache

import numpy as np

from handhold.perception.surface import Surface
from handhold.retarget.bracing.candidates.offers import Offer, list_offers
from handhold.retarget.bracing.candidates.places import Place
from handhold.retarget.mode_report import Candidate, StabilityRegion, Toggle
from handhold.retarget.stability.contact_points import frame_about
from handhold.robots.model import RobotModel

TOGGLE = "place"
"""Name of what the operator presses to take a place, the next one, or none."""

PATCH, CORNERS = 0.06, 16
"""Radius of what is drawn about a place [m], and its corners."""

_ALONG = 0.1
"""Part of a hand's axis that lies along a surface, from which on it tells how the hand lies there [-]."""

_ANGLES = 2.0 * math.pi * np.arange(CORNERS) / CORNERS
_CIRCLE = PATCH * np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=1)


class PlaceChoice:
    """Follows what is offered; the operator goes through it, best first, and past its end takes none.

    Attributes:
        offers: What may be taken now.
        taken: What was taken; None for nothing.
    """

    def __init__(self, model: RobotModel) -> None:
        """Offer nothing."""
        self._model = model
        self.offers: tuple[Offer, ...] = ()
        self.taken: Offer | None = None
        self._known: tuple[tuple[Surface, ...], frozenset[int]] = ((), frozenset())
        self._candidates: tuple[Candidate, ...] = ()

    def update(self, surfaces: tuple[Surface, ...], hands: Collection[int]) -> str:
        """Follow what is known, and say in words why what was taken is not any more; empty for nothing.

        Args:
            surfaces: What is known, with the places on it.
            hands: Hands that the operator commands and that are free.
        """
        known = (surfaces, frozenset(hands))
        if surfaces is self._known[0] and known[1] == self._known[1]:
            return ""
        self._known, lost = known, ""
        self.offers = list_offers(surfaces, hands)
        if self.taken is not None:
            lost = self._follow_taken(surfaces, hands)
        self._describe()
        return lost

    def _follow_taken(self, surfaces: tuple[Surface, ...], hands: Collection[int]) -> str:
        assert self.taken is not None
        before = self.taken
        # A ranking that comes out otherwise, as it does while the hand moves, neither moves nor takes back what was taken.
        self.taken = before.keep(surfaces, hands)
        forgotten = self.taken is None and any(hand in hands for hand in before.hands)
        return "the place to brace is not seen any more" if forgotten else ""

    def take_next(self) -> None:
        """Take the best place, the one after what was taken, or none after the last."""
        keys = [offer.key for offer in self.offers]
        number = keys.index(self.taken.key) + 1 if self.taken is not None and self.taken.key in keys else 0
        ended = number == len(keys) or (self.taken is not None and number == 0)
        self.taken = None if ended else self.offers[number]
        self._describe()

    def find_place(self, hand: int) -> Place | None:
        """Return where a hand is to brace; None where no place was taken for it."""
        return None if self.taken is None else self.taken.find_place(hand, self._model.effectors[hand].radius)

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """What is offered, for people."""
        return self._candidates

    @property
    def toggles(self) -> tuple[Toggle, ...]:
        """What the operator presses; nothing where there is nothing to take."""
        if not self.offers and self.taken is None:
            return ()
        return (_make_toggle(self._title, self.taken is not None),)

    def describe_region(self, height: float) -> StabilityRegion | None:
        """Return the region that the place taken would make, drawn at a height [m]; None where none or several were taken."""
        if self.taken is None or len(self.taken.places) != 1 or len(self.taken.places[0].region) < 3:
            return None
        place = self.taken.places[0]
        return StabilityRegion(vertices=place.region, height=height, margin=place.margin, edge=place.edge, limit=place.limit)

    def _describe(self) -> None:
        taken = () if self.taken is None else self.taken.key
        shown = [offer if self.taken is None or offer.key != taken else self.taken for offer in self.offers]
        if self.taken is not None and self.taken not in shown:
            shown.append(self.taken)
        spots = {offer.key[0]: offer for offer in shown if len(offer.places) == 1}
        if self.taken is not None:
            spots |= dict.fromkeys(taken, self.taken)
        self._candidates = tuple(self._describe_candidate(spot, offer) for spot, offer in spots.items())
        number = next((k for k, offer in enumerate(shown) if offer.key == taken), -1)
        what = f"{len(shown)} offered"
        if number >= 0:
            what = f"{number + 1} of {len(shown)}, {shown[number].describe(self._model)}"
        self._title = f"Place to brace ({what})"

    def _describe_candidate(self, spot: tuple[int, int], offer: Offer) -> Candidate:
        """Describe the place of an offer that is for a hand on a surface."""
        number = offer.key.index(spot)
        place, surface = offer.places[number], offer.surfaces[number]
        at = offer.find_place(place.hand, 0.0)
        assert at is not None
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = _lay_axes(at.normal, place.axis), at.position
        return Candidate(
            pose=pose,
            boundary=_CIRCLE,
            hand=str(self._model.effectors[place.hand].hand),
            gain=place.gain,
            chosen=offer is self.taken,
            age=surface.age,
        )


def _lay_axes(normal: np.ndarray, axis: np.ndarray) -> np.ndarray:
    """Return axes on a surface as columns, z its normal, x as an axis in world points along it, shape ``(3, 3)``."""
    along = axis - (normal @ axis) * normal
    length = math.sqrt(along @ along)
    if length < _ALONG:
        return frame_about(normal)
    return np.column_stack([along / length, np.cross(normal, along / length), normal])


@lru_cache(maxsize=64)
def _make_toggle(title: str, on: bool) -> Toggle:
    return Toggle(name=TOGGLE, title=title, on=on)
