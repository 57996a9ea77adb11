r"""The margin that a hand would make, were it to bear somewhere else on its surface.

The region is that of the posture in which the hand is there, found by one step of inverse kinematics with contacts, centre of
mass and the hand's orientation kept,

.. math::

    \min \|\Delta q\|^2 \quad \text{s.t.} \quad J_c \Delta q = 0, \; J_{com,xy} \Delta q = 0, \; J_h \Delta q = (\delta, 0),

so that the torques of the arm count as they will be, which the gradient of the area (eq. 14) leaves out. An operator braces to
lean, and where to is not known: the margin is the mean over places of the centre of mass on a ring about the present one,

.. math:: \bar m(\delta) = \frac{1}{K} \sum_k \min_i \left( b_i - n_i^T (c + \rho d_k) \right) .
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from handhold.retarget.bracing.balance import find_half_planes
from handhold.retarget.bracing.robot_region import make_reference_region
from handhold.retarget.bracing.seiko import Seiko
from handhold.retarget.bracing.simplex import begin
from handhold.retarget.bracing.support_region import QUERIES, check, space_directions
from handhold.robots.contact import UNBOUNDED
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel

_DIRECTIONS = space_directions()


class PredictedMargin:
    """Predicts margins of contacts that are not made yet."""

    def __init__(self, model: RobotModel, seiko: Seiko, ring: float) -> None:
        """Take a reference.

        Args:
            model: Robot.
            seiko: The reference, with its contacts.
            ring: Radius of the ring of leaned places [m].
        """
        self._model = model
        self._seiko = seiko
        self._ring = ring * space_directions(8)
        self._kinematics = EffectorKinematics(model)

    def compute(self, hand: int, normal: np.ndarray, displacement: np.ndarray) -> float:
        """Compute the mean margin with a hand that bears at a displacement from where it is [m].

        Args:
            hand: Place of the hand, which does not bear yet.
            normal: Outward normal of the surface in world, unit, shape ``(3,)``.
            displacement: In world, along the surface, shape ``(3,)`` [m].

        Raises:
            NoRegion: Nothing would hold the robot up.
        """
        seiko, kinematics = self._seiko, self._kinematics
        kinematics.update(pin.integrate(self._model.pinocchio, seiko.q, self._displace(hand, displacement)))
        terms, bearing = seiko.terms.copy(), seiko.stance.contact_flags(len(self._model.effectors))
        terms.begin_contact(hand, kinematics.poses[hand], normal)
        bearing[hand] = True
        region = make_reference_region(self._model, kinematics, bearing, terms.normals)
        region.points.least[:] = terms.least_forces[bearing]
        region.place(terms.poses)
        memory = region.program.make_memory(QUERIES)
        check(begin(region.program.simplex.state)[0])
        region.program.find_extremes(_DIRECTIONS, memory)
        normals, distances = np.zeros((QUERIES, 2)), np.full(QUERIES, UNBOUNDED)
        find_half_planes(memory.positions, normals, distances)
        leaned = kinematics.position_com_in_world[:2] + self._ring
        return float((distances - leaned @ normals.T).min(axis=1).mean())

    def _displace(self, hand: int, displacement: np.ndarray) -> np.ndarray:
        """Return the smallest step that displaces a hand and nothing else that counts, shape ``(nv,)``."""
        kinematics, bearing = self._seiko.kinematics, list(self._seiko.stance.effectors)
        contacts = kinematics.jacobians[bearing].reshape(-1, self._model.nv)
        rows = np.vstack([contacts, kinematics.jacobian_com[:2], kinematics.jacobians[hand]])
        asked = np.zeros(len(rows))
        asked[-6:-3] = displacement
        return np.asarray(np.linalg.lstsq(rows, asked, rcond=None)[0])
