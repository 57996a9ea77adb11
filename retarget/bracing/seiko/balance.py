r"""Where a moving reference must keep its divergent component of motion, so that it can always come to rest.

A robot that stands on its feet alone is balanced over their support polygon (on uneven ground: over what is seen of it from
above). As soon as a hand supports it as well, ZMP and centre of mass no longer lie above each other, and the stability region
(see ``support_region``) takes the polygon's place: a centre of mass inside it can rest there, by forces that contacts and
motors have. It is that of the reference's own limits, torques included, so that a reference in equilibrium is inside, and it
moves with the posture.

:math:`n^T \xi \leq b - m_{min}` (eq. 13): the region keeps the margin :math:`m_{min}`, the polygon that of its soles.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from handhold.retarget.bracing.seiko.contact_terms import ContactTerms
from handhold.retarget.bracing.seiko.parameters import SeikoParameters
from handhold.retarget.stability.incremental_region import IncrementalRegion
from handhold.retarget.stability.region_edge import Edge, order_hull
from handhold.retarget.stability.robot_region import make_reference_region
from handhold.retarget.stability.support_region import QUERIES, NoRegion, VertexMemory
from handhold.robots.contact import UNBOUNDED, Stance
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel
from handhold.robots.polygon import compute_half_planes, compute_support_polygon

MIN_EDGE_LENGTH = 1e-4
"""Length under which an edge of the region is none: its direction would be noise [m]."""


class Balance:
    r"""The half-planes :math:`n_k^T p \leq b_k` that hold the DCM of one stance.

    Attributes:
        region: The stability region that counts while hands are in contact; None on feet alone.
        edge: Its edge that is nearest to the centre of mass, as last updated; None on feet alone,
            and where nothing would hold the robot up.
        normals: Outward unit normals, shape ``(k, 2)``; zeros where there is nothing to keep.
        distances: b, the margin taken off, shape ``(k,)`` [m].
        zmp_room: How far beyond them the ZMP may go [m].
        vertices: Where the controller may put the ZMP, counter-clockwise in world, shape ``(j, 2)`` [m].
    """

    def __init__(
        self,
        model: RobotModel,
        stance: Stance,
        kinematics: EffectorKinematics,
        terms: ContactTerms,
        parameters: SeikoParameters,
    ) -> None:
        """Begin with the polygon of the feet.

        Args:
            model: Robot.
            stance: Contacts.
            kinematics: Updated before every use.
            terms: Poses of the contacts, and their minimum forces.
            parameters: Of SEIKO.
        """
        self._kinematics = kinematics
        self._min_margin = parameters.min_margin
        self._in_contact = np.isin(np.arange(len(model.effectors)), stance.supporting)
        braced = len(stance.feet) < len(stance.supporting) and not stance.fixed
        self.region = make_reference_region(model, kinematics, self._in_contact, terms.normals) if braced else None
        self._incremental = None if self.region is None else IncrementalRegion(self.region)
        self.edge: Edge | None = None
        self._due = False
        about = model.description.margins
        self.vertices = compute_support_polygon(model, stance, terms.poses, about.controller)
        narrow = compute_support_polygon(model, stance, terms.poses, about.reference, parameters.dcm_scale)
        count = QUERIES if braced else len(narrow)
        self.normals, self.distances = np.zeros((count, 2)), np.full(count, UNBOUNDED)
        self.zmp_room = 0.5 * parameters.min_margin
        if not braced and len(narrow):
            self.normals, self.distances = compute_half_planes(narrow)
            self.distances -= 0.0 if stance.planes else parameters.dcm_inset
            self.zmp_room = _compute_zmp_room(model, stance, parameters)

    @property
    def braced(self) -> bool:
        """Whether hands are in contact, so that the region counts: not on a robot that is bolted down."""
        return self.region is not None

    @property
    def vertex_memory(self) -> VertexMemory:
        """The vertices of the region, as last updated; only while hands are in contact."""
        if self._incremental is None:
            raise AssertionError("no hand bears")
        return self._incremental.memory

    def update(self, terms: ContactTerms) -> None:
        """Follow the posture of the kinematics; where nothing would hold the robot up, what held before stays.

        Every second call only: in a step of 2 ms the region moves by less than 0.1 mm, and it takes as long as a solve.

        Args:
            terms: Poses of the contacts, and their minimum forces.
        """
        if self.region is None or self._incremental is None:
            return
        self._due = not self._due
        if not self._due and self.edge is not None:
            return
        self.region.points.min_forces[:] = terms.min_forces[self._in_contact]
        try:
            self.edge = self._incremental.update(self._kinematics.position_com_in_world[:2], terms.poses)
        except NoRegion:
            self.edge = None
            return
        self.vertices = find_half_planes(self._incremental.memory.positions, self.normals, self.distances)
        self.distances -= self._min_margin

    def compute_slack(self, dcm: np.ndarray) -> float:
        """Compute how far inside what holds it the DCM is, negative outside [m].

        Args:
            dcm: Divergent component of motion in world, shape ``(2,)`` [m].
        """
        return float((self.distances - self.normals @ dcm).min())


def _compute_zmp_room(model: RobotModel, stance: Stance, parameters: SeikoParameters) -> float:
    """Compute how far beyond what holds the DCM the ZMP may go [m]: to the edges of the reference's soles, or feet."""
    soles = [model.effectors[e].half_lengths for e in stance.effectors]
    inset = model.description.margins.reference
    half_widths = [min(half_lengths) - inset for half_lengths in soles if half_lengths is not None]
    return (1.0 - parameters.dcm_scale) * min(half_widths) if half_widths else parameters.dcm_inset


@njit(cache=True)
def find_half_planes(boundary_points: np.ndarray, normals: np.ndarray, distances: np.ndarray) -> np.ndarray:
    """Find the half-planes of the hull of points, zeros and no bound for rows that are left.

    Args:
        boundary_points: Shape ``(k, 2)`` [m].
        normals: Filled: outward unit normals, shape ``(k, 2)``.
        distances: Filled, shape ``(k,)`` [m].

    Returns:
        Corners of the hull, counter-clockwise, shape ``(corners, 2)`` [m]; none nearer than ``MIN_EDGE_LENGTH`` to the next.
    """
    order = np.empty(len(boundary_points), dtype=np.int64)
    count = order_hull(boundary_points, order)
    normals[:] = 0.0
    distances[:] = UNBOUNDED
    corners = np.empty((count, 2))
    found = 0
    for k in range(count):
        here, after = boundary_points[order[k]], boundary_points[order[(k + 1) % count]]
        x, y = after[0] - here[0], after[1] - here[1]
        length = np.hypot(x, y)
        if length < MIN_EDGE_LENGTH:
            continue
        corners[found] = here
        normals[found, 0], normals[found, 1] = y / length, -x / length
        distances[found] = (y * here[0] - x * here[1]) / length
        found += 1
    return corners[:found].copy()
