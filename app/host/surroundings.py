"""What the cycle knows of the surroundings: the newest sighting, and how old it is."""

from __future__ import annotations

import math
from dataclasses import replace

from handhold.perception.sighting import Sighting
from handhold.perception.surface import Surface

AGING_PERIOD = 0.5
"""How often surfaces grow older while no camera says anything new [s]: each time everything made of them is made anew."""

SILENT_AFTER = 1.5
"""Age of the newest image from which on the operator is told that the camera is silent [s]."""


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
        self.surfaces = surfaces
        self.has_camera = has_camera
        self._sighting: Sighting | None = None
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
            return f"camera: silent for {age:.0f} s; nothing new is known"
        return self._sighting.message

    def update(self, sighting: Sighting | None, now: float) -> None:
        """Take what a camera said.

        Args:
            sighting: The newest; None, or the same again, where there is none that is new.
            now: Clock of the host [s].
        """
        self._now = now
        if sighting is not None and sighting is not self._sighting:
            self._sighting = sighting
        elif self._sighting is None or now - self._aged_at < AGING_PERIOD:
            return
        self._aged_at = now
        elapsed = max(0.0, now - self._sighting.time)
        self.surfaces = tuple(replace(surface, age=surface.age + elapsed) for surface in self._sighting.surfaces)
