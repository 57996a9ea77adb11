r"""What a force sensor measures where nothing is.

At first the mean of what is measured, :math:`o_{k+1} = o_k + \frac{\delta}{t_k + \delta} (f_k - o_k)`, then its drift is
followed slowly, :math:`o_{k+1} = o_k + \frac{\delta}{T + \delta} (f_k - o_k)`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class SensorOffset:
    """The offset of one effector's force sensor.

    Attributes:
        value: In the effector's frame, shape ``(3,)`` [N].
        learnt_for: Time for which it has been learnt at first, while nothing was in contact and nobody moved it [s].
    """

    value: np.ndarray = field(default_factory=lambda: np.zeros(3))
    learnt_for: float = 0.0

    def take(self, force: np.ndarray, dt: float) -> SensorOffset:
        """Return it with another force, shape ``(3,)`` [N], that was measured for ``dt`` [s], in the mean."""
        part = dt / (self.learnt_for + dt)
        return SensorOffset(value=self.value + part * (force - self.value), learnt_for=self.learnt_for + dt)

    def follow(self, error: np.ndarray, dt: float, time_constant: float) -> SensorOffset:
        """Return it a little nearer to what is measured, ``error`` from it, shape ``(3,)`` [N]; times in [s]."""
        return SensorOffset(value=self.value + dt / (time_constant + dt) * error, learnt_for=self.learnt_for)
