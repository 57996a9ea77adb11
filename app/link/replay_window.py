"""Which numbers of a sender have come before."""

from __future__ import annotations

WINDOW = 64
"""How far behind the newest number one may come and still be told from one that came before [-]."""


class ReplayWindow:
    """Takes every number once, in any order, as IPsec does (RFC 4303, 3.4.3): a bit for each of the newest 64 numbers.

    Attributes:
        newest: Largest number taken; 0 before the first.
    """

    def __init__(self) -> None:
        self.newest = 0
        # bit i: whether the number ``newest - i`` has been taken
        self._taken = 0

    def take(self, number: int) -> bool:
        """Take a number, from 1 on; false where it came before, or is too old to know."""
        ahead = number - self.newest
        if number < 1 or ahead <= -WINDOW or (ahead <= 0 and self._taken >> -ahead & 1):
            return False
        if ahead > 0:
            # a number far ahead leaves nothing of the window
            self._taken = self._taken << min(ahead, WINDOW) & (1 << WINDOW) - 1
            self.newest = number
        self._taken |= 1 << max(-ahead, 0)
        return True
