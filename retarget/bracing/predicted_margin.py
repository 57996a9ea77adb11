r"""The margin that a hand would make, were it to bear somewhere else on its surface and the robot to lean.

What limits a braced robot is its arm, whose torques hang on the posture, and the posture on all that SEIKO weighs: one step of
inverse kinematics finds another one, of which the margin even grows the other way. So SEIKO itself goes there in a few long
steps: the hand to its surface, displaced by :math:`\delta`, the centre of mass towards the surface where that stands upright,

.. math:: c^* = \bar p_{feet} - \ell n_{xy}, \qquad m(\delta) = \min_i \left( b_i - n_i^T c \right)

with the half-planes of the region that the hand would make there, and the centre of mass c that was come to. An operator
braces to lean; where nothing tells which way (a ceiling), the margin is that of standing upright.
"""

from __future__ import annotations

import numpy as np

from handhold.retarget.bracing.balance import find_half_planes
from handhold.retarget.bracing.robot_region import make_reference_region
from handhold.retarget.bracing.seiko import Seiko
from handhold.retarget.bracing.seiko_step import SeikoTargets
from handhold.retarget.bracing.simplex import Status, begin
from handhold.retarget.bracing.support_region import QUERIES, NoRegion, check, space_directions
from handhold.robots.clamp import clamp_norm
from handhold.robots.contact import UNBOUNDED
from handhold.robots.model import RobotModel

STEPS = 12
"""Steps that lead to a posture."""

STEP = 0.1
"""Length of such a step [s]; with steps of 2 ms the margins are the same within 6 mm, and so is what is better."""

LEANING = 0.1
"""Speed of the centre of mass meanwhile [m/s]."""

CORNERS = 3
"""Least number of corners of a region that has an area."""

_DIRECTIONS = space_directions()


class PredictedMargin:
    """Predicts margins of contacts that are not made yet, a step of SEIKO at a time."""

    def __init__(self, model: RobotModel, seiko: Seiko, lean: float) -> None:
        r"""Take a reference.

        Args:
            model: Robot.
            seiko: The reference, with its contacts.
            lean: How far the centre of mass leans towards an upright surface, :math:`\ell` [m].
        """
        self._model = model
        self._seiko = seiko
        self._lean = lean
        self._ahead: Seiko | None = None
        self._poses = np.zeros(0)
        self._centre = np.zeros(2)
        self._left = 0

    def begin(self, hand: int, normal: np.ndarray, displacement: np.ndarray) -> None:
        """Begin a prediction where the reference is now.

        Args:
            hand: Place of the hand, which does not bear yet.
            normal: Outward normal of the surface in world, unit, shape ``(3,)``.
            displacement: From the hand to where it would bear, in world, shape ``(3,)`` [m].
        """
        seiko = self._seiko
        if self._ahead is None or self._ahead.stance is not seiko.stance:
            self._ahead = seiko.fork()
        else:
            self._ahead.take_over(seiko)
        self._hand, self._normal = hand, normal
        self._poses = seiko.kinematics.poses.copy()
        self._poses[hand, :3, 3] += displacement
        between_feet = seiko.terms.poses[list(seiko.stance.feet), :2, 3].mean(axis=0)
        self._centre = between_feet - self._lean * normal[:2]
        self._left = STEPS

    def step(self) -> float | None:
        """Go on by one step and return the margin at the last one [m]; None before.

        Raises:
            NoRegion: Nothing would hold the robot up there, or no step of SEIKO leads there.
        """
        ahead = self._ahead
        assert ahead is not None, "no prediction has begun"
        missing = self._centre - ahead.kinematics.position_com_in_world[:2]
        velocity = np.append(clamp_norm(missing / STEP, LEANING), np.nan)
        solved = ahead.step(SeikoTargets(effector_poses=self._poses, velocity_com_in_world=velocity), STEP).solved
        self._left -= 1
        if not solved:
            raise NoRegion("its posture was not found", Status.INFEASIBLE)
        return None if self._left > 0 else self._measure(ahead)

    def _measure(self, ahead: Seiko) -> float:
        """Compute the margin of the region with the hand bearing where it has come to."""
        kinematics, terms = ahead.kinematics, ahead.terms.copy()
        bearing = ahead.stance.contact_flags(len(self._model.effectors))
        terms.begin_contact(self._hand, kinematics.poses[self._hand], self._normal)
        bearing[self._hand] = True
        region = make_reference_region(self._model, kinematics, bearing, terms.normals)
        region.points.least[:] = terms.least_forces[bearing]
        region.place(terms.poses)
        memory = region.program.make_memory(QUERIES)
        check(begin(region.program.simplex.state)[0])
        region.program.find_extremes(_DIRECTIONS, memory)
        normals, distances = np.zeros((QUERIES, 2)), np.full(QUERIES, UNBOUNDED)
        if len(find_half_planes(memory.positions, normals, distances)) < CORNERS:
            raise NoRegion("it has no area", Status.INFEASIBLE)
        return float((distances - normals @ kinematics.position_com_in_world[:2]).min())
