"""How large a log may become."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLimits:
    """Sizes of a log's files and of the folder that they are in.

    Attributes:
        part_bytes: Size at which a file ends and the next one begins.
        max_parts: Files after which recording ends.
        cap_bytes: Size of all logs in the folder above which the oldest are removed, or None (see ``store``).
    """

    part_bytes: int = 1 << 30
    max_parts: int = 16
    cap_bytes: int | None = None


USUAL_LIMITS = LogLimits()
