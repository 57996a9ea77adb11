r"""The margin with a hand in contact somewhere else on its surface and the robot leaning.

What limits a braced robot is its arm, whose torques hang on the posture, and the posture on all that SEIKO weighs: one step of
inverse kinematics finds another one, of which the margin even grows the other way. So SEIKO itself goes there in a few long
steps: the hand to its surface, displaced by :math:`\delta`, the centre of mass towards the surface where that stands upright,

.. math:: c^* = \bar p_{feet} - \ell n_{xy}, \qquad m(\delta) = \min_i \left( b_i - n_i^T c \right)

with the edges of the region with the hand in contact there, and the centre of mass c that was come to. An operator
braces to lean; where nothing gives the direction (a ceiling), the margin is that of standing upright.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from handhold.retarget.bracing.margin.preview_region import compute_preview_region
from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.retarget.bracing.seiko.seiko_step import SeikoTargets
from handhold.retarget.stability.simplex import Status
from handhold.retarget.stability.support_region import NoRegion
from handhold.robots.control.clamp import clamp_norm
from handhold.robots.model import RobotModel

STEPS = 12
"""Steps that lead to a posture."""

STEP = 0.1
"""Length of such a step [s]; with steps of 2 ms the margins are the same within 6 mm, and so is what is better."""

LEANING_SPEED = 0.1
"""Speed of the centre of mass meanwhile [m/s]."""


class PredictedMargin:
    """Predicts margins of contacts that are not established yet, a step of SEIKO at a time."""

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

    def predict(self, hand: int, normal: np.ndarray, displacement: np.ndarray) -> Iterator[float | None]:
        """Predict the margin with a hand in contact elsewhere; advance by one step of SEIKO at a time.

        One prediction at a time: another one begins where the reference is then.

        Args:
            hand: Index of the hand, which is not in contact yet.
            normal: Outward normal of the surface in world, unit, shape ``(3,)``.
            displacement: From the hand to its contact, in world, shape ``(3,)`` [m].

        Yields:
            None after every step but the last one, then the margin [m].

        Raises:
            NoRegion: Nothing would hold the robot up there, no step of SEIKO leads there, or contacts have changed meanwhile.
        """
        seiko, ahead = self._seiko, self._fork_reference()
        poses = seiko.kinematics.poses.copy()
        poses[hand, :3, 3] += displacement
        between_feet = seiko.terms.poses[list(seiko.stance.feet), :2, 3].mean(axis=0)
        leaned = between_feet - self._lean * normal[:2]
        for left in reversed(range(STEPS)):
            missing = leaned - ahead.kinematics.position_com_in_world[:2]
            velocity = np.append(clamp_norm(missing / STEP, LEANING_SPEED), np.nan)
            solved = ahead.step(SeikoTargets(effector_poses=poses, velocity_com_in_world=velocity), STEP).solved
            if not solved or ahead.stance is not seiko.stance:
                raise NoRegion("its posture was not found", Status.INFEASIBLE)
            if left > 0:
                yield None
        yield compute_preview_region(self._model, ahead, hand, normal).edge.margin

    def _fork_reference(self) -> Seiko:
        if self._ahead is None or self._ahead.stance is not self._seiko.stance:
            self._ahead = self._seiko.fork()
        else:
            self._ahead.copy_state(self._seiko)
        return self._ahead
