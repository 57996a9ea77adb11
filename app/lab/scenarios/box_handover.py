"""``box-handover``: the robot walks to a box, squats, picks it up with both hands, and hands it over to two palms.

The experiment of [Penco2019]_: it walks by the sticks, sets its feet apart by a motion, and does the rest by a suit, whose
stream comes over UDP. The hands go under the box's rim and lift it; it is put on two palms that somebody holds out, and the
robot walks back. The box hangs from the rim: one that lies on two hands tips over them.
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
    FEET_APART,
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
from handhold.app.lab.scenarios.needs import hand, motion
from handhold.app.lab.scenarios.scenario import Operator, Scenario
from handhold.app.lab.scenarios.score import ScoredOperator, Step, ask, wait, wait_until
from handhold.app.lab.scenarios.suit_stream import SuitStream
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.lab.scenarios.walks import gait_of, mode_is, steer, steer_until, stop, walks
from handhold.devices.operator_input import OperatorInput
from handhold.devices.tracked_human import TrackedHuman
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
"""Largest correction of the hands' place along each axis by what is seen of the robot's, of any robot [m]."""

APPROACH_RATIO = 0.2
"""Part of its speed with which the robot walks to the box [-]: it ends a step that has begun, and steps are short then."""

OVERSHOOT = 0.03
"""How far it goes on to end that step [m]."""

WALKING, STRIDING = 30.0, 20.0
"""Longest times to walk to the box or back, and to set the feet apart [s]."""

RETURN_DISTANCE = 0.30
"""How far the robot walks back in the end [m]."""

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

_STAGES = 3
"""There, in the suit, and back."""


class BoxOperator:
    """Walks to the box by the sticks, sets the feet apart by a motion, does the rest in a suit, and walks back."""

    def __init__(self, there: Sequence[Step], person: BoxPerson, back: Sequence[Step]) -> None:
        """Take how to come there, who wears the suit, and how to walk back."""
        self._there, self._person, self._back = ScoredOperator(there), person, back
        self._stages: list[Operator] = [self._there]
        self._time, self._sample = 0.0, 0
        self._human: TrackedHuman | None = None
        self._stream = SuitStream(lambda: self._time)

    @property
    def over(self) -> bool:
        """Whether the robot has walked back, or did not get to the box."""
        return bool(self._there.missed) or (len(self._stages) == _STAGES and self._stages[-1].over)

    @property
    def missed(self) -> tuple[str, ...]:
        """What was waited for in vain."""
        return self._person.missed + tuple(each for stage in self._stages for each in stage.missed)

    @property
    def notes(self) -> Mapping[str, float]:
        """How many acts were not done, and how many stages: the walk there, what is done in the suit, the walk back."""
        done = len(self._stages) - 1 + int(self.over and not self.missed)
        return {"acts_left": float(self._person.acts_left), "stages_left": float(_STAGES - done)}

    def sample(self, time: float, snapshot: Snapshot | None) -> OperatorInput:
        """Return the sample at a time [s]: the suit is worn all the time."""
        self._time = time
        self._sample += 1
        if self._is_next_due():
            self._stages.append(self._make_next(time))
        self._human = self._stream.pass_on(self._person.track(time, snapshot))
        return replace(self._stages[-1].sample(time, snapshot), sequence=self._sample, human=self._human)

    def _is_next_due(self) -> bool:
        if len(self._stages) == 1:
            return self._there.over and not self._there.missed
        return len(self._stages) < _STAGES and self._person.over

    def _make_next(self, time: float) -> Operator:
        if len(self._stages) == 1:
            return PersonAtWork(lambda _time, _moves: self._human, begun=time)
        return ScoredOperator(self._back, begun=time)


def script_handover(model: RobotModel, _effector_poses: np.ndarray, random: np.random.Generator) -> Operator:
    """Script the operator."""
    hands = [arm.hand for arm in get_mapping(model).arms]
    acts = plan_acts(model, random)
    person = BoxPerson(model, hands, acts, speed=float(random.uniform(*SPEEDS)), max_correction=MAX_CORRECTION)
    return BoxOperator((*walk_there(model, random), *set_feet_apart()), person, walk_back(model))


def walk_there(model: RobotModel, random: np.random.Generator) -> tuple[Step, ...]:
    """Walk to the box."""
    gait, scale = gait_of(model), BoxLayout.find(model).scale
    goal = scale * (WALK_DISTANCE - OVERSHOOT + MAX_OFFSET[0] * float(random.uniform(-1.0, 1.0)))
    there = steer_until(f"x = {goal:g} m", lambda snapshot: float(snapshot.position_com_in_world[0]) > goal, WALKING)
    begin = wait(0.3), ask("mode:walking"), mode_is("walking"), wait(0.5)
    return *begin, steer(gait, forward=APPROACH_RATIO * gait.speed), there, *stop()


def set_feet_apart() -> tuple[Step, ...]:
    """Set the feet apart by a motion: wait until it has begun, and until it has ended."""

    def plays(snapshot: Snapshot) -> bool:
        return any(each.on and each.name == FEET_APART for each in snapshot.report.toggles)

    begun = wait_until("the motion", plays, STRIDING)
    ended = wait_until("the feet apart", lambda snapshot: not plays(snapshot), STRIDING)
    return ask("mode:motions"), mode_is("motions"), wait(0.3), ask(f"switch:{FEET_APART}"), begun, ended, wait(0.3)


def walk_back(model: RobotModel) -> tuple[Step, ...]:
    """Let go, and walk back from where the box was."""
    gait, scale = gait_of(model), BoxLayout.find(model).scale
    goal = scale * (WALK_DISTANCE - RETURN_DISTANCE)
    back = steer_until(f"back at x = {goal:g} m", lambda snapshot: float(snapshot.position_com_in_world[0]) < goal, WALKING)
    begin = wait(0.5), ask("mode:walking"), mode_is("walking"), wait(0.5)
    return *begin, steer(gait, forward=-gait.backward_speed), back, *stop()


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
        *(Figure(name, trace.notes[name], "-", must=0.0) for name in ("acts_left", "stages_left")),
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
    duration=120.0,
    script=script_handover,
    measure=measure_handover,
    needs=(walks, two_feet_and_an_arm, hand("left"), hand("right"), motion(FEET_APART)),
    # The robot knows nothing of the box and of who takes it: the operator sees them.
    mapped="flat",
    fit=fit_world,
    disturb=hold_palms_out,
)
