"""What a station takes of the host's messages: authentic ones, in order, of the host's present run."""

from __future__ import annotations

from handhold.app.link.messages import Codec, Envelope, MessageError, PayloadT
from handhold.app.link.seal import Seal


class Inbox:
    """Opens the host's messages.

    A host that starts again is another run, and whatever comes of an earlier one was sent before.

    Attributes:
        refused: Messages refused so far.
    """

    def __init__(self) -> None:
        self.refused = 0
        self._run: int | None = None
        self._past: set[int] = set()
        self._newest: dict[str, int] = {}

    def open(self, topic: str, sealed: bytes, seal: Seal, codec: Codec[PayloadT]) -> Envelope | None:
        """Return the envelope of a message of a topic; None, and counted, where it is not to be taken."""
        envelope = self._unseal(sealed, seal, codec)
        if envelope is None or not self._is_new(topic, envelope):
            self.refused += 1
            return None
        return envelope

    def read(self, envelope: Envelope, codec: Codec[PayloadT]) -> PayloadT | None:
        """Return what an envelope holds; None, and counted, where that cannot be read."""
        try:
            return codec.decode_payload(envelope)
        except MessageError:
            self.refused += 1
            return None

    def _unseal(self, sealed: bytes, seal: Seal, codec: Codec[PayloadT]) -> Envelope | None:
        message = seal.open(sealed)
        try:
            return None if message is None else codec.unwrap(message)
        except MessageError:
            return None

    def _is_new(self, topic: str, envelope: Envelope) -> bool:
        run, sequence = envelope.stamp.run, envelope.stamp.sequence
        if run in self._past:
            return False
        if run != self._run:
            self._past |= set() if self._run is None else {self._run}
            self._run, self._newest = run, {}
        if sequence <= self._newest.get(topic, 0):
            return False
        self._newest[topic] = sequence
        return True
