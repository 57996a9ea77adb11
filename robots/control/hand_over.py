r"""A robot passes from who held its posture to who commands it, and back, without a jump.

With the laws of both, :math:`\tau_h = \hat\tau + k_h (\hat q - q) - d_h v` of who holds it where it was, with the torques that
it had, and :math:`\tau_c = \tau_{ff} + k_p (q_d - q) + k_d (v_d - v)` of who commands it, the motors do

.. math:: \tau = (1 - s) \tau_h + s \tau_c,

s going from 0 to 1 in a while, or back. That is a law of the same form, so that a drive runs it at its own rate.
"""

from __future__ import annotations

import numpy as np

from handhold.robots.control.holding import DAMPING_TIME
from handhold.robots.robot import JointCommand, RobotState

DURATION = 1.0
"""Time that it takes from one to the other [s]."""


class HandOver:
    """Who moves a robot, between nobody but its posture (0) and who commands it (1).

    Attributes:
        ratio: s, part of the command in what the motors do, 0 to 1 [-].
    """

    def __init__(self, state: RobotState, stiffness: np.ndarray) -> None:
        """Begin with a robot that is held where it is, with the torques that it has.

        Args:
            state: Its state.
            stiffness: Gains on position with which it is held, shape ``(n,)`` [Nm/rad].
        """
        self._stiffness = stiffness
        self._damping = DAMPING_TIME * self._stiffness
        self.ratio, self._rate = 0.0, 1.0 / DURATION
        self._hold(state)

    def _hold(self, state: RobotState) -> None:
        self._positions, self._torques = state.q[7:].copy(), state.joint_torques.copy()

    def begin_return(self, state: RobotState) -> None:
        """Begin to pass it back to who holds its posture, where it is now, with the torques that it has."""
        if self._rate > 0.0:
            # What is left of the hand-over to us is held as it was: to hold it elsewhere would be a jump.
            if self.ratio >= 1.0:
                self._hold(state)
            self._rate = -self._rate

    @property
    def returned(self) -> bool:
        """Whether it has been passed back: its posture is held, whatever is commanded."""
        return self._rate < 0.0 and self.ratio <= 0.0

    def blend(self, command: JointCommand, dt: float) -> JointCommand:
        """Return what the motors are to do in a period [s], of what is commanded and what holds the robot."""
        self.ratio = float(np.clip(self.ratio + self._rate * dt, 0.0, 1.0))
        if self.ratio >= 1.0:
            return command
        ours, held = self.ratio, 1.0 - self.ratio
        stiffness = ours * command.stiffness + held * self._stiffness
        damping = ours * command.damping + held * self._damping
        pulls = ours * command.stiffness * command.positions + held * self._stiffness * self._positions
        brakes = ours * command.damping * command.velocities
        return JointCommand(
            time=command.time,
            positions=pulls / stiffness,
            velocities=brakes / damping,
            torques=ours * command.torques + held * self._torques,
            stiffness=stiffness,
            damping=damping,
            gripper_closings=command.gripper_closings,
        )
