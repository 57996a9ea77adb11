"""The stability region of other contacts than those in force, such as those with a hand in contact where it is."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from handhold.retarget.bracing.seiko.contact_terms import ContactTerms
from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.retarget.stability.region_edge import Edge, find_nearest_edge
from handhold.retarget.stability.robot_region import RobotRegion, make_reference_region
from handhold.retarget.stability.simplex import begin
from handhold.retarget.stability.support_region import QUERIES, VertexMemory, check, space_directions
from handhold.robots.model import RobotModel

_DIRECTIONS = space_directions()


class RegionSnapshot(NamedTuple):
    """A region of a reference that is not followed any further.

    Attributes:
        region: Its program.
        memory: Its vertices in equally spaced directions.
        edge: The edge that is nearest to the centre of mass, and the margin.
    """

    region: RobotRegion
    memory: VertexMemory
    edge: Edge


class PreviewRegion(NamedTuple):
    """A region with a hand that is not in contact yet.

    Attributes:
        region: Its program, of the contacts in force and the hand.
        memory: Its vertices in equally spaced directions.
        edge: The edge that is nearest to the centre of mass, and the margin.
        contact: Index of the hand among the region's contacts.
    """

    region: RobotRegion
    memory: VertexMemory
    edge: Edge
    contact: int


def compute_region_once(model: RobotModel, seiko: Seiko, terms: ContactTerms, in_contact: np.ndarray) -> RegionSnapshot:
    """Compute the region of a reference on contacts that need not be those in force.

    Args:
        model: Robot.
        seiko: The reference.
        terms: What is asked of each contact.
        in_contact: Which effectors are in contact, shape ``(effectors,)``, bool.

    Raises:
        NoRegion: Nothing would hold the robot up.
    """
    region = make_reference_region(model, seiko.kinematics, in_contact, terms.normals)
    region.points.min_forces[:] = terms.min_forces[in_contact]
    region.load_configuration(terms.poses)
    memory = region.program.make_memory(QUERIES)
    check(begin(region.program.simplex.state)[0])
    region.program.find_extremes(_DIRECTIONS, memory)
    return RegionSnapshot(
        region, memory, find_nearest_edge(region.program, memory, seiko.kinematics.position_com_in_world[:2])
    )


def compute_preview_region(model: RobotModel, seiko: Seiko, hand: int, normal: np.ndarray) -> PreviewRegion:
    """Compute the region with a hand in contact where it is.

    Args:
        model: Robot.
        seiko: The reference, with its contacts.
        hand: Index of the hand, which is not in contact yet.
        normal: Outward normal of the surface in world, unit, shape ``(3,)``.

    Raises:
        NoRegion: Nothing would hold the robot up.
    """
    terms, in_contact = seiko.terms.copy(), seiko.stance.contact_flags(len(model.effectors))
    terms.begin_contact(hand, seiko.kinematics.poses[hand], normal)
    in_contact[hand] = True
    found = compute_region_once(model, seiko, terms, in_contact)
    return PreviewRegion(*found, contact=int(np.count_nonzero(in_contact[:hand])))
