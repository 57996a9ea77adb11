"""A person who takes a box with both hands through a robot, and hands it over."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from handhold.app.lab.scenarios.guided_arms import GuidedArms
from handhold.app.lab.scenarios.kinematic_human import HumanPose, blend_poses, make_human
from handhold.app.lab.scenarios.moving_person import SUIT_RATE
from handhold.devices.tracked_human import TrackedHuman
from handhold.render.snapshot import Snapshot
from handhold.retarget.least_jerk import compute_least_jerk
from handhold.robots.model import RobotModel

ACT_TIMEOUT = 6.0
"""How long the person tries to get hands there [s]."""

CORRECTION_RATE = 1.0
"""How fast the person makes up for what the robot's hands lack [1/s]."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Act:
    """Something that the person does with both hands.

    Attributes:
        trunk: Posture of all but the arms at its end.
        middle: Where the middle between the hands is to be in world, shape ``(3,)`` [m]; None to leave it where it is.
        half_distance: Half the distance between the hands [m]; None to leave it as it is.
        hangs: The arms come to hang.
        duration: Time that it takes [s].
        trunk_duration: Time in which the trunk gets there, if that is less [s].
        tolerance: How near to where it should be the middle between the robot's hands is when it is there [m].
    """

    trunk: HumanPose
    middle: np.ndarray | None = None
    half_distance: float | None = None
    hangs: bool = False
    duration: float
    trunk_duration: float = math.inf
    tolerance: float = 0.03


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class _Start:
    """How an act began: its number, when [s], from which trunk, middle between the hands and half of their distance [m]."""

    number: int
    time: float
    trunk: HumanPose
    middle: np.ndarray
    half_distance: float


class BoxPerson:
    """The person, as a suit would tell.

    Attributes:
        missed: What did not come about, in words.
    """

    def __init__(
        self, model: RobotModel, hands: Sequence[int], acts: Sequence[Act], *, speed: float, max_correction: float
    ) -> None:
        """Stand with hanging arms.

        Args:
            model: The robot.
            hands: Its left and right hand, by effector.
            acts: What to do once the robot follows.
            speed: How fast, against the acts' own durations [-].
            max_correction: How far the person goes on where the robot's hands do not get to, along each axis [m].
        """
        self._model, self._hands, self._speed, self._max_correction = model, list(hands), speed, max_correction
        self._acts = tuple(acts)
        self._start: _Start | None = None
        self._arms, self._trunk = GuidedArms(), HumanPose()
        self._correction = np.zeros(3)
        self._sample, self._human = -1, make_human(HumanPose(), 0.0, 0)
        self.missed: tuple[str, ...] = ()

    @property
    def over(self) -> bool:
        """Whether all was done."""
        return self.acts_left == 0

    @property
    def acts_left(self) -> int:
        """How many acts are not over."""
        return len(self._acts) - (0 if self._start is None else self._start.number)

    def track(self, time: float, snapshot: Snapshot | None) -> TrackedHuman:
        """Return the newest sample at a time [s], having seen a snapshot."""
        sample = int(time * SUIT_RATE)
        if sample > self._sample:
            self._sample = sample
            person = None if snapshot is None else snapshot.report.person
            if person is not None and person.following and not self.over:
                assert snapshot is not None, "a person is in a snapshot"
                self._act(time, self._model.effector_poses(snapshot.q)[self._hands, :3, 3], person.hands)
            self._human = make_human(self._arms.apply(self._trunk), sample / SUIT_RATE, sample)
        return self._human

    def _act(self, time: float, measured: np.ndarray, scaled_hands: np.ndarray) -> None:
        """Go on with an act.

        Args:
            time: Now [s].
            measured: Where the robot's hands are, shape ``(2, 3)`` [m].
            scaled_hands: Where the person's are, at the robot's size, likewise.
        """
        start = self._start or self._begin(
            0, time, scaled_hands, 0.5 * float(np.linalg.norm(scaled_hands[0] - scaled_hands[1]))
        )
        act = self._acts[start.number]
        elapsed = (time - start.time) * self._speed
        ratio = min(1.0, elapsed / act.duration)
        smooth = compute_least_jerk(ratio)
        half_distance = (
            start.half_distance
            if act.half_distance is None
            else start.half_distance + smooth * (act.half_distance - start.half_distance)
        )
        self._trunk = blend_poses(start.trunk, act.trunk, min(1.0, elapsed / min(act.duration, act.trunk_duration)))
        if act.hangs:
            self._arms.lower(1.0 / SUIT_RATE)
        else:
            middle = start.middle if act.middle is None else start.middle + smooth * (act.middle - start.middle)
            self._reach(middle, half_distance, measured, scaled_hands)
        done, late = self._is_done(act, measured), elapsed > act.duration + self._speed * ACT_TIMEOUT
        if ratio >= 1.0 and (done or late):
            if not done:
                self.missed = (*self.missed, f"act {start.number} (at {time:.1f} s)")
            self._begin(start.number + 1, time, scaled_hands, half_distance)

    def _begin(self, number: int, time: float, scaled_hands: np.ndarray, half_distance: float) -> _Start:
        middle = scaled_hands.mean(axis=0) - self._correction
        self._start = _Start(number=number, time=time, trunk=self._trunk, middle=middle, half_distance=half_distance)
        return self._start

    def _reach(self, middle: np.ndarray, half_distance: float, measured: np.ndarray, scaled_hands: np.ndarray) -> None:
        """Bring the hands to either side of a middle, by what is seen of the robot's."""
        corrected = self._correction + CORRECTION_RATE / SUIT_RATE * (middle - measured.mean(axis=0))
        self._correction = np.clip(corrected, -self._max_correction, self._max_correction)
        aside = np.array([0.0, half_distance, 0.0])
        self._arms.advance(self._trunk, middle + self._correction + np.stack([aside, -aside]) - scaled_hands, 1.0 / SUIT_RATE)

    def _is_done(self, act: Act, measured: np.ndarray) -> bool:
        if act.hangs:
            return self._arms.are_hanging
        return act.middle is None or float(np.linalg.norm(measured.mean(axis=0) - act.middle)) < act.tolerance
