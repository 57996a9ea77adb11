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
from handhold.app.lab.scenarios.box_grasp import MAX_OFFSET, STANDING, find_grasp, plan_lifting
from handhold.app.lab.scenarios.box_person import Act, BoxPerson
from handhold.app.lab.scenarios.box_world import (
    BOX,
    FEET_APART,
    HOLD_TIME,
    PALMS,
    WALK_DISTANCE,
    WORLD,
    BoxLayout,
    fit_world,
    get_mapping,
    hold_palms_out,
)
from handhold.app.lab.scenarios.following import measure_following
from handhold.app.lab.scenarios.human_motion import PersonAtWork, two_feet_and_an_arm
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

RETREAT_DISTANCE = 0.18
"""How far the hands are drawn back from the palms in the end [m]."""

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
    """Plan what the person does: lift the box, lower it on the palms once they are there, draw the hands back."""
    grasp = find_grasp(model, random)
    away = grasp.put_down - BoxLayout.find(model).scale * np.array([RETREAT_DISTANCE, 0.0, 0.0])
    return [
        *plan_lifting(grasp),
        Act(trunk=STANDING, middle=grasp.over, duration=WAIT_TIME),
        Act(trunk=STANDING, middle=grasp.put_down, duration=3.0),
        Act(trunk=STANDING, middle=away, duration=2.5),
        Act(trunk=STANDING, hangs=True, duration=2.0),
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
