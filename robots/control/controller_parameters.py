"""Weights and gains of the whole-body controller."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ControllerParameters:
    """Weights and gains of the controller; what each does is on the tuning page.

    Attributes:
        com: Weight of the centre of mass.
        com_stiffness: Gain on the height of the centre of mass [1/s^2].
        dcm_gain: Gain of the divergent component of motion [1/s].
        dcm_integral: Gain of its integral [1/s]; under a quarter of ``dcm_gain`` squared over the pendulum's frequency.
        hand_position: Weight of free effectors' positions.
        hand_orientation: Weight of free effectors' orientations.
        hand_stiffness: Gain of free effectors [1/s^2].
        swing_position: Weight of the positions of feet that swing.
        swing_orientation: Weight of their orientations.
        swing_stiffness: Their gain [1/s^2].
        trunk: Weight of the orientations of base and trunk.
        trunk_stiffness: Their gain [1/s^2].
        posture: Weight of the posture.
        posture_stiffness: Its gain [1/s^2].
        force: Weight of the force, in units of 100 N, of a contact with the mean load; more the less it is loaded.
        moment: Weight of its moment, in units of 100 Nm, likewise.
        regularisation: Weight of all accelerations.
        contact_damping: Rate at which the velocity of a contact is to die out [1/s].
        limit_horizon: How far ahead a joint must stay inside its limits [s].
        limit_recovery: Largest acceleration with which a joint that is past its limit is brought back [rad/s^2].
    """

    com: float = 1000.0
    com_stiffness: float = 60.0
    dcm_gain: float = 3.0
    dcm_integral: float = 0.5
    hand_position: float = 30.0
    hand_orientation: float = 3.0
    hand_stiffness: float = 150.0
    swing_position: float = 300.0
    swing_orientation: float = 30.0
    swing_stiffness: float = 300.0
    trunk: float = 10.0
    trunk_stiffness: float = 100.0
    posture: float = 0.3
    posture_stiffness: float = 60.0
    force: float = 1e-2
    moment: float = 1e-1
    regularisation: float = 1e-4
    contact_damping: float = 20.0
    limit_horizon: float = 0.03
    limit_recovery: float = 20.0
