"""Parameters of contact establishment, in one place, with units and reasons."""

from __future__ import annotations

from dataclasses import dataclass

from handhold.robots.contact_kind import ContactKind
from handhold.robots.model import RobotModel


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactMakingParameters:
    """Speeds, forces and times of the contact establishment of one effector.

    Attributes:
        touch_force: Normal force that counts as a touch [N].
        impact_force: Force, in any direction, that stops an effector which is not in contact [N].
        offer_force: Force with which the operator must press to be offered a contact [N].
        lost_force: Force under which a contact counts as lost [N].
        desired_force: Minimum normal force of the reference for a missing one to count [N].
        approach_speed: Speed of the target against the surface's normal, or along the contact frame's -z where none is known,
            or straight down [m/s].
        approach_distance: How far the target goes before nothing is there [m].
        approach_time: How long it goes on before nothing is within reach [s]; longer than the distance takes, because a
            reference that saturates makes the target wait.
        approach_lead: Farthest that the target is ahead of the reference [m].
        return_speed: Speed of the target on the way back after a missed touch [m/s].
        return_distance: How near its start the reference must be for the way back to be over [m].
        return_time: How long the way back may take [s].
        touch_time: How long it must last [s].
        light_touch_ratio: Ratio of the touch force from which on an approach that ended has touched too lightly [-].
        at_surface: Distance from a known surface within which it has, whatever its force [m].
        max_tilt: Largest angle between the contact frame's z and the normal of the known surface approached [rad].
        tare_distance: How far an approach must have gone before the force it has met by then counts no more [m]: it is taken
            for friction in the joints.
        tare_time: How long an effector that does not move is waited for before what it presses on counts as touched [s].
        back_off_distance: How far a stopped effector backs off along the force [m].
        offer_time: How long they must press [s].
        lost_time: How long it must miss, and how long it must be back [s].
        lift_off_distance: How far a contact without force is from where it was added, along the normal, before it counts as
            lost whatever the reference desires [m].
        slip_distance: Tangential distance from where the contact was added that counts as slipping [m].
        slip_rest: How long a foot that slipped must stay in place to count as loaded again [s].
        force_filter: Time constant of the low pass on the measured force [s]: an impulse p counts as the force p / filter, so
            that a tap of 0.1 Ns (5 kg at the approach's speed) counts as 10 N.
        noise_filter: Time constant with which the noise of the measured force is known [s].
        noise_ratio: How many standard deviations of the filtered force's noise a touch and an impact are above at least [-].
            Without it, at 2.5 (8 N with a sensor whose noise is 10 N), a hand counted as touching 3 cm before its wall.
        offset_time: How long at first the mean of what a free effector measures is taken for its sensor's offset [s].
        offset_filter: Time constant with which that offset is learnt afterwards, while the effector presses nothing [s].
        is_foot: Whether the robot stands on it: such a contact is not unloaded when it slips, the robot holds.
        straight_down: Whether it is approached straight down, whatever the orientation of its frame: a ball for a foot turns
            with the leg that carries it.
    """

    touch_force: float
    impact_force: float
    offer_force: float
    lost_force: float
    desired_force: float
    approach_speed: float = 0.02
    approach_distance: float = 0.15
    approach_time: float = 10.0
    approach_lead: float = 0.03
    return_speed: float = 0.05
    return_distance: float = 0.01
    return_time: float = 8.0
    touch_time: float = 0.02
    light_touch_ratio: float = 0.5
    at_surface: float = 0.01
    max_tilt: float = 0.7
    tare_distance: float = 0.003
    tare_time: float = 0.6
    back_off_distance: float = 0.005
    offer_time: float = 0.3
    lost_time: float = 0.1
    lift_off_distance: float = 0.01
    slip_distance: float = 0.015
    slip_rest: float = 0.5
    force_filter: float = 0.01
    noise_filter: float = 0.2
    noise_ratio: float = 5.0
    offset_time: float = 0.5
    offset_filter: float = 5.0
    is_foot: bool = False
    straight_down: bool = False


FOOT_TOUCH = 0.02
"""Force of a foot's touch, as a ratio of a foot's nominal load [-]: a light leg presses with less."""

HAND_TOUCH = 0.009
"""Force of a hand's touch, as a part of the robot's weight [-]: 8 N of Talos."""

LIGHT_TOUCH = 0.5
"""Force that was measured of a touch too light to count, as a ratio of the touch's [-].

Where the force is only estimated it is ``ESTIMATED`` times that, more than a touch: friction alone is no light touch.
"""

POINT_TILT = 0.7
"""Largest tilt of a hand's ball to its supporting surface [rad]: 40 degrees.

A ball bears whichever side touches, but at the touch its surface must still be the one that it faces (``FACING``, 45 degrees).
"""

PLANE_TILT = 0.35
"""Largest tilt of a sole [rad], 20 degrees: its toes touch 3 cm before its middle, and it must come to lie flat."""

HAND_OFFER = 0.0113
"""Force of a hand that presses on something, likewise [-]: 10 N of Talos."""

HAND_IMPACT = 0.0565
"""Force of a hand's impact, likewise [-]: 50 N of Talos."""

ESTIMATED = 2.7
"""How many times as large a hand's offer and impact are where its force is only estimated [-].

An estimate has the joints' friction in it: up to 19 N of a G1 whose joints have 2 Nm, which changes too slowly for noise.
"""

FOOT_APPROACH = 0.01
"""Speed of a foot that is lowered until it touches [m/s]: its sole comes down on an edge, and turns flat at once."""

FOOT_IMPACT = 0.1
"""Force of a foot's impact, likewise [-]."""

LOST = 0.00226
"""Force under which a contact counts as lost, likewise [-]: 2 N of Talos."""

DESIRED = 0.0226
"""Minimum force of the reference for a missing one to count, likewise [-]: 20 N of Talos."""


def choose_contact_making(model: RobotModel, effector: int) -> ContactMakingParameters:
    """Return the parameters of an effector, whose forces are parts of the robot's weight: a light robot presses with less."""
    about, weight = model.effectors[effector], model.weight
    certain = 1.0 if about.sensed else ESTIMATED
    tilt = POINT_TILT if about.contact is ContactKind.POINT else PLANE_TILT
    if not about.is_foot:
        return ContactMakingParameters(
            touch_force=HAND_TOUCH * weight,
            offer_force=certain * HAND_OFFER * weight,
            impact_force=certain * HAND_IMPACT * weight,
            lost_force=LOST * weight,
            desired_force=DESIRED * weight,
            light_touch_ratio=certain * LIGHT_TOUCH,
            max_tilt=tilt,
        )
    touch = FOOT_TOUCH * weight / sum(other.is_foot for other in model.effectors)
    return ContactMakingParameters(
        touch_force=touch,
        offer_force=touch,
        impact_force=FOOT_IMPACT * weight,
        lost_force=LOST * weight,
        desired_force=DESIRED * weight,
        approach_speed=FOOT_APPROACH,
        approach_time=20.0,
        light_touch_ratio=certain * LIGHT_TOUCH,
        max_tilt=tilt,
        is_foot=True,
        straight_down=about.contact is ContactKind.POINT,
    )
