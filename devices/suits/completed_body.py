"""The proportions of one person, and how a posture is completed with them from a head and two hands.

Axes of the feet: x where they point, z up, the origin between them on the floor.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from handhold.devices.suits.assumed_feet import AssumedFeet
from handhold.devices.suits.body_model import make_offsets
from handhold.devices.suits.elbow_pole import find_pole
from handhold.devices.suits.elbow_swivel import ElbowSwivel
from handhold.devices.suits.seen_points import SeenPoints
from handhold.devices.suits.standing_watch import EYE_HEIGHT, Standing, read_facing
from handhold.devices.suits.trunk_posture import TrunkPosture, find_lean, find_lean_of_line, find_twist
from handhold.devices.suits.two_bones import bend_bones, cross
from handhold.devices.tracked_human import Segment

STRAIGHT = 0.992
"""Length of a leg that stands, in parts of the length of its bones [-]: a knee bent by 17 degrees."""

RELAXED = 0.985
"""The same of an arm that hangs [-]."""

ARM_RANGE = (0.85, 1.3)
"""Length of an arm that is believed, in lengths of an average one [-]."""

LEG_SOFTNESS = 0.02
"""Margin within which a leg is softened (see ``two_bones``) [-]: more would bend the knees of who stands."""

ANKLE, WRIST, EYES_AHEAD = 0.039, 0.04, 0.05
"""Height of an ankle, from the wrist to the middle of what a hand grips, and how far the eyes are ahead of the top of the
neck, in heights of a person [-]."""

WEIGHT_SHARE = 0.4
"""Where the centre of mass is from above, from the pelvis (0) to the top of the neck (1) [-]."""

_SPINE = (Segment.PELVIS, Segment.L5, Segment.L3, Segment.T12, Segment.T8)
_ABOVE = (*_SPINE[1:], Segment.NECK, Segment.HEAD)
_SIDES = (("LEFT", 1.0), ("RIGHT", -1.0))

TILT_SHARES = (0.3, 0.475, 0.65, 0.825, 1.0)
TWIST_SHARES = (0.15, 0.36, 0.57, 0.79, 1.0)
"""How much of the chest's lean and turn pelvis, L5, L3, T12 and T8 take part in [-]."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class CompletedBody:
    """Where a person's segments are.

    Attributes:
        positions: Their origins, shape ``(23, 3)`` [m].
        rotations: Their axes, shape ``(23, 3, 3)``.
        tracked: Which are seen or assumed, shape ``(23,)``, bool.
        posture: Of the trunk against the feet.
    """

    positions: np.ndarray
    rotations: np.ndarray
    tracked: np.ndarray
    posture: TrunkPosture

    @property
    def weight(self) -> np.ndarray:
        """Where the weight is, seen from above, shape ``(2,)`` [m]."""
        pelvis, top = self.positions[Segment.PELVIS], self.positions[Segment.HEAD]
        return np.asarray(pelvis[:2] + WEIGHT_SHARE * (top - pelvis)[:2])


class BodyCompletion:
    """Completes the postures of one person, whose bones keep their lengths.

    Attributes:
        standing: What was learnt of the person.
    """

    def __init__(self, standing: Standing) -> None:
        """Measure a person."""
        self.standing = standing
        height = standing.height
        self._offsets = make_offsets(height)
        lengths = np.linalg.norm(self._offsets, axis=1)
        self._leg = (float(lengths[Segment.LEFT_FOOT]), float(lengths[Segment.LEFT_LOWER_LEG]))
        self._trunk = float(lengths[list(_ABOVE)].sum())
        # What of a lean of the chest is one of the line from the pelvis to the top of the neck.
        self._chord_share = float(lengths[list(_ABOVE)] @ (*TILT_SHARES, 1.0)) / self._trunk
        self._ankle, self._wrist = ANKLE * height, np.array([0.0, 0.0, WRIST * height])
        self._top = self._ankle + STRAIGHT * sum(self._leg) + self._trunk
        self._eyes = np.array([EYES_AHEAD * height, 0.0, EYE_HEIGHT * height - self._top])
        average = (float(lengths[Segment.LEFT_FOREARM]), float(lengths[Segment.LEFT_HAND]))
        self._elbows = {side: ElbowSwivel() for side, _ in _SIDES}
        self._arms = {side: self._measure_arm(side, number, average) for number, (side, _) in enumerate(_SIDES)}

    def _measure_arm(self, side: str, number: int, average: tuple[float, float]) -> tuple[float, float]:
        """Return the lengths of an upper arm and a forearm, by how far the hand hung below the shoulder [m]."""
        standing, offsets = self.standing, self._offsets
        if standing.hands is None:
            return average
        above = offsets[Segment.NECK] + offsets[Segment.HEAD]
        shoulder = offsets[Segment[f"{side}_SHOULDER"]] + offsets[Segment[f"{side}_UPPER_ARM"]] - above
        hand = standing.hands[number]
        wrist = hand.translation + hand.rotation @ self._wrist
        way = wrist - self.find_top(standing.eyes) - pin.utils.rotate("z", standing.heading) @ shoulder
        ratio = min(max(float(np.linalg.norm(way)) / RELAXED / sum(average), ARM_RANGE[0]), ARM_RANGE[1])
        return ratio * average[0], ratio * average[1]

    def find_top(self, eyes: pin.SE3) -> np.ndarray:
        """Return where the top of the neck is in the room, shape ``(3,)`` [m]."""
        return np.asarray(eyes.translation - eyes.rotation @ self._eyes)

    def complete(self, seen: SeenPoints, feet: AssumedFeet, elapsed: float) -> CompletedBody:
        """Return a posture.

        Args:
            seen: What is seen of the person; of a hand that is not the arm is not tracked.
            feet: Where the person stands.
            elapsed: Time since the posture before [s].
        """
        count = len(Segment)
        body = CompletedBody(
            positions=np.zeros((count, 3)),
            rotations=np.tile(np.eye(3), (count, 1, 1)),
            tracked=np.ones(count, dtype=bool),
            posture=self._find_posture(seen, feet),
        )
        self._place_trunk(body, seen.eyes, feet)
        for number, (side, sign) in enumerate(_SIDES):
            self._place_leg(body, side, seen, feet)
            self._place_arm(body, side, sign, seen.hands[number], seen.joints.get(Segment[f"{side}_FOREARM"]), elapsed)
        return body

    def _find_posture(self, seen: SeenPoints, feet: AssumedFeet) -> TrunkPosture:
        to_feet, eyes = pin.utils.rotate("z", -feet.heading), seen.eyes
        origin, (left, right) = np.array([*feet.middle, self.standing.floor]), seen.hands
        top = to_feet @ (self.find_top(eyes) - origin)
        if Segment.PELVIS in seen.joints:
            forward, aside = find_lean_of_line(to_feet @ (seen.joints[Segment.PELVIS] - origin), top)
        else:
            # The height of the head's own left tells how far it is rolled.
            roll = math.asin(min(max(-float(eyes.rotation[2, 1]), -1.0), 1.0))
            forward, aside = find_lean(top - [0.0, 0.0, self._top], roll, self._trunk)
        facing = math.remainder(read_facing(eyes.rotation) - feet.heading, math.tau)
        across = None if left is None or right is None else to_feet @ (left.translation - right.translation)
        return TrunkPosture(forward=forward, left=aside, twist=find_twist(facing, across))

    def _place_trunk(self, body: CompletedBody, eyes: pin.SE3, feet: AssumedFeet) -> None:
        """Turn the spine evenly from pelvis to chest, and hang all of it on the top of the neck."""
        posture, rotations, axes = body.posture, body.rotations, pin.utils.rotate("z", feet.heading)
        lean = np.array([-posture.left, posture.forward, 0.0]) / self._chord_share
        for segment, tilt, twist in zip(_SPINE, TILT_SHARES, TWIST_SHARES, strict=True):
            rotations[segment] = axes @ pin.exp3(tilt * lean + [0.0, 0.0, twist * posture.twist])
        rotations[Segment.NECK], rotations[Segment.HEAD] = rotations[Segment.T8], eyes.rotation
        below = (*_SPINE, Segment.NECK)
        steps = [rotations[one] @ self._offsets[other] for one, other in zip(below, _ABOVE, strict=True)]
        places = np.cumsum(steps, axis=0)
        body.positions[Segment.PELVIS] = self.find_top(eyes) - places[-1]
        body.positions[list(_ABOVE)] = body.positions[Segment.PELVIS] + places

    def _place_arm(
        self, body: CompletedBody, side: str, sign: float, grip: pin.SE3 | None, elbow: np.ndarray | None, elapsed: float
    ) -> None:
        """Reach a hand from the shoulder; the elbow goes where it is seen, or where it would of its own."""
        collar, upper_arm, forearm, hand = (Segment[f"{side}_{part}"] for part in ("SHOULDER", "UPPER_ARM", "FOREARM", "HAND"))
        positions, rotations = body.positions, body.rotations
        chest = rotations[collar] = rotations[Segment.T8]
        positions[collar] = positions[Segment.T8] + chest @ self._offsets[collar]
        if grip is None:
            body.tracked[[upper_arm, forearm, hand]] = False
            self._elbows[side].forget()
            return
        shoulder = positions[collar] + chest @ self._offsets[upper_arm]
        wrist = grip.translation + grip.rotation @ self._wrist
        way = wrist - shoulder
        wanted = find_pole(sign, chest, way, -grip.rotation[:, 2], None if elbow is None else elbow - shoulder)
        arm = bend_bones(shoulder, wrist, self._arms[side], self._elbows[side].follow(wanted, way, elapsed))
        positions[[upper_arm, forearm, hand]] = arm.root, arm.middle, arm.end
        rotations[upper_arm] = _lay_along(sign * (arm.middle - arm.root), -sign * arm.hinge)
        rotations[forearm] = _lay_along(sign * (arm.end - arm.middle), -sign * arm.hinge)
        # An arm that hangs has the axes of its grip, one of a T-pose points aside.
        rotations[hand] = grip.rotation @ pin.utils.rotate("x", -sign * 0.5 * math.pi)

    def _place_leg(self, body: CompletedBody, side: str, seen: SeenPoints, feet: AssumedFeet) -> None:
        """Reach a foot from the hip, the knee ahead; a foot beyond the leg's reach gives way."""
        thigh, shank, foot, toe = (Segment[f"{side}_{part}"] for part in ("UPPER_LEG", "LOWER_LEG", "FOOT", "TOE"))
        positions, rotations = body.positions, body.rotations
        pelvis, ankle = rotations[Segment.PELVIS], seen.joints.get(foot)
        heading = feet.heading
        if ankle is None:
            aside = pin.utils.rotate("z", heading) @ [0.0, self._offsets[thigh, 1], 0.0]
            ankle = np.array([*feet.middle, self.standing.floor + self._ankle]) + aside
        elif toe in seen.joints:
            ahead = seen.joints[toe] - ankle
            heading = math.atan2(ahead[1], ahead[0])
        rotations[foot] = rotations[toe] = pin.utils.rotate("z", heading)
        hip = positions[Segment.PELVIS] + pelvis @ self._offsets[thigh]
        leg = bend_bones(ankle, hip, self._leg, pelvis[:, 0] + rotations[foot][:, 0], LEG_SOFTNESS)
        positions[[thigh, shank, foot]] = leg.end, leg.middle, leg.root
        positions[toe] = leg.root + rotations[foot] @ self._offsets[toe]
        rotations[thigh] = _stand_along(leg.end - leg.middle, -leg.hinge)
        rotations[shank] = _stand_along(leg.middle - leg.root, -leg.hinge)


def _lay_along(along: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Return axes whose y points along a vector, and whose z is one square to it."""
    y = along / np.linalg.norm(along)
    return np.stack([cross(y, z), y, z], axis=1)


def _stand_along(up: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return axes whose z points along a vector, and whose y is one square to it."""
    z = up / np.linalg.norm(up)
    return np.stack([cross(y, z), y, z], axis=1)
