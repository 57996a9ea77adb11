"""The stability region for viewers: the region, the margin of the centre of mass, and what limits the nearest edge."""

from __future__ import annotations

import numpy as np

from handhold.retarget.bracing.seiko.balance import find_half_planes
from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.retarget.mode_report import StabilityRegion
from handhold.retarget.stability.incremental_region import IncrementalRegion
from handhold.retarget.stability.region_edge import Edge
from handhold.retarget.stability.region_limits import find_limits
from handhold.retarget.stability.robot_region import RobotRegion, make_reference_region
from handhold.retarget.stability.support_region import NoRegion
from handhold.robots.contact import Stance
from handhold.robots.limit_words import spell_limit
from handhold.robots.model import RobotModel

PERIOD = 0.04
"""Time between two regions [s]: 25 in a second are enough for the eye and for the pulses of the hands."""


class RegionMonitor:
    """Computes the stability region of a SEIKO now and then.

    Attributes:
        region: As it was computed last; None where nothing would hold the robot up, and where it is bolted down.
    """

    def __init__(self, model: RobotModel, seiko: Seiko) -> None:
        self._model = model
        self._seiko = seiko
        self._stance: Stance | None = None
        self._since = 0.0
        self.region: StabilityRegion | None = None
        self.compute()

    def update(self, dt: float) -> None:
        """Advance the time [s], and compute it anew when it is due."""
        self._since += dt
        if self._since >= PERIOD:
            self.compute()

    def compute(self) -> None:
        """Compute it now."""
        self._since = 0.0
        balance, height = self._seiko.balance, self._seiko.ground_height
        if balance.edge is not None and balance.region is not None:
            # While a hand is in contact SEIKO updates its region anyway, as of where the last step began.
            self.region = describe_region(self._model, balance.edge, balance.vertex_memory.positions, balance.region, height)
            return
        self.region = None if self._seiko.stance.fixed else self._compute_itself(height)

    def _compute_itself(self, height: float) -> StabilityRegion | None:
        terms, kinematics = self._seiko.terms, self._seiko.kinematics
        if self._seiko.stance is not self._stance:
            self._stance = self._seiko.stance
            self._in_contact = self._stance.contact_flags(len(self._model.effectors))
            self._robot_region = make_reference_region(self._model, kinematics, self._in_contact, terms.normals)
            self._follower = IncrementalRegion(self._robot_region)
        self._robot_region.points.min_forces[:] = terms.min_forces[self._in_contact]
        try:
            edge = self._follower.update(kinematics.position_com_in_world[:2], terms.poses)
        except NoRegion:
            return None
        return describe_region(self._model, edge, self._follower.memory.positions, self._robot_region, height)


def compute_region_once(model: RobotModel, seiko: Seiko) -> StabilityRegion | None:
    """Compute the region of a SEIKO that will not be asked again."""
    return RegionMonitor(model, seiko).region


def describe_region(
    model: RobotModel, edge: Edge, boundary_points: np.ndarray, region: RobotRegion, height: float
) -> StabilityRegion:
    """Describe a region by its vertices, with its nearest edge among them.

    Args:
        model: The robot, which says what its joints are called.
        edge: The edge that is nearest to the centre of mass.
        boundary_points: Points that span the region, shape ``(k, 2)`` [m].
        region: The region.
        height: Of the ground that it is drawn on [m].
    """
    # Vertices in fixed directions may miss the ends of the edge that counts.
    known = np.vstack([boundary_points, edge.start.position, edge.end.position])
    normals, distances = np.zeros_like(known), np.zeros(len(known))
    vertices = find_half_planes(known, normals, distances)
    limits = find_limits(edge, region.points, region.torques, region.program.weight)
    return StabilityRegion(
        vertices=vertices,
        height=height,
        margin=edge.margin,
        edge=int(np.argmax(normals[: len(vertices)] @ edge.normal)),
        limit=spell_limit(model, limits[0].name) if limits else "",
    )
