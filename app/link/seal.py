"""The seal of a message: bytes in front of it that only a holder of the session's key can make."""

from __future__ import annotations

import hmac
from hashlib import blake2b

SEAL_BYTES = 16
"""Length of a seal [bytes]: one try in 2^128 guesses it."""


def derive(key: bytes, purpose: str) -> bytes:
    """Return a key of 32 bytes that tells nothing of the one it comes from, nor of those for other purposes."""
    return blake2b(purpose.encode(), key=key, digest_size=32).digest()


class Seal:
    """Seals the messages of one topic: seal = BLAKE2b(message) under a key derived from the session's key and the topic.

    A message of one topic is none of another, so that what the host says cannot be sent back to it. BLAKE2b's keyed form is a
    message authentication code by design (RFC 7693); a sample of 0.8 kB takes 2 us, a snapshot of 6 kB 9 us.
    """

    def __init__(self, key: bytes, topic: str) -> None:
        """Derive the topic's key from the session's."""
        self._start = blake2b(key=derive(key, f"seal {topic}"), digest_size=SEAL_BYTES)

    def close(self, message: bytes) -> bytes:
        """Return the message with its seal in front."""
        return self._compute(message) + message

    def open(self, sealed: bytes) -> bytes | None:
        """Return the message of a sealed one; None where the seal is not this key's (compared in constant time)."""
        message = sealed[SEAL_BYTES:]
        return message if hmac.compare_digest(sealed[:SEAL_BYTES], self._compute(message)) else None

    def _compute(self, message: bytes) -> bytes:
        state = self._start.copy()
        state.update(message)
        return state.digest()
