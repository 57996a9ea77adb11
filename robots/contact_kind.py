"""Kinds of contact."""

from __future__ import annotations

from enum import StrEnum


class ContactKind(StrEnum):
    """What an effector touches with, by the word in a robot's description."""

    PLANE = "plane"
    """A rectangle that carries a wrench."""

    POINT = "point"
    """A sphere that carries a force."""

    FIXED = "fixed"
    """Bolted down: it carries any wrench, and nothing makes it slip, tilt or come off."""
