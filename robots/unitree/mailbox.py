"""One message in memory that two processes share: the newest counts, and a half-written one is none."""

from __future__ import annotations

import struct
import zlib
from mmap import mmap

_HEAD = struct.Struct("<QII")
"""Number of the message, its size, and a checksum of number and content."""


class Mailbox:
    """Where one process posts and another one looks; neither ever waits for the other.

    Two messages have room, and are written in turns, so that who reads has the time of a whole period for it. A checksum tells
    one that was written over meanwhile, on whatever processor.
    """

    def __init__(self, memory: mmap, offset: int, capacity: int) -> None:
        """Take a part of shared memory; zeros are an empty box.

        Args:
            memory: The memory.
            offset: Where the box begins [bytes].
            capacity: Largest size of a message [bytes].
        """
        self._memory, self._capacity = memory, capacity
        self._slots = (offset, offset + _HEAD.size + capacity)
        self._number = max(self._look(slot)[0] for slot in self._slots)
        self._taken = 0

    @staticmethod
    def size(capacity: int) -> int:
        """Return what a box for messages of some size needs [bytes]."""
        return 2 * (_HEAD.size + capacity)

    def post(self, message: bytes) -> None:
        """Post a message; the one of before is not there any more for who has not taken it."""
        assert len(message) <= self._capacity, "a message that its own sender made too long"
        self._number += 1
        slot = self._slots[self._number % 2]
        begin = slot + _HEAD.size
        self._memory[begin : begin + len(message)] = message
        head = _HEAD.pack(self._number, len(message), _sum(self._number, message))
        self._memory[slot : slot + _HEAD.size] = head

    def take(self) -> bytes | None:
        """Return the newest message, or None where it has been taken or none of both is whole."""
        for slot in sorted(self._slots, key=self._look, reverse=True):
            number, size, checksum = self._look(slot)
            if number <= self._taken or size > self._capacity:
                continue
            begin = slot + _HEAD.size
            message = self._memory[begin : begin + size]
            if _sum(number, message) == checksum:
                self._taken = number
                return message
        return None

    def _look(self, slot: int) -> tuple[int, int, int]:
        number, size, checksum = _HEAD.unpack_from(self._memory, slot)
        return number, size, checksum


def _sum(number: int, message: bytes) -> int:
    return zlib.crc32(message, number & 0xFFFFFFFF)
