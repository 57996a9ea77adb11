"""``human-motion``: a person reaches, squats, twists, leans, waves and picks things up, and the robot does so too."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.following import measure_following
from handhold.app.lab.scenarios.measures import measure_reference, measure_robot
from handhold.app.lab.scenarios.moving_person import MovingPerson
from handhold.app.lab.scenarios.scenario import Operator, Scenario
from handhold.app.lab.scenarios.score import resting_hands
from handhold.app.lab.scenarios.trace import Trace
from handhold.devices.operator_input import OperatorInput
from handhold.devices.tracked_human import TrackedHuman
from handhold.render.snapshot import Snapshot
from handhold.retarget.whole_body.body_mapping import find_mapping
from handhold.retarget.whole_body.mode import WholeBodyMode
from handhold.robots.model import RobotModel

STANDING_TIME = 5.0
"""Time in which the person stands to be calibrated before a hand squeezes [s]."""

DURATION = 120.0


Track = Callable[[float, bool], TrackedHuman | None]
"""What a suit tells at a time [s] of a person who moves, or is not to move."""


class PersonAtWork:
    """Stands to be calibrated, squeezes, waits for the robot, and moves while it follows.

    Attributes:
        over: Whether nothing more is to come: never.
        missed: What was waited for in vain: nothing is.
        notes: What was counted: nothing.
    """

    over = False
    missed: tuple[str, ...] = ()
    notes: Mapping[str, float] = MappingProxyType({})

    def __init__(self, track: Track, *, begun: float = 0.0) -> None:
        """Take what tells of the person, and since when it does [s]."""
        self._track, self._sample, self._begun = track, -1, begun

    def sample(self, time: float, snapshot: Snapshot | None) -> OperatorInput:
        """Return the sample at a time [s]: one hand squeezes once the person has been calibrated."""
        self._sample += 1
        hands = resting_hands()
        messages = () if snapshot is None else snapshot.messages
        waits = any(message.startswith("calibration") or message.startswith("let go") for message in messages)
        elapsed = time - self._begun
        squeezes = elapsed >= STANDING_TIME and not waits
        return OperatorInput(
            time=time,
            sequence=self._sample,
            device="script",
            left=replace(hands.left, squeeze=float(squeezes)),
            right=hands.right,
            request=f"mode:{WholeBodyMode.profile.name}" if elapsed < 0.5 * STANDING_TIME else "",
            human=self._track(time, snapshot is not None and snapshot.report.follows_person),
        )


def script_human_motion(_model: RobotModel, _effector_poses: np.ndarray, random: np.random.Generator) -> Operator:
    """Script the person."""
    person = MovingPerson(random)
    return PersonAtWork(lambda time, moves: person.track(time, moves=moves))


def measure_human_motion(model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure the references' residuals, the robot's balance, and how well its hands follow."""
    return [*measure_reference(trace), *measure_robot(model, trace), *measure_following(model, trace)]


def two_feet_and_an_arm(model: RobotModel) -> str:
    """Tell whether nothing of a robot could follow a person."""
    return "" if find_mapping(model) else "two feet with flat soles, and an arm with an elbow"


HUMAN_MOTION = Scenario(
    name="human-motion",
    title="a person reaches, squats, twists, leans, waves and picks things up, and the robot does so too",
    world="flat",
    duration=DURATION,
    script=script_human_motion,
    measure=measure_human_motion,
    needs=(two_feet_and_an_arm,),
    endless=True,
)
