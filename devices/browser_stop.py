"""The operator's stop on a page."""

from __future__ import annotations

from typing import Literal

import viser

from handhold.devices.browser_controls import ClickButton

PRESS = 0.1
"""Both sticks clicked: hold, or, while held, resume [s]."""
PRESS_TO_DAMP = 1.2
"""Both sticks held down for 1 s: damp [s]."""
ANSWER = 1.0
"""Time the robot is given to say that it stopped [s]. The sticks' click that stops also resumes: a STOP hit twice must not."""
STOP_KEY: Literal["escape"] = "escape"
"""Not the space bar: that would also click the button that was clicked last."""


class StopControls:
    """Buttons that click both sticks, each only where the click means what the button says."""

    def __init__(self, server: viser.ViserServer) -> None:
        self._stop = ""
        self._hold = ClickButton(PRESS, pause=ANSWER)
        self._resume = ClickButton(PRESS, pause=ANSWER)
        self._damp = ClickButton(PRESS_TO_DAMP)
        self._folder = server.gui.add_folder("Stop")
        with self._folder:
            hold = server.gui.add_button("STOP: hold (Esc)", color="red", hint="The robot holds where it is")
            self._resume_button = server.gui.add_button("Resume", color="gray", disabled=True, hint="Lift the stop")
            damp = server.gui.add_button("Damp the joints", color="gray", hint="The joints only brake: the robot sinks down")
        self._command = server.gui.add_command("Stop: hold", hotkey=STOP_KEY)
        hold.on_click(self._click_hold)
        self._command.on_trigger(self._click_hold)
        self._resume_button.on_click(self._click_resume)
        damp.on_click(self._damp.click)

    def tell(self, stop: str) -> None:
        """Take in the stop that is latched: ``""``, ``"hold"`` or ``"damp"``."""
        if stop != self._stop:
            self._stop = stop
            self._resume_button.disabled = stop != "hold"

    def read(self, now: float) -> bool:
        """Return whether both sticks count as pressed at time ``now`` [s]."""
        return self._hold.read(now) | self._resume.read(now) | self._damp.read(now)

    def remove(self) -> None:
        """Take the buttons off the page."""
        self._folder.remove()
        self._command.remove()

    async def _click_hold(self, event: object) -> None:
        if not self._stop:
            await self._hold.click(event)

    async def _click_resume(self, event: object) -> None:
        if self._stop == "hold":
            await self._resume.click(event)
