"""The stability region that a hand would make, were it to bear where it is."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from handhold.retarget.bracing.region_edge import Edge, find_nearest_edge
from handhold.retarget.bracing.robot_region import RobotRegion, make_reference_region
from handhold.retarget.bracing.seiko import Seiko
from handhold.retarget.bracing.simplex import begin
from handhold.retarget.bracing.support_region import QUERIES, VertexMemory, check, space_directions
from handhold.robots.model import RobotModel

_DIRECTIONS = space_directions()


class ComingRegion(NamedTuple):
    """A region with a hand that does not bear yet.

    Attributes:
        region: Its program, of the contacts in force and the hand.
        memory: Its vertices in equally spaced directions.
        edge: The edge that is nearest to the centre of mass, and the margin.
        contact: The hand's place among the region's contacts.
    """

    region: RobotRegion
    memory: VertexMemory
    edge: Edge
    contact: int


def compute_coming_region(model: RobotModel, seiko: Seiko, hand: int, normal: np.ndarray) -> ComingRegion:
    """Compute the region that a hand would make.

    Args:
        model: Robot.
        seiko: The reference, with its contacts.
        hand: Place of the hand, which does not bear yet.
        normal: Outward normal of the surface in world, unit, shape ``(3,)``.

    Raises:
        NoRegion: Nothing would hold the robot up.
    """
    terms, bearing = seiko.terms.copy(), seiko.stance.contact_flags(len(model.effectors))
    terms.begin_contact(hand, seiko.kinematics.poses[hand], normal)
    bearing[hand] = True
    region = make_reference_region(model, seiko.kinematics, bearing, terms.normals)
    region.points.least[:] = terms.least_forces[bearing]
    region.place(terms.poses)
    memory = region.program.make_memory(QUERIES)
    check(begin(region.program.simplex.state)[0])
    region.program.find_extremes(_DIRECTIONS, memory)
    edge = find_nearest_edge(region.program, memory, seiko.kinematics.position_com_in_world[:2])
    return ComingRegion(region, memory, edge, int(np.count_nonzero(bearing[:hand])))
