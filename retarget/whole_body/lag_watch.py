"""Which hands of a robot stay behind the person's, and what holds them back, told so that it can be read."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from handhold.retarget.mode_report import Lag
from handhold.retarget.timed_messages import say_name
from handhold.retarget.whole_body.body_mapping import BodyMapping
from handhold.robots.kinematics import find_moving_columns
from handhold.robots.model import RobotModel

MIN_LAG = 0.05
"""Distance from which on a hand is not where the person's is [m]."""

PATIENCE = 0.3
"""Time for which it must be that far, or nearer again, until that is told [s]: a quick motion is followed late by less."""

RENEWAL = 1.0
"""Time for which what is told of a hand stays as it is [s]."""

HANDS_FROM, POINTS = 7, 4
"""Which of a person's joints is the first hand (see ``PersonReport.points``), and how many each arm has."""


@dataclass(slots=True)
class _Hand:
    """What is known of one hand.

    Attributes:
        told: What is told of it; None where it follows.
        turned: For how long it has not been as is told, far or near [s].
        age: How long ago that was said anew [s].
        limits: How often each constraint has held it back since.
        count: How often that was looked at.
    """

    told: Lag | None = None
    turned: float = 0.0
    age: float = 0.0
    limits: Counter[str] = field(default_factory=Counter)
    count: int = 0


class LagWatch:
    """Watches the hands of one robot."""

    def __init__(self, model: RobotModel, mapping: BodyMapping) -> None:
        """Know of no lag."""
        self._effectors = [arm.hand for arm in mapping.arms]
        self._names = [say_name(model.effectors[hand].name) for hand in self._effectors]
        self._limbs = find_limbs(model, mapping)
        self.forget()

    def forget(self) -> None:
        """Watch nobody any more."""
        self._hands = [_Hand() for _ in self._effectors]

    def update(self, distances: list[float], active: tuple[str, ...], dt: float) -> tuple[Lag, ...]:
        """Return what lags, the worst first.

        Args:
            distances: Of each arm's hand from the person's [m].
            active: Names of the constraints that hold the robot back now.
            dt: Time since the last call [s].
        """
        for number, (hand, distance) in enumerate(zip(self._hands, distances, strict=True)):
            far, told = distance >= MIN_LAG, hand.told is not None
            hand.turned = hand.turned + dt if far != told else 0.0
            hand.age += dt
            hand.limits.update(active)
            hand.count += 1
            if hand.turned >= PATIENCE or (told and hand.age >= RENEWAL):
                lag = self._describe(number, distance) if far or hand.turned < PATIENCE else None
                self._hands[number] = _Hand(told=lag, turned=0.0 if hand.turned >= PATIENCE else hand.turned)
            elif not far and not told:
                # only what has held it back since it is behind counts
                hand.limits.clear()
                hand.count = 0
        return tuple(sorted((hand.told for hand in self._hands if hand.told), key=lambda lag: -lag.distance))

    def _describe(self, number: int, distance: float) -> Lag:
        """Tell how far a hand is off, and what has held it back for half of the time: its own limb's limits first."""
        hand, own = self._hands[number], self._limbs[number]
        apart = frozenset[str]().union(*self._limbs[:number], *self._limbs[number + 1 :])
        frequent = [name for name, count in hand.limits.most_common() if 2 * count >= hand.count]
        limits = [name for name in frequent if concerns(name, own) or not concerns(name, apart)]
        limits.sort(key=lambda name: not concerns(name, own))
        return Lag(
            part=self._names[number],
            effector=self._effectors[number],
            point=HANDS_FROM + POINTS * number,
            distance=distance,
            limits=tuple(limits),
        )


def concerns(name: str, parts: frozenset[str]) -> bool:
    """Tell whether a constraint is one of some joints or bodies: ``arm_left_4_joint torque``, ``left_arm near torso``."""
    subject, _, quantity = name.partition(" ")
    return subject in parts or (quantity.startswith("near ") and quantity.removeprefix("near ") in parts)


def find_limbs(model: RobotModel, mapping: BodyMapping) -> list[frozenset[str]]:
    """Return the names of the joints, and of the bodies that must keep clear, of each arm, and at last of the head."""
    supports = [set(each) for each in model.pinocchio.supports]
    _, chest, head = mapping.turned
    limbs = []
    for end in (*(arm.wrist for arm in mapping.arms), head):
        moved, own = find_moving_columns(model, end) - find_moving_columns(model, chest), supports[end] - supports[chest]
        joints = {name for name, moves in zip(model.joint_names, moved[6:], strict=True) if moves > 0.0}
        limbs.append(frozenset(joints | {part.body for part in model.bodies if supports[part.joint] & own}))
    return limbs
