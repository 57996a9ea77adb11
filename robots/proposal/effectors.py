"""Feet and hands of a proposed description."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from handhold.robots.contact_kind import ContactKind
from handhold.robots.description import Effector, Offset
from handhold.robots.proposal.anatomy import Anatomy, Limb
from handhold.robots.proposal.errors import NotProposed
from handhold.robots.proposal.hands import FRICTION, HandContact, find_hand
from handhold.robots.proposal.soles import Sole, find_sole
from handhold.robots.proposal.source import Source

SIDES = ("left", "right")

FOOT_FRICTION = 0.6
MIN_FOOT_FORCE, MAX_FOOT_FORCE = 0.06, 1.75
MIN_HAND_FORCE, MAX_HAND_FORCE = 0.011, 0.2
"""Normal forces, as parts of the robot's weight [-]."""

MIN_HALF_WIDTH = 0.012
"""Half width below which what a leg ends in is no sole [m]."""


def find_soles(source: Source, anatomy: Anatomy) -> tuple[Sole, Sole]:
    """Find both soles in the neutral posture, the same rectangle for both.

    Raises:
        NotProposed: A foot has no shape, or none with a flat underside.
    """
    soles = []
    for leg in anatomy.legs:
        points = np.vstack([source.place_points(joint) for joint in (leg.joints[-1], *leg.beyond)])
        sole = find_sole(points)
        if sole is None or min(sole.half_lengths) < MIN_HALF_WIDTH:
            link = source.model.names[leg.joints[-1]]
            raise NotProposed(source.file.source, f"what '{link}' carries has no flat underside to stand on")
        soles.append(sole)
    return soles[0], soles[1]


def propose_feet(source: Source, anatomy: Anatomy, soles: tuple[Sole, Sole]) -> list[Effector]:
    """Propose an effector a foot."""
    weight = 9.81 * pin.computeTotalMass(source.model)
    half = tuple(round(float(min(sole.half_lengths[axis] for sole in soles)), 3) for axis in range(2))
    feet = []
    for side, leg, sole in zip(SIDES, anatomy.legs, soles, strict=True):
        frame, offset = _attach(source, leg, pin.SE3(np.eye(3), sole.centre))
        feet.append(
            Effector(
                name=f"{side}_foot",
                frame=frame,
                offset=offset,
                contact=ContactKind.PLANE,
                half_lengths=(half[0], half[1]),
                friction=FOOT_FRICTION,
                min_normal_force=_round_force(MIN_FOOT_FORCE * weight),
                max_normal_force=_round_force(MAX_FOOT_FORCE * weight),
                standing=True,
            )
        )
    return feet


def propose_hands(source: Source, anatomy: Anatomy) -> tuple[list[Effector], list[HandContact]]:
    """Propose an effector a hand, and return what was found of it."""
    weight = 9.81 * pin.computeTotalMass(source.model)
    hands, found = [], []
    for side, arm in zip(SIDES, anatomy.arms or (), strict=False):
        hand = find_hand(source, arm, weight)
        frame, offset = _attach(source, arm, source.poses[arm.joints[-1]] * hand.placement)
        found.append(hand)
        hands.append(
            Effector(
                name=f"{side}_hand",
                frame=frame,
                offset=offset,
                contact=ContactKind.POINT,
                radius=hand.radius,
                friction=FRICTION,
                min_normal_force=_round_force(MIN_HAND_FORCE * weight),
                max_normal_force=_round_force(MAX_HAND_FORCE * weight),
                hand="left" if side == "left" else "right",
            )
        )
    return hands, found


def _attach(source: Source, limb: Limb, contact: pin.SE3) -> tuple[str, Offset]:
    """Return the link at the end of a limb and a contact frame in it, given in the base's frame."""
    last = limb.joints[-1]
    link = source.find_link(last)
    offset = (source.poses[last] * link.placement).actInv(contact)
    translation, rpy = offset.translation, pin.rpy.matrixToRpy(offset.rotation)
    x, y, z = (round(float(value), 4) + 0.0 for value in translation)
    roll, pitch, yaw = (round(float(value), 6) + 0.0 for value in rpy)
    return link.name, Offset(translation=(x, y, z), rpy=(roll, pitch, yaw))


def _round_force(force: float) -> float:
    return round(force, 1) if force < 100.0 else float(round(force))
