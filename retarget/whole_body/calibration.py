r"""Calibration: a person stands still for a while, and what is measured then is what all motion is compared with.

The posture asked for is upright with straight knees, the arms hanging (or spread a little), both feet on level ground: the
robot's counterpart of it is known without a person (see ``body_mapping``). From it on, a segment's part of
:math:`q_R = q_{R0} + (q_H - q_{H0})` [Penco2019]_ is the turn :math:`D = R_H R_{H0}^T` in the person's axes.

.. [Penco2019] L. Penco, N. Scianca, V. Modugno, L. Lanari, G. Oriolo, S. Ivaldi, A Multimode Teleoperation Framework for
    Humanoid Loco-Manipulation, IEEE Robotics and Automation Magazine, 2019.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from handhold.devices.tracked_human import Segment, TrackedHuman
from handhold.retarget.errors import RetargetError
from handhold.retarget.whole_body.human_body import HumanBody, read_body, read_heading

DURATION = 3.0
"""Time for which the posture must be held [s]."""

MAX_SPEED = 0.15
"""Speed of a hand or the head over which the person does not stand still [m/s]: breathing and swaying move them by 5 cm/s."""

MAX_LEAN, MAX_KNEE, MAX_ARM = (math.radians(angle) for angle in (20.0, 30.0, 60.0))
"""Largest lean of the trunk, bend of a knee, and angle of an arm to the vertical [rad]."""

MAX_STEP = 0.06
"""Largest height of one foot over the other [m]."""

FOOT_RATIO = 0.31
"""Length of a foot, in lengths of a leg from hip to ankle [-] [Winter2009]_ (see ``human_body``)."""

SAMPLING, MAX_GAP = 0.15, 0.5
"""Least and largest time between two samples that are averaged [s]: in a control cycle no more than some twenty can be."""

_SETTLED = 3
"""Samples in a row after which the pose counts as held: who moves is told so all the time [-]."""

_UNUSED = frozenset(
    {Segment.L5, Segment.L3, Segment.T12, Segment.LEFT_SHOULDER, Segment.RIGHT_SHOULDER, Segment.LEFT_TOE, Segment.RIGHT_TOE}
)
_NEEDED = tuple(segment for segment in Segment if segment not in _UNUSED)


class CalibrationRefused(RetargetError):
    """A person's standing pose is of no use as a reference."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"calibration refused: {reason}")


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class HumanCalibration:
    """What is known of a person.

    Attributes:
        heading: Where the person faced, about the vertical from x of the suit's room [rad].
        body: The posture that was held.
        hanging_hands: Axes that left and right hand would have had if the forearms had hung down, shape ``(2, 3, 3)``.
        leg_length: From hip to ankle [m].
        arm_lengths: From shoulder to wrist, left and right [m].
        foot_length: From heel to toes, that of people with such legs [m].
    """

    heading: float
    body: HumanBody
    hanging_hands: np.ndarray
    leg_length: float
    arm_lengths: tuple[float, float]
    foot_length: float


class Calibrator:
    """Gathers the samples of a person who stands still.

    Attributes:
        progress: How much of the time has been held, 0 to 1.
        waits_for: What the person has to do, in words; empty while the pose is being held.
    """

    def __init__(self) -> None:
        """Begin to wait for a person who stands still."""
        self.progress = 0.0
        self.waits_for = "stand upright and still, arms hanging"
        self._samples: list[TrackedHuman] = []

    def add(self, human: TrackedHuman) -> HumanCalibration | None:
        """Take a sample; return the calibration once the pose has been held for long enough.

        Raises:
            CalibrationRefused: The pose that was held is not the one asked for.
        """
        samples = self._samples
        if samples and (human.suit != samples[-1].suit or human.time - samples[-1].time > MAX_GAP):
            samples.clear()
        if samples and human.time - samples[-1].time < SAMPLING:
            return None
        if missing := find_missing(human):
            self._restart(f"{missing} is not tracked")
            return None
        if samples and _compute_speed(samples[-1], human) > MAX_SPEED:
            self._restart("stand still")
            return None
        samples.append(human)
        self.progress = min(1.0, (human.time - samples[0].time) / DURATION)
        if len(samples) > _SETTLED:
            self.waits_for = ""
        if self.progress < 1.0:
            return None
        calibration = calibrate(samples)
        self._restart("")
        return calibration

    def _restart(self, reason: str) -> None:
        self._samples.clear()
        self.progress, self.waits_for = 0.0, reason


def find_missing(human: TrackedHuman) -> str:
    """Return what people call the first segment that is needed and not tracked; empty where all are."""
    return next((_say(segment) for segment in _NEEDED if not human.tracked[segment]), "")


def calibrate(samples: list[TrackedHuman]) -> HumanCalibration:
    """Return what samples of a standing person tell.

    Raises:
        CalibrationRefused: The person does not stand as is asked for.
    """
    headings = np.array([read_heading(human) for human in samples])
    heading = float(np.arctan2(np.sin(headings).mean(), np.cos(headings).mean()))
    bodies = [read_body(human, heading) for human in samples]
    body = HumanBody(
        positions=np.mean([each.positions for each in bodies], axis=0),
        rotations=_average(np.mean([each.rotations for each in bodies], axis=0)),
        position_com=np.mean([each.position_com for each in bodies], axis=0),
    )
    if fault := find_fault(body):
        raise CalibrationRefused(fault)
    leg_length = 0.5 * (_measure_leg(body, "LEFT") + _measure_leg(body, "RIGHT"))
    return HumanCalibration(
        heading=heading,
        body=body,
        hanging_hands=np.stack([_hang_hand(body, side) for side in ("LEFT", "RIGHT")]),
        leg_length=leg_length,
        arm_lengths=(_measure_arm(body, "LEFT"), _measure_arm(body, "RIGHT")),
        foot_length=FOOT_RATIO * leg_length,
    )


def find_fault(body: HumanBody) -> str:
    """Say what is wrong with a standing posture, in words; empty where it is the one asked for."""
    trunk = body.direction(Segment.PELVIS, Segment.NECK)
    if np.arccos(np.clip(trunk[2], -1.0, 1.0)) > MAX_LEAN:
        return "stand upright"
    for side in ("LEFT", "RIGHT"):
        thigh = body.direction(Segment[f"{side}_UPPER_LEG"], Segment[f"{side}_LOWER_LEG"])
        shank = body.direction(Segment[f"{side}_LOWER_LEG"], Segment[f"{side}_FOOT"])
        if np.arccos(np.clip(thigh @ shank, -1.0, 1.0)) > MAX_KNEE:
            return f"straighten the {side.lower()} knee"
        for start, end in (("UPPER_ARM", "FOREARM"), ("FOREARM", "HAND")):
            arm = body.direction(Segment[f"{side}_{start}"], Segment[f"{side}_{end}"])
            if np.arccos(np.clip(-arm[2], -1.0, 1.0)) > MAX_ARM:
                return f"let the {side.lower()} arm hang"
    ankles = body.positions[[Segment.LEFT_FOOT, Segment.RIGHT_FOOT], 2]
    if abs(ankles[0] - ankles[1]) > MAX_STEP:
        return "put both feet on level ground"
    return ""


def _hang_hand(body: HumanBody, side: str) -> np.ndarray:
    """Return a hand's axes, turned by the shortest way with its forearm to straight down: some spread their arms a little."""
    hand = Segment[f"{side}_HAND"]
    along, down = body.direction(Segment[f"{side}_FOREARM"], hand), np.array([0.0, 0.0, -1.0])
    quaternion = pin.Quaternion.FromTwoVectors(along, down)
    return np.asarray(quaternion.toRotationMatrix() @ body.rotations[hand])


def _measure_leg(body: HumanBody, side: str) -> float:
    return body.length(Segment[f"{side}_UPPER_LEG"], Segment[f"{side}_LOWER_LEG"], Segment[f"{side}_FOOT"])


def _measure_arm(body: HumanBody, side: str) -> float:
    return body.length(Segment[f"{side}_UPPER_ARM"], Segment[f"{side}_FOREARM"], Segment[f"{side}_HAND"])


def _average(means: np.ndarray) -> np.ndarray:
    """Return the rotations nearest to means of some, shape ``(k, 3, 3)``."""
    left, _, right = np.linalg.svd(means)
    left[:, :, 2] *= np.linalg.det(left @ right)[:, None]
    return np.asarray(left @ right)


def _compute_speed(before: TrackedHuman, after: TrackedHuman) -> float:
    """Return the speed of the quicker hand, or of the head [m/s]."""
    ends = [Segment.LEFT_HAND, Segment.RIGHT_HAND, Segment.HEAD]
    steps = np.linalg.norm(after.positions[ends] - before.positions[ends], axis=1)
    return float(steps.max()) / max(after.time - before.time, 1e-6)


def _say(segment: Segment) -> str:
    return segment.name.lower().replace("_", " ")
