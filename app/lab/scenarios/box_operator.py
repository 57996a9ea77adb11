"""Who has a robot take a box: by the sticks to it, in a suit with both hands, and by the sticks away from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from handhold.app.lab.scenarios.box_grasp import MAX_OFFSET
from handhold.app.lab.scenarios.box_person import Act, BoxPerson
from handhold.app.lab.scenarios.box_world import FEET_APART, WALK_DISTANCE, BoxLayout, get_mapping
from handhold.app.lab.scenarios.human_motion import PersonAtWork
from handhold.app.lab.scenarios.scenario import Operator
from handhold.app.lab.scenarios.score import ScoredOperator, Step, ask, wait, wait_until
from handhold.app.lab.scenarios.suit_stream import SuitStream
from handhold.app.lab.scenarios.walks import gait_of, mode_is, steer, steer_until, stop
from handhold.devices.operator_input import OperatorInput
from handhold.devices.tracked_human import TrackedHuman
from handhold.render.snapshot import Snapshot
from handhold.robots.model import RobotModel

SPEEDS = (0.8, 1.2)
"""How fast the person is, against one who is not in a hurry [-]."""

MAX_CORRECTION = 0.08
"""Largest correction of the hands' place along each axis by what is seen of the robot's, of any robot [m]."""

APPROACH_RATIO = 0.2
"""Part of its speed with which the robot walks to the box [-]: it ends a step that has begun, and steps are short then."""

OVERSHOOT = 0.03
"""How far it goes on to end that step [m]."""

WALKING, STRIDING = 30.0, 20.0
"""Longest times to walk to the box, and to set the feet apart [s]."""

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


def make_box_operator(
    model: RobotModel, acts: Sequence[Act], back: Sequence[Step], random: np.random.Generator
) -> BoxOperator:
    """Return the operator who walks there, does some acts in the suit and then walks back.

    Args:
        model: Robot.
        acts: What the person in the suit does.
        back: How the operator ends.
        random: Says how fast the person is, and where the robot stands before the box.
    """
    hands = [arm.hand for arm in get_mapping(model).arms]
    person = BoxPerson(model, hands, acts, speed=float(random.uniform(*SPEEDS)), max_correction=MAX_CORRECTION)
    return BoxOperator((*walk_there(model, random), *set_feet_apart()), person, back)


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


def walk_backwards(model: RobotModel, goal: float, patience: float = WALKING) -> tuple[Step, ...]:
    """Let go of the suit, and walk backwards until the centre of mass passes a goal along x [m]; missed after so long [s]."""
    gait = gait_of(model)
    back = steer_until(f"back at x = {goal:g} m", lambda snapshot: float(snapshot.position_com_in_world[0]) < goal, patience)
    begin = wait(0.5), ask("mode:walking"), mode_is("walking"), wait(0.5)
    return *begin, steer(gait, forward=-gait.backward_speed), back, *stop()
