"""Parameters of stability-aware retargeting, in one place, with units and sources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class StabilityParameters:
    r"""Thresholds, gains and caps of stability-aware retargeting.

    [McCrory2024]_ gives :math:`m^+`, :math:`s_q^+` and the distance of the preview; gains, rates and caps are our own.
    The margin that the reference never leaves, :math:`m_{min}`, is SEIKO's (``SeikoParameters.min_margin``).

    Attributes:
        ample_margin: Margin :math:`m^+` from which on the posture is the operator's [m].
        min_sensitivity: Postural sensitivity :math:`s_q^+` from which on the posture is retargeted [m^2/rad^2]. The paper
            has 0.01, because at low sensitivity its gradient, of one edge and without the change of gravity's torques, is
            poor; with all near edges and both terms it pays from 7 mm for half a radian on.
        near_edge: How much further away than the nearest edge another one may be to be considered [m].
        reach: How far a step of the posture may go for what it gains, r of ``margin_ascent`` [rad^2/m]: edges whose distances
            differ by less than r times the square of their gradients are raised together.
        preview_distance: How near a surface a hand must be for its contact to be previewed [m].
        posture_gain: Gain :math:`k_q` of eq. 15b [rad^2/(m s)].
        contact_gain: Gain :math:`k_c` of eq. 14 [1/s].
        contact_rule: What a hand near a surface is moved for: ``"margin"``, the predicted margin, or ``"area"``, eq. 14.
        lean: How far the centre of mass leans towards an upright surface in the postures whose margins are predicted [m].
        probe: Distance from a hand of the probes at which margins are predicted [m].
        min_slope: Slope of the predicted margin under which a hand stays where it is [-].
        min_edge_distance: Minimum distance of a hand that is moved from the edge of its surface [m].
        max_turn_rate: Fastest turn of a setpoint [rad/s], whatever the gradient.
        max_joint_rate: Fastest motion of the joints' setpoints, as the norm of all [rad/s].
        max_move_speed: Fastest move of a hand's contact or of the centre of mass's height [m/s].
        return_turn_rate: Rate at which a setpoint turns back to nominal (eq. 15a) [rad/s].
        return_move_rate: Rate at which a setpoint moves back [m/s].
        max_turn: How far pelvis and chest are turned at most [rad].
        max_joint_deviation: How far a joint's setpoint goes from nominal at most [rad].
        max_hand_turn: How far a bracing hand is turned at most [rad].
        max_rise: How far the height of the centre of mass is changed at most [m].
        max_displacement: How far a hand's contact is moved at most [m].
        settling: How long a clutch is open before a hand that was moved counts as where the operator has it [s].
        max_lag: How far a free hand is behind where it is asked to be when the posture yields to it altogether [m].
        yielding: Over which part of that distance it comes to yield [m].
        min_closing_speed: Speed at which a free hand that comes nearer to its target lacks nothing [m/s].
        tracking_time_constant: Time constant with which setpoints are taken along while the posture yields [s].
        lead: How far a setpoint may be ahead of what has come of it [rad]; of the height a tenth of that [m].
        fade: Time in which a preferred posture comes to count, and to count no more [s].
        near_limit: Distance of a joint from its limit within which it is not counted on to go further [rad].
        period: Time between two evaluations of gradients [s].
        prediction_period: Time between two steps of a prediction [s].
    """

    ample_margin: float = 0.15
    min_sensitivity: float = 2e-4
    near_edge: float = 0.04
    reach: float = 1.0
    preview_distance: float = 1.0
    posture_gain: float = 30.0
    contact_gain: float = 0.5
    contact_rule: Literal["margin", "area"] = "margin"
    lean: float = 0.06
    probe: float = 0.06
    min_slope: float = 0.015
    min_edge_distance: float = 0.08
    max_turn_rate: float = 0.3
    max_joint_rate: float = 0.5
    max_move_speed: float = 0.08
    return_turn_rate: float = 0.1
    return_move_rate: float = 0.03
    max_turn: float = 0.5
    max_joint_deviation: float = 0.8
    max_hand_turn: float = 0.8
    max_rise: float = 0.12
    max_displacement: float = 0.15
    settling: float = 0.3
    max_lag: float = 0.05
    yielding: float = 0.04
    min_closing_speed: float = 0.05
    tracking_time_constant: float = 0.3
    lead: float = 0.1
    fade: float = 0.5
    near_limit: float = 0.05
    period: float = 0.01
    prediction_period: float = 0.004
