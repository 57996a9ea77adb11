"""The contact switch that is carried out on a SEIKO: begun, held, gone on with, called off, finished; one at a time."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from handhold.retarget.bracing.contacts.switching import (
    abandon_switch,
    advance_switch,
    command_forces,
    finish_switch,
    hold_switch,
    restore_weights,
    start_adding,
    start_removing,
)
from handhold.retarget.bracing.seiko.contact_switch import ContactSwitch, SwitchKind, SwitchPhase, cancel_switch, suspend
from handhold.retarget.bracing.seiko.seiko import Seiko


class SwitchExecution:
    """Carries out contact switches.

    Attributes:
        switch: Switch under way, or None.
        suspended: Whether that switch was stopped half-way and goes on only when the operator says so.
    """

    def __init__(self, seiko: Seiko) -> None:
        """Begin without a switch."""
        self._seiko = seiko
        self.switch: ContactSwitch | None = None
        self.suspended = False

    @property
    def busy(self) -> bool:
        """Whether a switch goes on by itself."""
        return self.switch is not None and not self.suspended

    @property
    def effector(self) -> int | None:
        """The effector whose contact is switched."""
        return None if self.switch is None else self.switch.effector

    @property
    def unloading(self) -> int | None:
        """The effector that is unloaded: it may have lost contact before the reference has released it."""
        return self.switch.effector if self.switch is not None and self.switch.is_unloading else None

    @property
    def adding(self) -> int | None:
        """The effector whose contact is to be added, though it may be on its way back already."""
        return self.switch.effector if self.switch is not None and self.switch.kind is SwitchKind.ADD else None

    def start_adding(self, effector: int, normal: np.ndarray) -> None:
        """Begin to load an effector where it is, on a surface of an outward normal, unit, shape ``(3,)``."""
        self.switch = start_adding(self._seiko, effector, normal)

    def start_removing(self, effector: int) -> None:
        """Begin to unload an effector."""
        self.switch = start_removing(self._seiko, effector)

    def cancel_switch(self) -> None:
        """Turn the switch round."""
        if self.switch is not None:
            self.switch = cancel_switch(self.switch)

    def answer_button(self) -> None:
        """Go on with a switch that is suspended, or call off one that is not."""
        if not self.suspended:
            self.cancel_switch()
        self.suspended = False

    def update_suspension(self, *, hold: bool) -> None:
        """Stop a switch half-way in a hold; one that was on its way back is over, and leaves the robot where it is."""
        if self.switch is None or not (hold or self.suspended):
            self.suspended = False
            return
        self.suspended = True
        if not self.switch.over and suspend(self.switch).over:
            abandon_switch(self._seiko, self.switch)
            self.switch = None
            self.suspended = False

    def finish(self) -> None:
        """Before a step of SEIKO: end a switch that is over."""
        if self.switch is not None and self.switch.over:
            finish_switch(self._seiko, self.switch)
            self.switch = None

    def forget(self, effector: int) -> None:
        """Have no switch of an effector any more, whose contact was removed at once."""
        if self.effector == effector:
            self.switch = None

    def command_forces(self, forces: Mapping[int, float], dt: float) -> None:
        """Before a step of SEIKO: command normal forces by effector [N], and let what is not held go back to its own."""
        restore_weights(self._seiko, self.switch, dt)
        command_forces(self._seiko, forces, None if self.suspended else self.switch, dt)

    def advance(self, active: tuple[str, ...], dt: float) -> ContactSwitch | None:
        """After a step of SEIKO: move the switch on, and return it if it has just failed.

        Args:
            active: Names of the constraints that held the step back.
            dt: Length of the step [s].
        """
        before = self.switch
        if before is None:
            return None
        if self.suspended:
            self.switch = hold_switch(self._seiko, before, dt)
            return None
        self.switch = advance_switch(self._seiko, before, active, dt)
        failed = self.switch.phase is SwitchPhase.GOING_BACK and before.phase is SwitchPhase.UNDER_WAY
        return self.switch if failed else None
