"""How far a reference is ahead of the robot while it is new in charge."""

from __future__ import annotations

import numpy as np

from handhold.retarget.blend import fade, find_duration


class EntryLead:
    r"""The way that the robot still has to go to a reference which is blended in (``retarget/blend.py``).

    A mode begins at the nearest equilibrium, which may be radians from where the robot stands: the robot is led there in a
    second or two. Meanwhile whoever compares the reference with what is measured has to add what is left of the way,

    .. math:: d(t) = b(t) \, (x_{new}(0) - x_{measured}(0)),

    or would take it for a push.

    Attributes:
        joints: What is left of it, shape ``(n,)`` [rad].
        com: The same of the centre of mass, shape ``(3,)`` [m].
    """

    def __init__(self, joints: np.ndarray, com: np.ndarray) -> None:
        """Begin with how far the reference's joints [rad] and centre of mass [m] are ahead of the measured ones."""
        self._first = self.joints, self.com = joints, com
        self._duration = find_duration(float(np.abs(joints).max(initial=0.0)))
        self._elapsed = 0.0

    def advance(self, dt: float) -> None:
        """Go on by ``dt`` [s]."""
        if self._elapsed < self._duration:
            self._elapsed += dt
            ratio = fade(self._elapsed, self._duration)[0]
            self.joints, self.com = (ratio * each for each in self._first)
