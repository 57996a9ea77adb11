"""``box-handover``: the robot walks to a box, squats, picks it up with both hands, and hands it over to two palms.

The experiment of [Penco2019]_. The hands go under the box's rim and lift it; it is put on two palms that somebody holds out.
It hangs from the rim: one that lies on two hands tips over them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.box_person import Act, BoxPerson
from handhold.app.lab.scenarios.box_world import (
    BOX,
    CLEARANCE,
    HOLD_TIME,
    PALMS,
    WALK_DISTANCE,
    WORLD,
    BoxLayout,
    find_shoulders,
    fit_world,
    get_mapping,
    hold_palms_out,
)
from handhold.app.lab.scenarios.following import measure_following
from handhold.app.lab.scenarios.human_motion import PersonAtWork, two_feet_and_an_arm
from handhold.app.lab.scenarios.kinematic_human import LEG_LENGTH, HumanPose
from handhold.app.lab.scenarios.measures import measure_reference
from handhold.app.lab.scenarios.needs import hand
from handhold.app.lab.scenarios.scenario import Operator, Scenario
from handhold.app.lab.scenarios.score import ScoredOperator, Step, ask, wait
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.lab.scenarios.walks import gait_of, mode_is, steer, steer_until, stop, walks
from handhold.devices.operator_input import OperatorInput
from handhold.render.snapshot import Snapshot
from handhold.robots.model import RobotModel
from handhold.robots.worlds import load_world

MAX_DELIVERY_ERROR = 0.05
"""How far the box may be from the middle of the palms in the end [m]."""

MAX_OFFSET = (0.02, 0.01)
"""How far from where they should be the robot stops, and the hands go under the rim, at random, along x and y [m]; lengths are
those of the robot that the world is made for."""

SPEEDS = (0.8, 1.2)
"""How fast the person is, against one who is not in a hurry [-]."""

MAX_CORRECTION = 0.08
"""How far the person goes on where the robot's hands do not get to [m]."""

APPROACH_RATIO = 0.2
"""Part of its speed with which the robot walks to the box [-]: it ends a step that has begun, and steps are short then."""

OVERSHOOT = 0.03
"""How far it goes on to end that step [m]."""

WALKING = 30.0
"""Longest time to walk to the box [s]."""

ELBOW_CLEARANCE = 0.03
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

RETREAT_DISTANCE = 0.18
"""How far the hands are drawn back from the palms in the end [m]."""

HAND_SPACING = 0.40
"""How far the hands are from the middle of the box, as a part of its rim's width [-]."""

SHIFT = 0.10
"""How far the person shifts the weight to either side before squatting [m]: in haste, so that the stabiliser has to keep the
ZMP in the support."""

SQUATTING = 1.0
"""Time in which the person squats [s]."""

WAIT_TIME = SPEEDS[1] * (HOLD_TIME + 1.0)
"""How long the robot waits for the palms [s]: even the fastest person waits for longer than they take."""

MAX_TILT = np.radians(10.0)
"""Tilt within which the box lies on the palms [rad]."""

MIN_LIFT = 0.10
"""How far the box is lifted at least [m]."""


class BoxOperator:
    """Walks to the box by the sticks, then does the rest in a suit."""

    def __init__(self, walk: Sequence[Step], person: BoxPerson) -> None:
        """Take how to walk there, and who wears the suit."""
        self._walk, self._person = ScoredOperator(walk), person
        self._at_work: PersonAtWork | None = None
        self._snapshot: Snapshot | None = None
        self._sample = 0

    @property
    def over(self) -> bool:
        """Whether the box has been handed over."""
        return bool(self._walk.missed) or self._person.over

    @property
    def missed(self) -> tuple[str, ...]:
        """What was waited for in vain."""
        return self._walk.missed + self._person.missed

    @property
    def notes(self) -> Mapping[str, float]:
        """How many acts were not done."""
        return {"acts_left": float(self._person.acts_left)}

    def sample(self, time: float, snapshot: Snapshot | None) -> OperatorInput:
        """Return the sample at a time [s]."""
        self._snapshot = snapshot
        if self._at_work is None and self._walk.over and not self._walk.missed:
            self._at_work = PersonAtWork(lambda now, _follows: self._person.track(now, self._snapshot), begun=time)
        self._sample += 1
        return replace((self._at_work or self._walk).sample(time, snapshot), sequence=self._sample)


def script_handover(model: RobotModel, _effector_poses: np.ndarray, random: np.random.Generator) -> Operator:
    """Script the operator."""
    hands = [arm.hand for arm in get_mapping(model).arms]
    acts, scale = plan_acts(model, random), BoxLayout.find(model).scale
    person = BoxPerson(model, hands, acts, speed=float(random.uniform(*SPEEDS)), max_correction=scale * MAX_CORRECTION)
    return BoxOperator(walk_there(model, random), person)


def walk_there(model: RobotModel, random: np.random.Generator) -> tuple[Step, ...]:
    """Walk to the box."""
    gait, scale = gait_of(model), BoxLayout.find(model).scale
    goal = scale * (WALK_DISTANCE - OVERSHOOT + MAX_OFFSET[0] * float(random.uniform(-1.0, 1.0)))
    there = steer_until(f"x = {goal:g} m", lambda snapshot: float(snapshot.position_com_in_world[0]) > goal, WALKING)
    begin = wait(0.3), ask("mode:walking"), mode_is("walking"), wait(0.5)
    return *begin, steer(gait, forward=APPROACH_RATIO * gait.speed), there, *stop()


def plan_acts(model: RobotModel, random: np.random.Generator) -> list[Act]:
    """Plan what the person does: reach under the rim, lift it, stand up, lower it on the palms, draw the hands back."""
    layout, mapping = BoxLayout.find(model), get_mapping(model)
    scale, box, rim = layout.scale, layout.box, layout.rim
    bottom = np.array(box.position) - [0.0, 0.0, 0.5 * box.size[2]]
    along, aside = scale * np.array(MAX_OFFSET) * random.uniform(-1.0, 1.0, 2)
    below = max(scale * PREGRASP_DEPTH, GAP + max(model.effectors[arm.hand].radius for arm in mapping.arms))
    under = np.array(rim.position) + np.array([scale * GRASP_DEPTH + along, aside, -0.5 * rim.size[2] - below])
    before, lifted = (
        under + scale * np.array([-PREGRASP_DISTANCE, 0.0, 0.0]),
        under + np.array([0.0, 0.0, below + scale * LIFT]),
    )
    # Without the offsets of the grasp: the box comes to hang below the hands. What is aside it keeps (1 cm).
    put_down = np.array([layout.goal[0] + scale * OVERHANG, layout.goal[1], under[2] + layout.goal[2] - bottom[2]])
    over, away = (
        put_down + np.array([0.0, 0.0, below + scale * CLEARANCE]),
        put_down - scale * np.array([RETREAT_DISTANCE, 0.0, 0.0]),
    )
    elbow = find_shoulders(model)[1] - max(arm.lengths[0] for arm in mapping.arms)
    drop = max(0.0, elbow - float(under[2]) - scale * ELBOW_CLEARANCE) * LEG_LENGTH / mapping.leg_length
    squat = HumanPose(drop=drop, forward=-0.03, pitch=0.05, bend=0.12, nod=0.3)
    standing, half_distance = HumanPose(), HAND_SPACING * rim.size[1]
    shifts = ((SHIFT, 0.4), (-SHIFT, 0.55), (0.0, 0.4))
    return [
        *(Act(trunk=HumanPose(left=left), hangs=True, duration=duration) for left, duration in shifts),
        # Hands come from below: on their way down to the rim they would be caught on it.
        Act(trunk=squat, hangs=True, duration=2.0, trunk_duration=SQUATTING),
        Act(trunk=squat, middle=before, half_distance=half_distance, duration=3.0),
        Act(trunk=squat, middle=under, half_distance=half_distance, duration=2.5, tolerance=scale * GRASP_TOLERANCE),
        Act(trunk=squat, middle=lifted, duration=2.0),
        Act(trunk=standing, middle=over, duration=4.0),
        Act(trunk=standing, middle=over, duration=WAIT_TIME),
        Act(trunk=standing, middle=put_down, duration=3.0),
        Act(trunk=standing, middle=away, duration=2.5),
        Act(trunk=standing, hangs=True, duration=2.0),
    ]


def measure_handover(model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure where the box is in the end, how far it was lifted, and the robot."""
    layout, torque = BoxLayout.find(model), np.abs(np.array(trace.torques)) / model.motor_torques
    return [
        *measure_delivery(layout, np.array(trace.solids)),
        Figure("payload", layout.payload, "kg", larger_is_better=True),
        Figure("acts_left", trace.notes["acts_left"], "-", must=0.0),
        *measure_reference(trace),
        Figure("torque_ratio", float(torque.max()), "-", must=1.0 + 1e-9),
        *measure_following(model, trace),
    ]


def measure_delivery(layout: BoxLayout, poses: np.ndarray) -> list[Figure]:
    """Measure how far from lying on the middle of the palms the box is in the end, its tilt, and how far it was lifted.

    Args:
        layout: The world at the robot's size.
        poses: Of all solids over time, shape ``(times, solids, 4, 4)``.
    """
    names = [solid.name for solid in load_world(WORLD).solids]
    box, palms = poses[:, names.index(BOX)], poses[-1, [names.index(name) for name in PALMS]]
    goal = palms[:, :3, 3].mean(axis=0) + np.array([0.0, 0.0, 0.5 * (layout.palm_thickness + layout.box.size[2])])
    tilt = float(np.arccos(np.clip(box[-1, 2, 2], -1.0, 1.0)))
    lifted, must = float((box[:, 2, 3] - box[0, 2, 3]).max()), layout.scale * MIN_LIFT
    return [
        Figure("delivery_error", float(np.linalg.norm(box[-1, :3, 3] - goal)), "m", must=MAX_DELIVERY_ERROR),
        Figure("tilt", tilt, "rad", must=float(MAX_TILT)),
        Figure("lifted", lifted, "m", must=must, larger_is_better=True),
    ]


BOX_HANDOVER = Scenario(
    name="box-handover",
    title="the robot walks to a box, squats, picks it up with both hands, and hands it over",
    world=WORLD,
    duration=80.0,
    script=script_handover,
    measure=measure_handover,
    needs=(walks, two_feet_and_an_arm, hand("left"), hand("right")),
    # The robot knows nothing of the box and of who takes it: the operator sees them.
    mapped="flat",
    fit=fit_world,
    disturb=hold_palms_out,
)
