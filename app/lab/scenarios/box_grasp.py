"""How a person takes the box of ``box_world`` through a robot: both hands go under its rim and lift it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handhold.app.lab.scenarios.box_person import Act
from handhold.app.lab.scenarios.box_world import CLEARANCE, BoxLayout, find_shoulders, get_mapping
from handhold.app.lab.scenarios.kinematic_human import LEG_LENGTH, HumanPose
from handhold.robots.model import RobotModel

MAX_OFFSET = (0.02, 0.01)
"""How far from where they should be the robot stops, and the hands go under the rim, at random, along x and y [m]; lengths are
those of the robot that the world is made for."""

ELBOW_CLEARANCE = 0.10
"""How far above the hands the elbows are when the robot has squatted to reach under the rim [m]."""

PREGRASP_DEPTH, PREGRASP_DISTANCE, GRASP_DEPTH = 0.09, 0.14, 0.01
"""Where hands are before they come under the rim: below, and behind where they go; and how far beyond its middle they go [m].

It rolls ahead on them by as much while it is lifted."""

GAP = 0.025
"""Least distance between a hand's contact sphere and the rim before it is lifted, of any robot [m]."""

GRASP_TOLERANCE = 0.015
"""How near to where they should be the hands are under the rim [m]: the box hangs askew by what is left."""

LIFT = 0.04
"""How far the hands are lifted beyond the rim there [m]."""

OVERHANG = 0.04
"""How far beyond the box's middle the tips of the hands are that it hangs from, once it stands on the palms [m]."""

HAND_SPACING = 0.40
"""How far the hands are from the middle of the box, as a part of its rim's width [-]."""

SHIFT = 0.10
"""How far the person shifts the weight to either side before squatting [m]: in haste, so that the stabiliser has to keep the
ZMP in the support."""

SQUATTING = 1.0
"""Time in which the person squats [s]."""

STANDING = HumanPose()


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class RimGrasp:
    """Where the middle between the hands goes, each of shape ``(3,)`` [m].

    Attributes:
        before: Behind the rim and below it.
        under: Under the rim.
        lifted: Once the rim lies on the hands and the box is off the stool.
        over: Once the robot stands, over where it is put down.
        put_down: Where the box stands on the palms.
        half_distance: Half the distance between the hands [m].
        squat: The person's trunk while the hands go under the rim.
        tolerance: How near the hands come to where they should be under the rim [m].
    """

    before: np.ndarray
    under: np.ndarray
    lifted: np.ndarray
    over: np.ndarray
    put_down: np.ndarray
    half_distance: float
    squat: HumanPose
    tolerance: float


def find_grasp(model: RobotModel, random: np.random.Generator) -> RimGrasp:
    """Find how to take the box, a little off where the hands should be."""
    layout, mapping = BoxLayout.find(model), get_mapping(model)
    scale, box, rim = layout.scale, layout.box, layout.rim
    bottom = np.array(box.position) - [0.0, 0.0, 0.5 * box.size[2]]
    along, aside = scale * np.array(MAX_OFFSET) * random.uniform(-1.0, 1.0, 2)
    below = max(scale * PREGRASP_DEPTH, GAP + max(model.effectors[arm.hand].radius for arm in mapping.arms))
    under = np.array(rim.position) + np.array([scale * GRASP_DEPTH + along, aside, -0.5 * rim.size[2] - below])
    # Without the offsets of the grasp: the box comes to hang below the hands. What is aside it keeps (1 cm).
    put_down = np.array([layout.goal[0] + scale * OVERHANG, layout.goal[1], under[2] + layout.goal[2] - bottom[2]])
    return RimGrasp(
        before=under + scale * np.array([-PREGRASP_DISTANCE, 0.0, 0.0]),
        under=under,
        lifted=under + np.array([0.0, 0.0, below + scale * LIFT]),
        over=put_down + np.array([0.0, 0.0, below + scale * CLEARANCE]),
        put_down=put_down,
        half_distance=HAND_SPACING * rim.size[1],
        squat=_find_squat(model, float(under[2]), scale * ELBOW_CLEARANCE),
        tolerance=scale * GRASP_TOLERANCE,
    )


def _find_squat(model: RobotModel, hands: float, clearance: float) -> HumanPose:
    """Return the person's trunk with which the robot's elbows are above the height of its hands by a clearance [m]."""
    mapping = get_mapping(model)
    elbow = find_shoulders(model)[1] - max(arm.lengths[0] for arm in mapping.arms)
    drop = max(0.0, elbow - hands - clearance) * LEG_LENGTH / mapping.leg_length
    return HumanPose(drop=drop, forward=-0.03, pitch=0.05, bend=0.12, nod=0.3)


def plan_lifting(grasp: RimGrasp) -> list[Act]:
    """Plan what the person does until the robot stands with the box: shift the weight, squat, reach under the rim, lift it."""
    squat, half_distance = grasp.squat, grasp.half_distance
    shifts = ((SHIFT, 0.4), (-SHIFT, 0.55), (0.0, 0.4))
    return [
        *(Act(trunk=HumanPose(left=left), hangs=True, duration=duration) for left, duration in shifts),
        # Hands come from below: on their way down to the rim they would be caught on it.
        Act(trunk=squat, hangs=True, duration=2.0, trunk_duration=SQUATTING),
        Act(trunk=squat, middle=grasp.before, half_distance=half_distance, duration=3.0),
        Act(trunk=squat, middle=grasp.under, half_distance=half_distance, duration=2.5, tolerance=grasp.tolerance),
        Act(trunk=squat, middle=grasp.lifted, duration=2.0),
        Act(trunk=STANDING, middle=grasp.over, duration=4.0),
    ]
