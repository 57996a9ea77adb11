r"""How stiffly a robot is held that nobody balances.

Its joints have a part of their largest torques. Standing it is a pendulum on its ankles besides,

.. math:: k_j \geq r \, \frac{m g h}{s}

for the joints of its s standing limbs, with h the height of its centre of mass: by m g h alone it would just not fall.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from handhold.robots.model import RobotModel

STIFFNESS, DAMPING_TIME = 6.0, 0.02
"""Gain on position, as a part of each joint's largest torque [1/rad], and that on velocity to it [s].

A G1 takes 216 Nm/rad in all. With 2 /rad (140 Nm/rad) it fell after 2 s, with 4 (280) it stood for half a minute."""

UPRIGHT = 1.8
"""r, by how much the ankles are stiffer than just enough [-].

An H1 of 54 kg takes 500 Nm/rad; with the 480 of its ankles' largest torques it fell 8 s after it had been handed back."""


def compute_holding_stiffness(model: RobotModel) -> np.ndarray:
    """Return the gains on position with which a robot is held, shape ``(n,)`` [Nm/rad]."""
    stiffness = STIFFNESS * model.motor_torques
    standing = [joint for effector, joint in zip(model.effectors, model.effector_joints, strict=True) if effector.standing]
    if standing:
        height = float(pin.centerOfMass(model.pinocchio, model.pinocchio.createData(), model.q_nominal)[2])
        # Without the world and the base.
        carrying = sorted({int(joint) - 2 for last in standing for joint in list(model.pinocchio.supports[last])[2:]})
        stiffness[carrying] = np.maximum(stiffness[carrying], UPRIGHT * model.weight * height / len(standing))
    return stiffness
