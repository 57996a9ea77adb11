"""A surface as one hand could use it: where its ball may touch, as far as geometry tells."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property

import numpy as np

from handhold.perception.surface import Surface
from handhold.retarget.bracing.candidates.places import Place, list_places, push_inside
from handhold.retarget.bracing.contacts.surfaces import BEYOND, ROLL
from handhold.retarget.stability.contact_points import frame_about
from handhold.robots.description import Effector
from handhold.robots.polygon import compute_distance_inside

MAX_AGE = 1.0
"""Time since a surface was last seen after which no hand is sent there [s]: a person who walks has moved by a metre."""

MAX_DISTANCE = 1.0
"""How far from a hand a place is at most [m], as the preview of [McCrory2024]_ (VI-B)."""

EDGE_ALLOWANCE = 0.015
"""How far a hand touches from where it is sent at most [m]; so much further from an edge is it sent than it may roll."""

ROUNDING = 1e-9
"""How much nearer to an edge than it may be a place is at most, and how much nearer to the hand it is brought [m]."""

STRETCH = 0.12
"""How much further than its arm reaches a hand comes with the whole body's help [m]."""

PITCHES = (0.4, 0.2, 0.1, 0.05, 0.025, 0.0125)
"""Distances of places from each other, as parts of the radius of what an arm reaches of a surface: ever finer grids [-]."""

PLACES = 20
"""About how many places of a grid are looked at."""


def list_surfaces_before(surfaces: list[Surface], position: np.ndarray, shoulder: np.ndarray, length: float) -> list[Surface]:
    """List the surfaces whose planes are in front of hand and shoulder and within reach: few of dozens.

    Args:
        surfaces: All of them.
        position: Of the hand's ball, in world, shape ``(3,)`` [m].
        shoulder: In world, shape ``(3,)`` [m].
        length: Of the arm [m].
    """
    normals = np.array([surface.pose[:3, 2] for surface in surfaces]).reshape(-1, 3)
    offsets = np.array([surface.pose[:3, 2] @ surface.pose[:3, 3] for surface in surfaces])
    of_hand, of_shoulder = normals @ position - offsets, normals @ shoulder - offsets
    before = (of_hand > -BEYOND) & (of_hand < 2.0 * MAX_DISTANCE) & (of_shoulder > 0.0) & (of_shoulder < length + STRETCH)
    return [surfaces[k] for k in np.flatnonzero(before)]


class BraceSite:
    """A surface before a hand.

    Attributes:
        hand: Index of the hand among the effectors.
        surface: The surface.
        normal: Its outward normal in world, unit, shape ``(3,)``.
        inset: Distance that places keep from its boundary [m].
        middle: Where the shoulder is above it, in its own x and y, shape ``(2,)`` [m].
        radius: How far from there the arm reaches on it [m]; not positive where it does not.
    """

    def __init__(
        self, about: Effector, hand: int, surface: Surface, position: np.ndarray, shoulder: np.ndarray, length: float
    ) -> None:
        """Look at a surface from where hand and shoulder are.

        Args:
            about: The hand's description.
            hand: Its index among the effectors.
            surface: The surface.
            position: Of the hand's ball, in world, shape ``(3,)`` [m].
            shoulder: In world, shape ``(3,)`` [m].
            length: Of the arm [m].
        """
        self.hand, self.surface = hand, surface
        self.normal = np.ascontiguousarray(surface.pose[:3, 2])
        self._tangents, self._origin = np.ascontiguousarray(surface.pose[:3, :2]), surface.pose[:3, 3].copy()
        self.inset = ROLL * about.radius + EDGE_ALLOWANCE
        self._ball = about.radius
        self._boundary = np.ascontiguousarray(surface.boundary, dtype=np.float64)
        above, height = self._locate(shoulder)
        near, distance = self._locate(position)
        self.middle = above
        self._hand = np.append(near, max(0.0, distance - self._ball))
        # An arm does not reach through a surface, nor does a hand go round it.
        hidden = height < self._ball or distance < -BEYOND
        self.radius = -1.0 if hidden else math.sqrt(max(0.0, (length + STRETCH) ** 2 - (height - self._ball) ** 2))

    @cached_property
    def frame(self) -> np.ndarray:
        """Tangents and normal of the contact's cone as columns, in world, shape ``(3, 3)``."""
        return frame_about(self.normal)

    @property
    def is_worth_a_look(self) -> bool:
        """Whether the surface is sound, and in front of an arm that comes near it."""
        surface = self.surface
        sound = len(self._boundary) >= 3 and bool(np.isfinite(self._boundary).all() and np.isfinite(surface.pose).all())
        near = self.radius > 0.0 and self._hand[2] <= MAX_DISTANCE
        return sound and near and self._comes_near(self.middle, self.radius)

    def list_places(self, pitch: float) -> np.ndarray:
        """List places on a square grid within reach, in the surface's x and y, shape ``(m, 2)`` [m]."""
        places = list_places(self._boundary, self.inset, self.middle, self.radius, pitch)
        return np.asarray(places[np.hypot(*(places - self._hand[:2]).T) <= self._reach_of_hand])

    def list_grids(self) -> Iterator[tuple[float, np.ndarray]]:
        """Yield ever finer grids over all that is within reach: their pitch [m], and some places, shape ``(m, 2)`` [m]."""
        for part in PITCHES:
            places = self.list_places(part * self.radius)
            # Evenly thinned out, the order kept.
            yield part * self.radius, places[:: 1 + len(places) // (PLACES + 1)]

    def bring_within_reach(self, local: np.ndarray) -> np.ndarray:
        r"""Push a point off the boundary as far as one can and, where that is too far from the hand, towards it.

        :math:`h + \min(1, r / |p - h|) (p - h)` with the hand's place h on the surface. In a corner of boundary and reach the
        second undoes the first: ``allows`` tells.

        Args:
            local: Shape ``(2,)`` [m].
        """
        inside = push_inside(local, self._boundary, self.inset)
        displacement, reach = inside - self._hand[:2], self._reach_of_hand
        distance = math.hypot(*displacement)
        return np.asarray(inside if distance <= reach else self._hand[:2] + (reach - ROUNDING) / distance * displacement)

    def allows(self, local: np.ndarray) -> bool:
        """Whether a point, shape ``(2,)``, keeps clear of the boundary and is near enough to the hand."""
        near = math.dist(local, self._hand[:2]) <= self._reach_of_hand
        return near and compute_distance_inside(local[0], local[1], self._boundary) >= self.inset - ROUNDING

    def find_heading(self, slope: np.ndarray) -> np.ndarray:
        r"""Return the unit vector along the surface, shape ``(2,)``, in which a slope in world, shape ``(3,)``, is steepest.

        Its own x where there is none along it: :math:`(I - n n^T) \nabla` (eq. 14).
        """
        along = self.surface.pose[:3, :2].T @ slope
        length = math.hypot(*along)
        return np.asarray(along / length) if length > 0.0 else np.array([1.0, 0.0])

    def find_place(self, local: np.ndarray) -> Place:
        """Return where the ball is in world when it touches at a point, shape ``(2,)`` [m]."""
        return Place(position=self.find_point(local) + self._ball * self.normal, normal=self.normal)

    def find_point(self, local: np.ndarray) -> np.ndarray:
        """Return a point of the surface, shape ``(2,)``, in world, shape ``(3,)`` [m]."""
        return np.asarray(self._tangents @ local + self._origin)

    def _comes_near(self, local: np.ndarray, radius: float) -> bool:
        return compute_distance_inside(local[0], local[1], self._boundary) >= self.inset - radius

    @property
    def _reach_of_hand(self) -> float:
        return math.sqrt(max(0.0, MAX_DISTANCE**2 - self._hand[2] ** 2))

    def _locate(self, point: np.ndarray) -> tuple[np.ndarray, float]:
        """Return a point of world in the surface's x and y, shape ``(2,)``, and its height above it [m]."""
        local = self.surface.pose[:3, :3].T @ (point - self.surface.pose[:3, 3])
        return np.ascontiguousarray(local[:2]), float(local[2])
