"""What the cycle knows of the surroundings: the newest sighting, how old it is, and where on it hands could brace."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from handhold.app.host.drift import NO_DRIFT, find_drift, is_noticed, move_surfaces
from handhold.perception.brace_place import BracePlace
from handhold.perception.sighting import Sighting
from handhold.perception.surface import Surface
from handhold.retarget.bracing.candidates.proposal import Proposal

AGING_PERIOD = 0.5
"""How often surfaces grow older while no camera says anything new [s]: each time everything made of them is made anew."""

SILENT_AFTER = 1.5
"""Age of the newest image from which on the operator is told that the camera is silent [s]."""

PROPOSED_FOR = 5.0
"""Age of the posture that places were found for from which on they are not proposed any more [s]."""


class Surroundings:
    """Surfaces for the cycle: the same objects until there is something new.

    Attributes:
        surfaces: What is known now.
        has_camera: Whether a camera is to see more.
    """

    def __init__(self, surfaces: tuple[Surface, ...] = (), *, has_camera: bool = False) -> None:
        """Begin with what is known without a camera.

        Args:
            surfaces: What is known.
            has_camera: Whether a camera is to see more.
        """
        self.surfaces = self._seen = self._told = surfaces
        self._drift = NO_DRIFT
        self.has_camera = has_camera
        self._sighting: Sighting | None = None
        self._proposal: Proposal | None = None
        self._places: dict[int, tuple[BracePlace, ...]] = {}
        self._aged_at = -math.inf
        self._now = 0.0

    @property
    def message(self) -> str:
        """What the operator should know of the camera, in words; empty where all is well."""
        if not self.has_camera:
            return ""
        if self._sighting is None:
            return "camera: nothing seen yet"
        age = self._now - self._sighting.time
        if age > SILENT_AFTER:
            reason = self._sighting.message.removeprefix("camera: ")
            return f"camera: silent for {age:.0f} s; nothing new is known" + (f"; {reason}" if reason else "")
        return self._sighting.message

    def follow_drift(self, q: np.ndarray, true_q: np.ndarray) -> None:
        """Have what is known without a camera where a robot sees it from where it thinks it is.

        Args:
            q: Its configuration as it is thought to be, shape ``(nq,)``.
            true_q: As it is, likewise.
        """
        drift = find_drift(q, true_q)
        if self._told and is_noticed(drift, self._drift, q[:3]):
            self._drift = drift
            self._seen = move_surfaces(self._told, drift)
            self._put_places()

    def update(self, sighting: Sighting | None, now: float, proposal: Proposal | None = None) -> None:
        """Take what was said.

        Args:
            sighting: The newest of the camera; None, or the same again, where there is none that is new.
            now: Clock of the host [s].
            proposal: The newest of places to brace, likewise.
        """
        self._now = now
        seen, proposed = self._take_sighting(sighting), self._take_proposal(proposal)
        if seen or proposed:
            self._put_places()

    def _put_places(self) -> None:
        places = self._places
        self.surfaces = tuple(
            replace(surface, places=places[surface.identity]) if surface.identity in places else surface
            for surface in self._seen
        )

    def _take_sighting(self, sighting: Sighting | None) -> bool:
        """Take what the camera sees, or let it grow older; says whether anything has changed."""
        if sighting is not None and sighting is not self._sighting:
            self._sighting = sighting
        elif self._sighting is None or self._now - self._aged_at < AGING_PERIOD:
            return False
        self._aged_at = self._now
        elapsed = max(0.0, self._now - self._sighting.time)
        self._seen = tuple(replace(surface, age=surface.age + elapsed) for surface in self._sighting.surfaces)
        return True

    def _take_proposal(self, proposal: Proposal | None) -> bool:
        """Take places, or forget them once they are old; says whether anything has changed."""
        if proposal is not None and proposal is not self._proposal:
            self._proposal, self._places = proposal, {}
            for place in proposal.places:
                self._places[place.surface] = (*self._places.get(place.surface, ()), place)
            return True
        if self._places and self._proposal is not None and self._now - self._proposal.time > PROPOSED_FOR:
            self._places = {}
            return True
        return False
