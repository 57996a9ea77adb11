r"""Where a moving reference must keep its divergent component of motion, so that it can always come to rest.

A robot that bears on its feet alone, on one level, is balanced over their support polygon. As soon as a hand bears as well,
pressure and centre of mass no longer lie above each other, and the stability region (see ``support_region``) takes the
polygon's place: a centre of mass inside it can rest there, by forces that contacts and motors have. It is that of the
reference's own limits, torques included, so that a reference in equilibrium is inside, and it moves with the posture.

:math:`n^T \xi \leq b - m_{min}` (eq. 13): the region keeps the margin :math:`m_{min}`, the polygon that of its soles.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numba import njit

from handhold.retarget.bracing.contact_points import ConeModel, find_contact_points
from handhold.retarget.bracing.contact_terms import ContactTerms
from handhold.retarget.bracing.parameters import SeikoParameters
from handhold.retarget.bracing.robot_region import compute_joint_torques
from handhold.retarget.bracing.support_region import QUERIES, NoRegion, RegionProgram, compute_region
from handhold.robots.contact import UNBOUNDED, Stance
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel
from handhold.robots.polygon import compute_half_planes, compute_support_polygon

SHORTEST_EDGE = 1e-4
"""Length under which an edge of the region is none: its direction would be noise [m]."""


class Balance:
    r"""The half-planes :math:`n_k^T p \leq b_k` that hold the DCM of one stance.

    Attributes:
        normals: Outward unit normals, shape ``(k, 2)``; zeros where there is nothing to keep.
        distances: b, the margin taken off, shape ``(k,)`` [m].
        zmp_room: How far beyond them the ZMP may go [m].
        vertices: Where the controller may put the pressure, counter-clockwise in world, shape ``(j, 2)`` [m].
    """

    def __init__(self, model: RobotModel, stance: Stance, poses: np.ndarray, parameters: SeikoParameters) -> None:
        """Begin with the polygon of the feet.

        Args:
            model: Robot.
            stance: Contacts.
            poses: Poses of all effectors in world, shape ``(effectors, 4, 4)``.
            parameters: SEIKO's.
        """
        self._model = model
        self._least_margin = parameters.least_margin
        self._bearing = stance.contact_flags(len(model.effectors))
        self._program = None if len(stance.feet) == len(stance.effectors) else _make_program(model, stance)
        about = model.description.margins
        self.vertices = compute_support_polygon(model, stance, poses, about.controller)
        narrow = compute_support_polygon(model, stance, poses, about.reference, parameters.dcm_scale)
        count = len(narrow) if self._program is None else QUERIES
        self.normals, self.distances = np.zeros((count, 2)), np.full(count, UNBOUNDED)
        self.zmp_room = 0.5 * parameters.least_margin
        if self._program is None and len(narrow):
            self.normals, self.distances = compute_half_planes(narrow)
            self.distances -= 0.0 if stance.planes else parameters.dcm_inset
            self.zmp_room = _compute_zmp_room(model, stance, parameters)

    @property
    def braced(self) -> bool:
        """Whether hands bear, so that the region counts."""
        return self._program is not None

    def update(self, kinematics: EffectorKinematics, q: np.ndarray, terms: ContactTerms) -> None:
        """Follow the posture; where nothing would hold the robot up, what held before stays.

        Args:
            kinematics: At the configuration.
            q: The configuration, shape ``(nq,)``.
            terms: Where the contacts are, and what they must bear.
        """
        if self._program is None:
            return
        model, bearing = self._model, self._bearing
        about = model.description
        points = find_contact_points(
            model,
            terms.poses,
            bearing,
            terms.normals,
            inset=about.margins.reference,
            friction_scale=about.scales.friction,
        )
        points = replace(points, least=terms.least_forces[bearing])
        try:
            self._program.build(points, model.weight, compute_joint_torques(model, kinematics, q, bearing, points))
            vertices = compute_region(self._program)
        except NoRegion:
            return
        _find_half_planes(vertices, self.normals, self.distances)
        # Every edge that is one begins where the one before has ended: with its end no corner is told twice.
        self.vertices = np.roll(vertices, -1, axis=0)[self.distances < UNBOUNDED]
        self.distances -= self._least_margin


def _make_program(model: RobotModel, stance: Stance) -> RegionProgram:
    # The same pyramids as SEIKO's own rows: what it holds in equilibrium is inside the region.
    points = 4 * stance.planes + len(stance.effectors) - stance.planes
    return RegionProgram(points, len(stance.effectors), model.n, ConeModel.OUTER_4)


def _compute_zmp_room(model: RobotModel, stance: Stance, parameters: SeikoParameters) -> float:
    """Compute how far beyond what holds the DCM the ZMP may go [m]: to the edges of the reference's soles, or feet."""
    soles = [model.effectors[e].half_lengths for e in stance.effectors]
    inset = model.description.margins.reference
    least = [min(half_lengths) - inset for half_lengths in soles if half_lengths is not None]
    return (1.0 - parameters.dcm_scale) * min(least) if least else parameters.dcm_inset


@njit(cache=True)
def _find_half_planes(vertices: np.ndarray, normals: np.ndarray, distances: np.ndarray) -> None:
    """Fill the half-planes of a convex polygon's edges, zeros and no bound for edges that are none."""
    count = vertices.shape[0]
    last = 0
    for k in range(count):
        normals[k] = 0.0
        distances[k] = UNBOUNDED
        after = vertices[(k + 1) % count]
        x, y = after[0] - vertices[last, 0], after[1] - vertices[last, 1]
        length = np.hypot(x, y)
        if length < SHORTEST_EDGE:
            continue
        normals[k, 0], normals[k, 1] = y / length, -x / length
        distances[k] = normals[k, 0] * after[0] + normals[k, 1] * after[1]
        last = (k + 1) % count
