"""What those who watch are told of the person whom the robot follows: where the person is, and what the robot lacks."""

from __future__ import annotations

import numpy as np

from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.retarget.mode_report import PersonReport
from handhold.retarget.whole_body.body_mapping import BodyMapping
from handhold.retarget.whole_body.body_targets import BodyTargets
from handhold.retarget.whole_body.lag_watch import HANDS_FROM, POINTS, LagWatch
from handhold.robots.model import RobotModel

PERIOD = 1.0 / 60.0
"""Time between two reports [s]."""

HEAD_HEIGHT = 1.45
"""Height of the top of the head over the waist, in heights of the shoulders over it [-]."""


class PersonMonitor:
    """Follows the person of one robot.

    Attributes:
        report: What was found last; None while nobody is followed.
    """

    def __init__(self, model: RobotModel, mapping: BodyMapping) -> None:
        """Wait for a person."""
        self._mapping = mapping
        self._lags = LagWatch(model, mapping)
        arms = [[first, first + 1] for k in range(len(mapping.arms)) for first in (4 + 4 * k, 5 + 4 * k, 6 + 4 * k)]
        shoulders = [[2, 4 + 4 * k] for k in range(len(mapping.arms))]
        self._bones = np.array([[0, 1], [1, 2], [2, 3], *shoulders, *arms])
        self.report: PersonReport | None = None
        self._since = np.inf

    def forget(self) -> None:
        """Follow nobody any more."""
        self.report, self._since = None, np.inf
        self._lags.forget()

    def update(
        self, targets: BodyTargets, frame: np.ndarray, seiko: Seiko, active: tuple[str, ...], dt: float, *, following: bool
    ) -> None:
        """Look at the person anew, now and then.

        Args:
            targets: What the robot was asked to follow.
            frame: The axes of the robot's feet in world, homogeneous, shape ``(4, 4)``.
            seiko: The robot's reference.
            active: Names of the constraints that hold it back.
            dt: Time since the last call [s].
            following: Whether the robot has come to the person.
        """
        self._since += dt
        if self._since < PERIOD:
            return
        elapsed, self._since = self._since if self.report else 0.0, 0.0
        points = self._place_joints(targets) @ frame[:3, :3].T + frame[:3, 3]
        reached = seiko.kinematics.poses[[arm.hand for arm in self._mapping.arms], :3, 3]
        distances = np.linalg.norm(points[HANDS_FROM::POINTS] - reached, axis=1)
        # A hand that bears is where it bears: who leans on something may be beyond it.
        distances[[arm.hand in seiko.stance.effectors for arm in self._mapping.arms]] = 0.0
        lags = self._lags.update(distances.tolist(), active, elapsed)
        self.report = PersonReport(
            points=points, hands=points[HANDS_FROM::POINTS], bones=self._bones, lags=lags, following=following
        )

    def _place_joints(self, targets: BodyTargets) -> np.ndarray:
        """Return pelvis, waist, neck and head, then shoulder, elbow, wrist and hand of each arm, in the feet's axes."""
        mapping = self._mapping
        turns = targets.rotations @ np.swapaxes(mapping.rotations, 1, 2)
        waist = targets.pelvis + turns[0] @ mapping.waist
        shoulders = [waist + turns[1] @ offset for offset in mapping.shoulders]
        neck = waist + turns[1] @ np.mean(mapping.shoulders, axis=0)
        head = neck + (HEAD_HEIGHT - 1.0) * np.linalg.norm(neck - waist) * turns[2, :, 2]
        points = [targets.pelvis, waist, neck, head]
        for k, (arm, shoulder) in enumerate(zip(mapping.arms, shoulders, strict=True)):
            upper_arm, forearm = targets.limbs[2 * k : 2 * k + 2]
            elbow = shoulder + arm.lengths[0] * upper_arm
            points += [shoulder, elbow, elbow + arm.lengths[1] * forearm, targets.hands[k, :3, 3]]
        return np.array(points)
