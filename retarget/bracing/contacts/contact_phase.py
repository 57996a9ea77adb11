"""Where an effector is on its way into a contact, and what that asks of the owner of the contacts."""

from __future__ import annotations

from enum import StrEnum


class ContactPhase(StrEnum):
    """Where an effector is on its way into a contact, and out of one that fails (see ``ContactMaking``)."""

    FREE = "free"
    APPROACHING = "approaching"
    TOUCHED = "touched"
    BLOCKED = "blocked"
    RETURNING = "returning"
    LOADED = "loaded"
    SLIPPING = "slipping"
    LOST = "lost"


class ContactDemand(StrEnum):
    """What the owner of the contacts is to do."""

    NONE = ""
    ADD = "add"
    UNLOAD = "unload"
    HOLD = "hold"
