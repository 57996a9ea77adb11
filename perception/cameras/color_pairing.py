"""Depth images of a recording, each with the colour picture that was taken nearest to it in time.

Both come one by one, in the order in which they were recorded, nearly. A depth image is held back until a picture of the same
time or later is there: then none that comes is nearer.
"""

from __future__ import annotations

from collections import deque
from typing import Any

MAX_GAP = 100.0
"""Time between a depth image and a picture beyond which they do not belong together [ms]: three frames."""

MAX_HELD = 8
"""Images that are held back, of each kind: the library gives out 32 at a time."""


class ColorPairing:
    """Finds the picture of each depth image."""

    def __init__(self) -> None:
        self._depths: deque[Any] = deque()
        self._pictures: deque[Any] = deque(maxlen=MAX_HELD)

    def add_depth(self, frame: Any) -> None:
        """Take the next depth image."""
        self._depths.append(frame)

    def add_picture(self, frame: Any) -> None:
        """Take the next picture."""
        self._pictures.append(frame)

    def take(self, *, is_last: bool = False) -> tuple[Any, Any | None] | None:
        """Return the oldest depth image with its picture, or None as long as that is not decided.

        Args:
            is_last: Whether no further images come.
        """
        if not self._depths:
            return None
        moment = self._depths[0].get_timestamp()
        is_decided = bool(self._pictures) and self._pictures[-1].get_timestamp() >= moment
        if not (is_decided or is_last or len(self._depths) > MAX_HELD):
            return None
        depth = self._depths.popleft()
        nearest = min(self._pictures, key=lambda picture: abs(picture.get_timestamp() - moment), default=None)
        if nearest is None or abs(nearest.get_timestamp() - moment) > MAX_GAP:
            return depth, None
        while self._pictures[0] is not nearest:
            self._pictures.popleft()
        return depth, nearest
