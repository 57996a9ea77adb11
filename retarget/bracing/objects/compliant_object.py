"""A held object that gives way to who pushes it, on top of what the operator commands."""

from __future__ import annotations

import math

import numpy as np

from handhold.retarget.admittance import Admittance, AdmittanceParameters
from handhold.retarget.bracing.objects.object_push import DEAD_ZONE
from handhold.retarget.mode_report import Toggle

TOGGLE = "compliant-object"

PARAMETERS = AdmittanceParameters(dead_zone=DEAD_ZONE)
"""How an object gives way."""

DISPLACED, MOVES = 1e-3, 0.01
"""Displacement below which an object that nobody pushes counts as where it was commanded [m], and speed above which one that
gives way is told of [m/s]."""


class CompliantObject:
    """The admittance of what is held, and whether it is switched on; it is off at first.

    It gives way across the vertical only (see ``ObjectPush``).
    """

    def __init__(self) -> None:
        """Begin stiff."""
        self._on = self._pushed = False
        self._admittance: Admittance | None = None

    @property
    def toggle(self) -> Toggle:
        """Whether it gives way."""
        return Toggle(name=TOGGLE, title="Let people lead what is held", on=self._on)

    @property
    def displacement(self) -> np.ndarray | None:
        """How far it is from where it is commanded, in world, shape ``(3,)`` [m]; None where it is there."""
        return None if self._admittance is None else self._admittance.displacement

    @property
    def messages(self) -> tuple[str, ...]:
        """What the operator should know."""
        if self._admittance is None or float(self._admittance.velocity @ self._admittance.velocity) < MOVES**2:
            return ()
        return ("what is held is led",) if self._pushed else ("what is held goes back",)

    def turn_over(self) -> None:
        """Let it give way, or no more: then it goes back."""
        self._on = not self._on

    def forget(self) -> None:
        """Begin anew where it is."""
        self._admittance, self._pushed = None, False

    def lead(self, force: np.ndarray, lag: np.ndarray, dt: float, *, hold: bool) -> None:
        """Go on for a period.

        Args:
            force: With which it is pushed, in world, shape ``(3,)`` [N].
            lag: From where it has come to, to where it is commanded with the displacement, likewise [m].
            dt: Length of the period [s].
            hold: Whether everything holds: nothing is led any further, and nothing goes back.
        """
        self._pushed = self._on and math.hypot(force[0], force[1]) > DEAD_ZONE
        if self._admittance is None:
            if not self._pushed:
                return
            self._admittance = Admittance(PARAMETERS)
        if hold:
            self._admittance.stop()
            return
        self._admittance.update(force if self._on else np.zeros(3), lag, dt)
        ahead = self._admittance.displacement + PARAMETERS.response_time * self._admittance.velocity
        if not self._pushed and float(ahead @ ahead) < DISPLACED**2:
            self.forget()
