"""A held object that goes where it is commanded: what its retargeting is compared with."""

from __future__ import annotations

import numpy as np

from handhold.retarget.bracing.objects.held_object import HeldObject


class CommandedObject(HeldObject):
    """Neither its speed nor how far it is ahead is limited, and the grip stays that at which the palms closed.

    Nobody's push counts. It is for a SEIKO without limits of forces (``VELOCITY_IK``).
    """

    balances_push = False

    def tighten(self, _tangential: float, _dt: float) -> None:
        """Press as hard as ever."""

    def retarget(self, desired: np.ndarray, _dt: float) -> np.ndarray:
        """Return what is commanded, shape ``(4, 4)``."""
        return desired.copy()
