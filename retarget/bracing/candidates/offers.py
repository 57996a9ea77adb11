"""What is offered to the operator of the places that were found: one for a hand, or one for each hand."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np

from handhold.perception.brace_place import BracePlace
from handhold.perception.surface import Surface
from handhold.retarget.bracing.candidates.brace_site import MAX_AGE
from handhold.retarget.bracing.candidates.places import Place
from handhold.robots.model import RobotModel

MIN_GAIN = -0.001
"""What a brace adds to the margin at least to be offered [m]: one that adds nothing here may be what the operator leans on."""


MAX_TAKEN_AGE = 5.0
"""Time since a surface was last seen after which a place taken on it is given up [s]: the hand on its way hides it."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Offer:
    """A place for a hand, or one for each of two hands.

    Attributes:
        places: One for each hand.
        surfaces: The surfaces they are on.
        gain: What a brace there adds to the margin, of all hands together [m].
    """

    places: tuple[BracePlace, ...]
    surfaces: tuple[Surface, ...]
    gain: float

    @property
    def key(self) -> tuple[tuple[int, int], ...]:
        """Hands and surfaces: the same ones are the same offer, though a place on them has moved."""
        return tuple((place.hand, place.surface) for place in self.places)

    @property
    def hands(self) -> tuple[int, ...]:
        """The hands, as indices among the effectors."""
        return tuple(place.hand for place in self.places)

    def find_place(self, hand: int, radius: float) -> Place | None:
        """Return where the middle of a hand's ball is to be, on the surface as it is known now; None if it is for others.

        Args:
            hand: Index of the hand.
            radius: Radius of its ball [m].
        """
        for place, surface in zip(self.places, self.surfaces, strict=True):
            if place.hand == hand:
                normal = surface.pose[:3, 2]
                above = float(normal @ (place.point - surface.pose[:3, 3]))
                return Place(position=place.point + (radius - above) * normal, normal=normal)
        return None

    def keep(self, known: Iterable[Surface], hands: Collection[int]) -> Offer | None:
        """Return what is left of it with the surfaces that are known and the hands that are free now; None for nothing."""
        fresh = {surface.identity: surface for surface in known if surface.age <= MAX_TAKEN_AGE}
        left = tuple(place for place in self.places if place.hand in hands and place.surface in fresh)
        if not left:
            return None
        gain = self.gain if len(left) == len(self.places) else left[0].gain
        return Offer(places=left, surfaces=tuple(fresh[place.surface] for place in left), gain=gain)

    def describe(self, model: RobotModel) -> str:
        """Say which hand goes where and what it is worth."""
        sides = " and ".join(str(model.effectors[hand].hand) for hand in self.hands)
        return f"{sides} hand{'s' if len(self.hands) > 1 else ''} {100.0 * self.gain:+.1f} cm"


def list_offers(surfaces: Iterable[Surface], hands: Collection[int]) -> tuple[Offer, ...]:
    """List what may be offered now, the most useful first.

    Args:
        surfaces: What is known, with the places on it.
        hands: Indices of the hands that the operator commands and that are free.
    """
    # The parts of a surface that are apart have one number, and each has the places on all of them.
    best: dict[tuple[int, int], tuple[BracePlace, Surface]] = {}
    for surface in surfaces:
        if surface.age > MAX_AGE or not np.isfinite(surface.pose).all():
            continue
        for place in surface.places:
            key = place.hand, place.surface
            if place.hand in hands and (key not in best or place.gain > best[key][0].gain):
                best[key] = place, surface
    found = list(best.values())
    offers = [Offer(places=(place,), surfaces=(surface,), gain=place.gain) for place, surface in found]
    paired = [each for each in found if not math.isnan(each[0].pair_gain)]
    if len({place.hand for place, _ in paired}) == len(paired) == 2:
        places, on = zip(*paired, strict=True)
        offers.append(Offer(places=places, surfaces=on, gain=places[0].pair_gain))
    worth = [offer for offer in offers if offer.gain >= MIN_GAIN]
    return tuple(sorted(worth, key=lambda offer: -offer.gain))
