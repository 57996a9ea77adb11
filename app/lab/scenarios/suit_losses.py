"""``suit-losses``: a person in a suit whose stream loses, delays, reorders, drifts, falls silent, jumps and starts anew."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from handhold.app.lab.scenarios.human_motion import PersonAtWork, measure_human_motion, two_feet_and_an_arm
from handhold.app.lab.scenarios.moving_person import SUIT_RATE, MovingPerson
from handhold.app.lab.scenarios.scenario import Operator, Scenario
from handhold.devices.tracked_human import Segment, TrackedHuman
from handhold.robots.model import RobotModel

LOSS, JITTER = 0.5, 0.02
"""Ratio of the samples that are lost [-], and largest delay of the others [s]."""

SILENCE = (30.0, 32.0)
"""When nothing comes at all [s]."""

LIMB_JUMP, ROOM_JUMP, RESTART = (45.0, 45.6), 55.0, 65.0
"""When the left arm is seen elsewhere, when the whole person is from then on, and when the suit is another run [s]."""

JUMP = 0.5
"""How far they jump [m]."""

DRIFT = 0.1 / 90.0
"""Speed at which the suit's room drifts [m/s]: 10 cm in a run."""

DURATION = 90.0

_LEFT_ARM = [Segment.LEFT_UPPER_ARM, Segment.LEFT_FOREARM, Segment.LEFT_HAND]


@dataclass(frozen=True, eq=False, slots=True)
class _Sent:
    """A sample on its way.

    Attributes:
        arrival: When it arrives [s].
        human: The sample.
    """

    arrival: float
    human: TrackedHuman


class FaultyStream:
    """What arrives of a suit's samples."""

    def __init__(self, person: MovingPerson, random: np.random.Generator) -> None:
        """Take a person, and what decides about losses and delays."""
        self._person, self._random = person, random
        self._sent: list[_Sent] = []
        self._sample = -1
        self._newest: TrackedHuman | None = None

    def track(self, time: float, moves: bool) -> TrackedHuman | None:
        """Return the newest sample that has arrived at a time [s]."""
        sample = int(time * SUIT_RATE)
        if sample > self._sample:
            self._sample = sample
            human = spoil(self._person.track(time, moves=moves), time)
            if self._random.random() >= LOSS and not SILENCE[0] <= time < SILENCE[1]:
                self._sent.append(_Sent(time + self._random.uniform(0.0, JITTER), human))
        for sent in self._sent:
            if sent.arrival <= time and _is_newer(sent.human, self._newest):
                self._newest = sent.human
        self._sent = [sent for sent in self._sent if sent.arrival > time]
        return self._newest


def spoil(human: TrackedHuman, time: float) -> TrackedHuman:
    """Return a sample as the suit tells it at a time [s]: its room drifts and jumps, an arm jumps, another run begins."""
    positions = human.positions.copy()
    positions[:, 0] += DRIFT * time + (JUMP if time >= ROOM_JUMP else 0.0)
    if LIMB_JUMP[0] <= time < LIMB_JUMP[1]:
        positions[_LEFT_ARM] += [0.0, JUMP, 0.0]
    return replace(human, positions=positions, suit=human.suit if time < RESTART else f"{human.suit} again")


def _is_newer(human: TrackedHuman, newest: TrackedHuman | None) -> bool:
    return newest is None or human.suit != newest.suit or human.sequence > newest.sequence


def script_suit_losses(_model: RobotModel, _effector_poses: np.ndarray, random: np.random.Generator) -> Operator:
    """Script the person."""
    stream = FaultyStream(MovingPerson(random), np.random.default_rng(int(random.integers(1 << 31))))
    return PersonAtWork(stream.track)


SUIT_LOSSES = Scenario(
    name="suit-losses",
    title="a suit's stream loses half, comes late, drifts, falls silent, jumps and starts anew",
    world="flat",
    duration=DURATION,
    script=script_suit_losses,
    measure=measure_human_motion,
    needs=(two_feet_and_an_arm,),
)
