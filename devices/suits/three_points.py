"""A person of a headset and two hands: what three points do not tell is completed by posture.

Head and hands are where they are seen. Everything else is what somebody of average proportions and that height would do who
keeps the balance: the trunk leans (``trunk_posture``), arms reach the hands by two bones (``two_bones``, ``elbow_pole``),
legs reach feet that stay until the weight has left them (``assumed_feet``). Joints that a headset sees besides, and
those that go with trackers (``OperatorSample``), take the place of what is assumed: pelvis, elbows, ankles and toes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pinocchio as pin

from handhold.devices.operator_sample import NO_JOINTS, OperatorSample
from handhold.devices.suits.assumed_feet import AssumedFeet
from handhold.devices.suits.completed_body import BodyCompletion
from handhold.devices.suits.seen_points import SeenPoints, find_points
from handhold.devices.suits.standing_watch import StandingWatch
from handhold.devices.suits.tracker_mounts import NO_MOUNTS, TrackerMounts
from handhold.devices.tracked_human import Segment, TrackedHuman

QUALITY, QUALITY_OF_BODY = 0.3, 0.6
"""How far a person is trusted who was completed from three points, and one whose pelvis is seen besides: less than a
suit's."""

_ANKLES, _TOES = (Segment.LEFT_FOOT, Segment.RIGHT_FOOT), (Segment.LEFT_TOE, Segment.RIGHT_TOE)


class ThreePointPerson:
    """Completes one person, sample by sample; reads no clock.

    The head is tracked, and the hands that are seen; all other segments are assumed and count as tracked, because nothing
    that follows a person could do without: the quality tells them from those of a suit. Not tracked are the arm of a hand
    that is not seen, and a joint that headset or trackers told while the person stood and do not tell now. Without a head,
    or with nobody in the headset, there is no person.
    """

    def __init__(self) -> None:
        """Begin with nobody."""
        self._source: tuple[str, int] | None = None
        self._learnt, self._time = 0, 0.0
        self._watch = StandingWatch()
        self._feet = AssumedFeet(np.zeros(2), 0.0)
        self._completion: BodyCompletion | None = None
        self._mounts: TrackerMounts = NO_MOUNTS
        self._used: frozenset[Segment] = frozenset()

    def update(self, sample: OperatorSample) -> TrackedHuman | None:
        """Return the person of a sample; None where there is none.

        The ``suit`` of the sample has another name whenever another height was learnt, the operator's room was laid anew or
        the device was opened again: poses before and after cannot be compared.

        Args:
            sample: Head and hands in the operator's room.
        """
        seen = find_points(sample)
        if seen is None:
            return None
        completion = self._measure(sample, seen)
        joints = self._find_joints(seen)
        self._stand_on_seen_feet(joints)
        elapsed, self._time = sample.time - self._time, sample.time
        body = completion.complete(replace(seen, joints=joints), self._feet, elapsed)
        self._feet.follow(body.weight, self._feet.heading + body.posture.twist, elapsed)
        body.tracked[[segment for segment in self._used if segment not in joints]] = False
        return TrackedHuman(
            time=sample.time,
            sequence=sample.sequence,
            suit=f"three points of {sample.device} {sample.origin}.{self._learnt}",
            positions=body.positions,
            orientations=np.array([pin.Quaternion(rotation).coeffs() for rotation in body.rotations]),
            tracked=body.tracked,
            quality=QUALITY_OF_BODY if Segment.PELVIS in joints else QUALITY,
        )

    def _measure(self, sample: OperatorSample, seen: SeenPoints) -> BodyCompletion:
        """Return how the person is completed, anew where samples come from elsewhere or something was learnt."""
        if self._source != (sample.device, sample.origin):
            self._source = (sample.device, sample.origin)
            self._watch, self._completion = StandingWatch(), None
        standing = self._watch.update(sample.time, seen.eyes, seen.hands)
        completion = self._completion
        if completion is None or completion.standing is not standing:
            completion = self._completion = BodyCompletion(standing)
            self._feet = AssumedFeet(completion.find_top(seen.eyes)[:2], standing.heading)
            self._learnt, self._time = self._learnt + 1, sample.time
            self._learn_joints(completion, seen)
        return completion

    def _learn_joints(self, completion: BodyCompletion, seen: SeenPoints) -> None:
        """Choose the joints that take the place of assumed ones: those that are seen while the person stands.

        Which they are stays: one that comes and goes would move the robot by what was assumed wrongly.
        """
        self._mounts, self._used = NO_MOUNTS, frozenset()
        if completion.standing.hands is not None:
            upright = completion.complete(replace(seen, joints=NO_JOINTS), self._feet, 0.0)
            self._mounts = TrackerMounts(seen.trackers, upright.positions)
            self._used = frozenset(self._mounts.find_joints(seen.trackers)) | frozenset(seen.joints)

    def _find_joints(self, seen: SeenPoints) -> dict[Segment, np.ndarray]:
        """Return where the joints are that take the place of assumed ones, those that are seen."""
        joints = {**self._mounts.find_joints(seen.trackers), **seen.joints}
        return {segment: place for segment, place in joints.items() if segment in self._used}

    def _stand_on_seen_feet(self, joints: Mapping[Segment, np.ndarray]) -> None:
        """Stand where both ankles are seen, and face as the toes do where these are."""
        if not all(segment in joints for segment in _ANKLES):
            return
        heading = self._feet.heading
        if all(segment in joints for segment in _TOES):
            ahead = sum(joints[toe] - joints[ankle] for toe, ankle in zip(_TOES, _ANKLES, strict=True))
            heading = math.atan2(ahead[1], ahead[0])
        self._feet.place(np.mean([joints[ankle][:2] for ankle in _ANKLES], axis=0), heading)
