"""Every ordered pair of modes, one after the other: which changes were made, and which one is next."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

Pair = tuple[str, str]
"""Names of the mode that is left and of the one that takes charge."""


class ModePairs:
    """The pairs that are still to be changed between.

    Each mode is left as often as it is taken, so that one walk leads along all pairs. It is found by going where most is left
    to do; where that or a remedy has led another way, a change is made twice.

    Attributes:
        made: Pairs between which was changed as was asked for.
    """

    def __init__(self, modes: Sequence[str], random: np.random.Generator) -> None:
        """Begin with all ordered pairs of modes; ``random`` chooses between equals."""
        self._open = {(before, after) for before in modes for after in modes if before != after}
        self._modes, self._random = tuple(modes), random
        self.made: tuple[Pair, ...] = ()

    @property
    def all_tried(self) -> bool:
        """Whether no pair is left."""
        return not self._open

    def any_open(self, mode: str) -> bool:
        """Whether a change from a mode is left."""
        return any(before == mode for before, _ in self._open)

    def count_open(self) -> int:
        """Count the pairs that are left."""
        return len(self._open)

    def choose(self, mode: str) -> str:
        """Choose the mode that is asked for next in a mode: of a pair that is left, or where those are."""
        left = {other: sum(before == other for before, _ in self._open) for other in self._modes if other != mode}
        candidates = [other for other in left if (mode, other) in self._open] or list(left)
        most = max(left[other] for other in candidates)
        equals = [other for other in candidates if left[other] == most]
        return equals[int(self._random.integers(len(equals)))]

    def note_made(self, pair: Pair) -> None:
        """Note a change that was asked for and made."""
        if pair in self._open:
            self._open.discard(pair)
            self.made = (*self.made, pair)

    def give_up(self, pair: Pair) -> None:
        """Leave out a pair that was asked for in vain."""
        self._open.discard(pair)
