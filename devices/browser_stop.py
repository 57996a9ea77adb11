"""The operator's stop on a page."""

from __future__ import annotations

from typing import Literal

import viser

RESUMING = 0.3
"""How long a resume is asked for [s]: once is enough, and it must not end a later stop."""
STOPPING = 1.0
"""How long a stop is asked for at least [s]: what is latched by then may still be the stop that somebody has just lifted."""
STOP_KEY: Literal["escape"] = "escape"
"""Not the space bar: that would also click the button that was clicked last."""


class StopControls:
    """Buttons that say what they ask for, for as long as they do; a stop hit twice is still a stop.

    A stop is asked for until it is latched. It is not asked for longer, or else nobody could ever resume a robot that a page
    has stopped that does not drive.
    """

    def __init__(self, server: viser.ViserServer) -> None:
        self._asked = ""
        self._latched = ""
        self._asked_at: float | None = None
        self._folder = server.gui.add_folder("Stop")
        with self._folder:
            hold = server.gui.add_button("STOP: hold (Esc)", color="red", hint="The robot holds where it is")
            self._resume_button = server.gui.add_button("Resume", color="gray", disabled=True, hint="Lift the stop")
            damp = server.gui.add_button("Damp the joints", color="gray", hint="The joints only brake: the robot sinks down")
        self._command = server.gui.add_command("Stop: hold", hotkey=STOP_KEY)
        hold.on_click(self._ask_hold)
        self._command.on_trigger(self._ask_hold)
        self._resume_button.on_click(self._ask_resume)
        damp.on_click(self._ask_damp)
        self.for_all = (hold, damp, self._command)
        """What pages that only watch may use too: everybody may stop, who drives resumes."""

    def tell(self, stop: str) -> None:
        """Take in the stop that is latched: ``""``, ``"hold"`` or ``"damp"``."""
        self._latched = stop
        disabled = stop != "hold"
        if self._resume_button.disabled != disabled:
            self._resume_button.disabled = disabled

    def read(self, now: float) -> str:
        """Return what is asked for at time ``now`` [s], as ``OperatorInput.stop``."""
        if self._asked and self._asked_at is None:
            self._asked_at = now
        if self._asked_at is not None and self._is_answered(now - self._asked_at):
            self._asked, self._asked_at = "", None
        return self._asked

    def drop(self) -> None:
        """Forget a resume that somebody asked for who drives no more; a stop stays."""
        if self._asked == "resume":
            self._asked = ""

    def _is_answered(self, elapsed: float) -> bool:
        if self._asked == "resume":
            return elapsed > RESUMING
        latched = {"hold": ("hold", "damp"), "damp": ("damp",)}.get(self._asked, ())
        return elapsed > STOPPING and self._latched in latched

    def remove(self) -> None:
        """Take the buttons off the page."""
        self._folder.remove()
        self._command.remove()

    async def _ask_hold(self, _event: object) -> None:
        if self._asked != "damp":
            self._ask("hold")

    async def _ask_resume(self, _event: object) -> None:
        if self._asked != "damp":
            self._ask("resume")

    async def _ask_damp(self, _event: object) -> None:
        self._ask("damp")

    def _ask(self, word: str) -> None:
        self._asked_at = None
        self._asked = word
