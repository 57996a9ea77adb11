"""What a camera's map says at one moment: how it comes to whoever needs surfaces."""

from __future__ import annotations

from dataclasses import dataclass

from handhold.perception.surface import Surface

MAX_SURFACES = 64
"""Surfaces of a sighting at most: the largest are told, the others counted."""

MAX_CORNERS = 128
"""Corners of a surface's boundary at most: one with more is left out, and counted."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Sighting:
    """All surfaces that are known.

    Attributes:
        time: When the newest image that it knows of was exposed, by the host's clock [s].
        camera: What sees, for people.
        surfaces: Their ages count to that time.
        left_out: Surfaces that were known and are not told: too many, or with too many corners.
        message: What the operator should know of the camera, in words; empty where all is well.
    """

    time: float
    camera: str
    surfaces: tuple[Surface, ...] = ()
    left_out: int = 0
    message: str = ""


def say_left_out(count: int) -> str:
    """Say that so many surfaces are known and not told; empty for none."""
    what = "a surface is" if count == 1 else f"{count} surfaces are"
    return f"camera: {what} left out: too many, or with too many corners" if count else ""


def choose_surfaces(surfaces: tuple[Surface, ...]) -> tuple[tuple[Surface, ...], int]:
    """Choose what is told of what is known: no more than fits; returns how many are left out, too."""
    simple = [surface for surface in surfaces if len(surface.boundary) <= MAX_CORNERS]
    largest = sorted(simple, key=lambda surface: -surface.area)[:MAX_SURFACES]
    chosen = tuple(sorted(largest, key=lambda surface: surface.identity))
    return chosen, len(surfaces) - len(chosen)
