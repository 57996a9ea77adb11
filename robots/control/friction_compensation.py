r"""Torques that joints need against their friction, of the motion that is desired.

.. math:: \tau_f = f_c \tanh(\dot q^{ref} / v_0) + f_v \dot q^{ref}

The desired velocity is smooth, and nought at rest: the sign of a measured one would change with its noise, and chatter.
"""

from __future__ import annotations

import numpy as np

from handhold.robots.model import RobotModel

SMALL_VELOCITY = 0.05
"""Desired velocity at which most of the Coulomb friction is compensated [rad/s]: slower, a joint may stand still."""


class FrictionCompensation:
    """Of one robot, as its description has its drives; nothing where that says nothing of friction."""

    def __init__(self, model: RobotModel) -> None:
        """Take the friction of a robot."""
        self._coulomb, self._viscous = model.friction, model.viscous_friction
        self._is_known = bool(self._coulomb.any() or self._viscous.any())

    def add(self, torques: np.ndarray, velocities: np.ndarray) -> np.ndarray:
        """Return torques with those against friction, shape ``(n,)`` [Nm]; the same ones where no friction is known.

        Args:
            torques: Of the controller, shape ``(n,)`` [Nm].
            velocities: That are desired, shape ``(n,)`` [rad/s].
        """
        if not self._is_known:
            return torques
        return np.asarray(torques + self._coulomb * np.tanh(velocities / SMALL_VELOCITY) + self._viscous * velocities)
