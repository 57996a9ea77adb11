"""``three-points``: the person of ``human-motion``, of whom nothing is seen but a headset and two controllers."""

from __future__ import annotations

import numpy as np

from handhold.app.lab.scenarios.human_motion import PersonAtWork, measure_human_motion, two_feet_and_an_arm
from handhold.app.lab.scenarios.moving_person import MovingPerson
from handhold.app.lab.scenarios.scenario import Operator, Scenario
from handhold.app.lab.scenarios.worn_headset import see_headset
from handhold.devices.suits.three_points import ThreePointPerson
from handhold.devices.tracked_human import TrackedHuman
from handhold.robots.model import RobotModel

DURATION = 60.0


class HeadsetWearer:
    """A person who is known by head and hands."""

    def __init__(self, person: MovingPerson) -> None:
        """Take the person."""
        self._person, self._completed = person, ThreePointPerson()
        self._seen: TrackedHuman | None = None
        self._newest: TrackedHuman | None = None

    def track(self, time: float, moves: bool) -> TrackedHuman | None:
        """Return the newest sample at a time [s], of a person who moves or is not to move."""
        human = self._person.track(time, moves=moves)
        if human is not self._seen:
            self._seen, self._newest = human, self._completed.update(see_headset(human))
        return self._newest


def script_three_points(_model: RobotModel, _effector_poses: np.ndarray, random: np.random.Generator) -> Operator:
    """Script the person."""
    return PersonAtWork(HeadsetWearer(MovingPerson(random)).track)


THREE_POINTS = Scenario(
    name="three-points",
    title="the person of human-motion, of whom only a headset and two controllers are seen",
    world="flat",
    duration=DURATION,
    script=script_three_points,
    measure=measure_human_motion,
    needs=(two_feet_and_an_arm,),
    endless=True,
)
