"""What a headset's display can do with what is around the operator."""

from __future__ import annotations

from enum import Enum


class Display(Enum):
    """How a display puts what is drawn together with the real room."""

    OPAQUE = "opaque"
    """Only what is drawn is seen."""

    BLENDING = "blending"
    """Where nothing is drawn the real room can be seen, if that is wanted (alpha blending)."""

    ADDITIVE = "additive"
    """What is drawn is light added to the real room, which is always seen; black is nothing."""
