"""What the operator sees of stability: the region, the margin of the centre of mass, and what limits the nearest edge."""

from __future__ import annotations

import numpy as np

from handhold.retarget.bracing.balance import find_half_planes
from handhold.retarget.bracing.incremental_region import IncrementalRegion
from handhold.retarget.bracing.region_edge import Edge
from handhold.retarget.bracing.region_limits import find_limits
from handhold.retarget.bracing.robot_region import RobotRegion, make_reference_region
from handhold.retarget.bracing.seiko import Seiko
from handhold.retarget.bracing.support_region import NoRegion
from handhold.retarget.mode import StabilitySight
from handhold.robots.contact import Stance
from handhold.robots.model import RobotModel

PERIOD = 0.04
"""Time between two looks [s]: 25 in a second are enough for the eye and for the pulses of the hands."""


class StabilityLook:
    """Looks at the stability region of a SEIKO now and then.

    Attributes:
        sight: What was seen last; None where nothing would hold the robot up.
    """

    def __init__(self, model: RobotModel, seiko: Seiko) -> None:
        self._model = model
        self._seiko = seiko
        self._stance: Stance | None = None
        self._since = 0.0
        self.sight: StabilitySight | None = None
        self.look()

    def update(self, dt: float) -> None:
        """Let time pass [s], and look when it is time."""
        self._since += dt
        if self._since >= PERIOD:
            self.look()

    def look(self) -> None:
        """Look now."""
        self._since = 0.0
        balance, height = self._seiko.balance, self._seiko.ground_height
        if balance.edge is not None and balance.region is not None:
            # While a hand bears SEIKO follows its region anyway; it knows it as of where the last step began.
            self.sight = describe_region(balance.edge, balance.vertex_memory.positions, balance.region, height)
            return
        self.sight = self._look_itself(height)

    def _look_itself(self, height: float) -> StabilitySight | None:
        terms, kinematics = self._seiko.terms, self._seiko.kinematics
        if self._seiko.stance is not self._stance:
            self._stance = self._seiko.stance
            self._bearing = self._stance.contact_flags(len(self._model.effectors))
            self._region = make_reference_region(self._model, kinematics, self._bearing, terms.normals)
            self._follower = IncrementalRegion(self._region)
        self._region.points.least[:] = terms.least_forces[self._bearing]
        try:
            edge = self._follower.update(kinematics.position_com_in_world[:2], terms.poses)
        except NoRegion:
            return None
        return describe_region(edge, self._follower.memory.positions, self._region, height)


def look_once(model: RobotModel, seiko: Seiko) -> StabilitySight | None:
    """Look at the region of a SEIKO that will not be looked at again."""
    return StabilityLook(model, seiko).sight


def describe_region(edge: Edge, places: np.ndarray, region: RobotRegion, height: float) -> StabilitySight:
    """Describe a region by its vertices, with its nearest edge among them.

    Args:
        edge: The edge that is nearest to the centre of mass.
        places: Places that span the region, shape ``(k, 2)`` [m].
        region: The region.
        height: Of the ground that it is drawn on [m].
    """
    # Vertices in fixed directions may miss the ends of the edge that counts.
    known = np.vstack([places, edge.start.position, edge.end.position])
    normals, distances = np.zeros_like(known), np.zeros(len(known))
    vertices = find_half_planes(known, normals, distances)
    limits = find_limits(edge, region.points, region.torques, region.program.weight)
    return StabilitySight(
        vertices=vertices,
        height=height,
        margin=edge.margin,
        edge=int(np.argmax(normals[: len(vertices)] @ edge.normal)),
        limit=limits[0].name if limits else "",
    )
