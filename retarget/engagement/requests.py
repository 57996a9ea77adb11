"""What the operator asks in words: screened here, because whatever comes over the link may be anything."""

from __future__ import annotations

MESSAGE_TIME = 3.0
"""Time for which a refusal is reported [s]."""

MAX_LETTERS = 40
"""More letters of a refused request are not repeated to the operator."""


class Requests:
    """Takes ``"mode:NAME"``, ``"preview:NAME"`` and ``"switch:NAME"``; the same words again ask nothing new.

    Attributes:
        refused: Requests refused so far.
        message: Why the last one was, in words, for a while; else empty.
    """

    def __init__(self) -> None:
        self.refused = 0
        self.message = ""
        self._last = ""
        self._message_age = 0.0

    def take(
        self, request: str, modes: tuple[str, ...], dt: float, *, toggles: tuple[str, ...] = ()
    ) -> tuple[str, str] | None:
        """Check the request of the newest sample.

        Args:
            request: The request, empty for none.
            modes: Names of the modes there are.
            dt: Time since the last check [s].
            toggles: Names of the toggles of the mode in charge.

        Returns:
            Kind (``"mode"``, ``"preview"`` or ``"switch"``) and name of a new, sound request; None where there is none.
        """
        self._message_age += dt
        if self._message_age >= MESSAGE_TIME:
            self.message = ""
        new, self._last = request != self._last, request
        if not new or not request:
            return None
        kind, _, name = request.partition(":")
        if name in {"mode": modes, "preview": modes, "switch": toggles}.get(kind, ()):
            return kind, name
        self._refuse(request)
        return None

    def _refuse(self, request: str) -> None:
        self.refused += 1
        self._message_age = 0.0
        words = "".join(letter if letter.isprintable() else "?" for letter in request[:MAX_LETTERS])
        self.message = f"refused: this robot has no '{words}'"
